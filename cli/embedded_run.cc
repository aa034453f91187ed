#include "cli/embedded_run.h"

#include <algorithm>
#include <array>

#include "base/format.h"
#include "cli/applicability.h"
#include "cli/command.h"
#include "cli/graph_argument.h"
#include "cli/job_agreement.h"
#include "cli/program_list.h"
#include "cli/run.h"
#include "datasets/byte_stream.h"
#include "programs/pie/catalog.h"

namespace leeway::cli {

namespace {

/// Settings that are useful only in a terminal or on a launcher's command line.
constexpr std::array<std::string_view, 6> kOutside = {"json",      "graph", "out",
                                                      "out-parts", "quiet", "top"};
/// Recorded as the author of written files.
constexpr const char* kWriter = "leeway in another program";

bool outside(const Setting& setting) {
  return std::find(kOutside.begin(), kOutside.end(), setting.name) != kOutside.end();
}

/// True for settings of reading a graph, which have no effect on a graph in memory.
bool reads(const Setting& setting) {
  return (setting.group & kLoad) != 0 && setting.name != "threads" && setting.name != "seed";
}

std::string nearest_setting(const std::string& name, const Command& command) {
  std::vector<std::string_view> known;
  for (const Setting& each : settings()) {
    if ((each.group & command.groups) != 0 && !outside(each)) known.push_back(each.name);
  }
  const std::string nearest = did_you_mean(name, known);
  return nearest.starts_with("did you mean") ? nearest : "leeway.settings() lists them all";
}

/// Fabrics over processes need a launcher.
Status check_fabric(Fabric requested, Job* job) {
  const bool processes = requested == Fabric::Mpi || requested == Fabric::Ofi;
  if (job == nullptr && processes) {
    return fail(input_error(
        "fabric",
        format("{} joins processes, and this one was started alone", fabric_name(requested)),
        "start the script by mpiexec or leeway launch, and leave fabric out"));
  }
  if (job != nullptr && requested != Fabric::Auto && requested != job->fabric()) {
    return fail(input_error("fabric",
                            format("the processes are joined over {}, not {}",
                                   fabric_name(job->fabric()), fabric_name(requested)),
                            "leave it out, or start one process"));
  }
  return {};
}

Status apply(NamedSettings settings, const Command& command, bool borrowed, Options& options) {
  options.quiet = true;
  for (const auto& [name, value] : settings) {
    const Setting* const setting = find_setting(name);
    if (setting == nullptr || (setting->group & command.groups) == 0 || outside(*setting)) {
      return fail(input_error(name, format("{} has no such setting", command.name),
                              nearest_setting(name, command)));
    }
    if (borrowed && reads(*setting)) {
      return fail(
          input_error(name, "the graph is in memory already", "give it when the graph is opened"));
    }
    LEEWAY_TRY(apply_setting(*setting, value, name, options));
    if (name == "log-level") set_log_level(options.log_level);
  }
  return settle(options);
}

Result<Options> options_for(std::string_view command, NamedSettings settings,
                            bool borrowed = false) {
  Options options;
  LEEWAY_TRY(apply(settings, *find_command(command), borrowed, options));
  return options;
}

template <class T, class Body>
Result<T> guarded_as(Body&& body) {
  std::optional<T> made;
  LEEWAY_TRY(guarded([&]() -> Result<int> {
    LEEWAY_ASSIGN(made, body());
    return 0;
  }));
  return std::move(*made);
}

Result<EmbeddedRun> run_here(const EmbeddedCall& call, Job* job) {
  Invocation invocation;
  invocation.begun = SteadyClock().now();
  invocation.command = find_command("run");
  invocation.arguments = {call.program};
  LEEWAY_ASSIGN(invocation.options, options_for("run", call.settings, call.graph != nullptr));
  EmbeddedRun run;
  Options& options = invocation.options;
  protect_files(kWriter, options.force);
  LEEWAY_TRY(check_fabric(options.run.fabric, job));
  options.kept = &run.kept;
  options.own_part = call.own_part;
  options.stop = call.stop;
  if (!call.graph_name.empty()) {
    LEEWAY_ASSIGN(const ListedProgram* const listed, program_called(call.program));
    if (!listed->graph) {
      return fail(input_error(call.program,
                              "the program generates its own scene and takes no graph",
                              "leave the graph out"));
    }
    options.borrowed = call.graph;
    options.graph = call.graph_name;
  }
  if (job != nullptr) LEEWAY_TRY(agree_on_settings(invocation, *job));
  LEEWAY_ASSIGN(const int code, run_in(invocation, job));
  run.at_rest = code != kGaveUp;
  return run;
}

}  // namespace

Result<EmbeddedRun> run_embedded(const EmbeddedCall& call, Job* job) {
  Result<EmbeddedRun> run = guarded_as<EmbeddedRun>([&] { return run_here(call, job); });
  if (job == nullptr) return run;
  LEEWAY_TRY(job->agree(run ? Status{} : fail(run.error())));
  return run;
}

Result<Graph> open_embedded(const std::string& name, NamedSettings settings) {
  LEEWAY_ASSIGN(Options options, options_for("info", settings));
  LEEWAY_TRY(check_applicable(options, find_command("info")->groups, name));
  return guarded_as<Graph>([&] { return open_graph(name, options); });
}

Status save_embedded(const Graph& graph, const std::string& path, NamedSettings settings) {
  LEEWAY_ASSIGN(Options options, options_for("convert", settings));
  protect_files(kWriter, options.force);
  return save_graph(graph, path, options);
}

Status check_embedded(NamedSettings settings) {
  LEEWAY_TRY(options_for("run", settings));
  return {};
}

Result<ClusterOptions> embedded_cluster(std::uint32_t nodes, NamedSettings settings) {
  for (const auto& [name, value] : settings) {
    if (name != "consistency" && name != "net" && name != "seed")
      return fail(
          input_error(name, "a cluster has no such setting", "give consistency, net or seed"));
  }
  LEEWAY_ASSIGN(const Options options, options_for("run", settings));
  ClusterOptions cluster;
  cluster.nodes = nodes;
  cluster.seed = options.load.seed;
  cluster.policy = options.run.policy;
  if (options.network) cluster.network = *options.network;
  return cluster;
}

namespace {

/// A program of the caller accepts the settings in `settings`; applicability is that of the shipped program `like`.
struct OwnProgram {
  std::string_view like;
  EngineName engine;
  std::string_view what;
  std::span<const std::string_view> settings;
};

struct OwnRun {
  Options options;
  DecidedRun decided;
};

Result<OwnRun> own_run(const OwnProgram& program, NamedSettings settings, Job* job, StopFlag stop) {
  for (const auto& [name, value] : settings) {
    if (std::find(program.settings.begin(), program.settings.end(), name) != program.settings.end())
      continue;
    std::string all;
    for (const std::string_view each : program.settings)
      all += format("{}{}", all.empty() ? "" : ", ", each);
    return fail(input_error(name, format("{} has no such setting", program.what),
                            format("there are {}", all)));
  }
  OwnRun run;
  LEEWAY_ASSIGN(run.options, options_for("run", settings));
  run.options.run.engine = program.engine;
  run.options.stop = stop;
  LEEWAY_ASSIGN(run.decided, decide_run(program.like, run.options, job));
  LEEWAY_ASSIGN(run.options, applicable_options(run.options, run.decided));
  return run;
}

}  // namespace

Result<pie::SessionOptions> embedded_session(NamedSettings settings, Job* job, StopFlag stop) {
  constexpr std::array<std::string_view, 8> kSettings = {
      "nodes", "workers", "scheduler", "staleness", "partition", "balance", "net", "seed"};
  const OwnProgram program{"sssp", EngineName::Pie, "a PIE program in Python", kSettings};
  LEEWAY_ASSIGN(const OwnRun run, own_run(program, settings, job, stop));
  LEEWAY_ASSIGN(const Plan plan, plan_of(run.decided, run.options, job));
  return session_options(plan.options);
}

Result<EmbeddedTicks> embedded_ticks(NamedSettings settings, Job* job, StopFlag stop) {
  constexpr std::array<std::string_view, 8> kSettings = {"nodes", "iterations", "sync", "depth",
                                                         "every", "replicas",   "net",  "seed"};
  const OwnProgram program{"jacobi", EngineName::Tick, "a tick program in Python", kSettings};
  LEEWAY_ASSIGN(const OwnRun run, own_run(program, settings, job, stop));
  EmbeddedTicks embedded;
  LEEWAY_ASSIGN(embedded.cluster, cluster_of(run.options, job));
  embedded.ticks = tick_options(run.options, embedded.cluster);
  embedded.ticks.threads = 1;  // a Python program takes the interpreter lock for each step
  return embedded;
}

std::vector<EmbeddedProgram> embedded_programs() {
  std::vector<EmbeddedProgram> programs;
  for (const ListedProgram& each : program_list())
    programs.push_back({each.info->name, each.info->summary, each.info->result, each.graph});
  return programs;
}

std::vector<EmbeddedSetting> embedded_settings() {
  std::vector<EmbeddedSetting> all;
  for (const Setting& each : settings()) {
    if ((each.group & find_command("run")->groups) != 0 && !outside(each))
      all.push_back({each.name, each.value, each.fallback, each.help});
  }
  return all;
}

}  // namespace leeway::cli
