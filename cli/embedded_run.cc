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

/// Recorded as the author of written files.
constexpr const char* kWriter = "leeway in another program";

/// Returns an Input error for a setting without the role `role`. `what`: what the settings belong to.
Status check_roles(NamedSettings settings, SettingRole role, std::string_view what) {
  for (const auto& [name, value] : settings) {
    const Setting* const setting = find_setting(name);
    if (setting != nullptr && setting->roles.has(role)) continue;
    std::vector<std::string_view> valid;
    for (const Setting& each : leeway::cli::settings()) {
      if (each.roles.has(role)) valid.push_back(each.name);
    }
    return fail(input_error(name, format("{} has no such setting", what),
                            format("there are {}", fmt::join(valid, ", "))));
  }
  return {};
}

std::string nearest_setting(const std::string& name, const Command& command) {
  std::vector<std::string_view> known;
  for (const Setting& each : settings()) {
    if ((each.group & command.groups) != 0 && !each.roles.has(kTerminal))
      known.push_back(each.name);
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
    if (setting == nullptr || (setting->group & command.groups) == 0 ||
        setting->roles.has(kTerminal)) {
      return fail(input_error(name, format("{} has no such setting", command.name),
                              nearest_setting(name, command)));
    }
    if (borrowed && setting->roles.has(kReads)) {
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

template <class T, class Work>
Result<T> guarded_as(Work&& body) {
  std::optional<T> made;
  LEEWAY_TRY(guarded([&]() -> Result<int> {
    LEEWAY_ASSIGN(made, body());
    return 0;
  }));
  return std::move(*made);
}

Result<EmbeddedResult> run_here(const EmbeddedCall& call, Job* job) {
  Invocation invocation;
  invocation.begun = SteadyClock().now();
  invocation.command = find_command("run");
  invocation.arguments = {call.program};
  LEEWAY_ASSIGN(invocation.options, options_for("run", call.settings, call.graph != nullptr));
  EmbeddedResult run;
  Options& options = invocation.options;
  protect_files(kWriter, options.force);
  LEEWAY_TRY(check_fabric(options.fabric, job));
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

Result<EmbeddedResult> run_embedded(const EmbeddedCall& call, Job* job) {
  Result<EmbeddedResult> run = guarded_as<EmbeddedResult>([&] { return run_here(call, job); });
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
  LEEWAY_TRY(check_roles(settings, kOwnCluster, "a cluster"));
  LEEWAY_ASSIGN(const Options options, options_for("run", settings));
  ClusterOptions cluster;
  cluster.nodes = nodes;
  cluster.seed = options.load.seed;
  cluster.policy = options.policy;
  if (options.network) cluster.network = *options.network;
  return cluster;
}

namespace {

/// A program of the caller. It accepts the settings with the role `role`; their applicability is that of the shipped
/// program `like`.
struct OwnProgram {
  std::string_view like;
  EngineName engine;
  std::string_view what;
  SettingRole role;
};

struct OwnRequest {
  Options options;
  Request decided;
};

Result<OwnRequest> own_run(const OwnProgram& program, NamedSettings settings, Job* job,
                           StopFlag stop) {
  LEEWAY_TRY(check_roles(settings, program.role, program.what));
  OwnRequest run;
  LEEWAY_ASSIGN(run.options, options_for("run", settings));
  run.options.engine = program.engine;
  run.options.stop = stop;
  LEEWAY_ASSIGN(run.decided, decide_run(program.like, run.options, job));
  LEEWAY_ASSIGN(run.options, applicable_options(run.options, run.decided));
  return run;
}

}  // namespace

Result<RunOptions> embedded_session(NamedSettings settings, Job* job, StopFlag stop) {
  const OwnProgram program{"sssp", EngineName::Pie, "a PIE program in Python", kOwnPie};
  LEEWAY_ASSIGN(const OwnRequest run, own_run(program, settings, job, stop));
  LEEWAY_ASSIGN(const ProgramCall call, call_of(run.decided, run.options, job));
  return session_options(call.options);
}

Result<EmbeddedTicks> embedded_ticks(NamedSettings settings, Job* job, StopFlag stop) {
  const OwnProgram program{"jacobi", EngineName::Tick, "a tick program in Python", kOwnTick};
  LEEWAY_ASSIGN(const OwnRequest run, own_run(program, settings, job, stop));
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
    if ((each.group & find_command("run")->groups) != 0 && !each.roles.has(kTerminal))
      all.push_back({each.name, each.value, each.fallback, each.help});
  }
  return all;
}

}  // namespace leeway::cli
