#include "app/embedded_run.h"

#include <algorithm>
#include <array>

#include "app/applicability.h"
#include "app/engines.h"
#include "app/graph_argument.h"
#include "app/guarded.h"
#include "app/job_agreement.h"
#include "app/own_kind.h"
#include "app/run.h"
#include "app/run_options.h"
#include "app/snapshots.h"
#include "base/format.h"
#include "datasets/byte_stream.h"
#include "programs/catalog/pie_run.h"

namespace leeway::app {

namespace {

/// Recorded as the author of written files.
constexpr const char* kWriter = "leeway in another program";

/// Returns an Input error for a setting without the role `role`. `what`: what the settings belong to.
Status check_roles(NamedSettings settings, SettingRole role, std::string_view what) {
  for (const auto& [name, value] : settings) {
    const Setting* const setting = find_setting(name);
    if (setting != nullptr && setting->roles.has(role)) continue;
    std::vector<std::string_view> valid;
    for (const Setting& each : leeway::app::settings()) {
      if (each.roles.has(role)) valid.push_back(each.name);
    }
    return fail(input_error(name, format("{} has no such setting", what),
                            format("there are {}", fmt::join(valid, ", "))));
  }
  return {};
}

/// The settings of a command.
struct CommandSettings {
  std::string_view name;
  unsigned groups;
};
constexpr CommandSettings kRunSettings{"run", kRunGroups}, kInfoSettings{"info", kInfoGroups},
    kConvertSettings{"convert", kConvertGroups};

std::string nearest_setting(const std::string& name, const CommandSettings& command) {
  std::vector<std::string_view> known;
  for (const Setting& each : settings()) {
    if ((each.group & command.groups) != 0 && !each.roles.has(kTerminal))
      known.push_back(each.name);
  }
  const std::string nearest = did_you_mean(name, known);
  return nearest.starts_with("did you mean") ? nearest : "leeway.settings() lists them all";
}

Status apply(NamedSettings settings, const CommandSettings& command, bool borrowed,
             CommandOptions& options) {
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

Result<CommandOptions> options_for(const CommandSettings& command, NamedSettings settings,
                                   bool borrowed = false) {
  CommandOptions options;
  LEEWAY_TRY(apply(settings, command, borrowed, options));
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

/// Moves the warnings of `options` to `warnings`, on the first process of a job only.
void take_warnings(CommandOptions& options, Job* job, std::vector<std::string>& warnings) {
  if (job == nullptr || job->self() == NodeId(0)) warnings = std::move(options.warnings);
  options.warnings.clear();
}

Result<EmbeddedResult> run_here(const EmbeddedCall& call, Job* job) {
  RunOrder order{.program = call.program, .options = {}, .begun = SteadyClock().now()};
  LEEWAY_ASSIGN(order.options, options_for(kRunSettings, call.settings, call.graph != nullptr));
  EmbeddedResult run;
  CommandOptions& options = order.options;
  protect_files(kWriter, options.force);
  LEEWAY_TRY(check_fabric(options.fabric, job));
  options.kept = &run.kept;
  options.own_part = call.own_part;
  options.stop = call.stop;
  if (!call.graph_name.empty()) {
    LEEWAY_ASSIGN(const Program* const listed, program_called(call.program));
    if (!listed->on_graph()) {
      return fail(input_error(call.program,
                              "the program generates its own scene and takes no graph",
                              "leave the graph out"));
    }
    options.borrowed = call.graph;
    LEEWAY_TRY(apply_setting(*find_setting("graph"), call.graph_name, "graph", options));
  }
  if (job != nullptr) LEEWAY_TRY(agree_on_settings(order.program, options, *job));
  LEEWAY_ASSIGN(const int code, run_in(order, job));
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

Result<Graph> open_embedded(const std::string& name, NamedSettings settings,
                            std::vector<std::string>& warnings) {
  LEEWAY_ASSIGN(CommandOptions options, options_for(kInfoSettings, settings));
  LEEWAY_TRY(decide_reading(kInfoGroups, name, options));
  take_warnings(options, nullptr, warnings);
  return guarded_as<Graph>([&] { return open_graph(name, options); });
}

Status save_embedded(const Graph& graph, const std::string& path, NamedSettings settings) {
  LEEWAY_ASSIGN(CommandOptions options, options_for(kConvertSettings, settings));
  protect_files(kWriter, options.force);
  return save_graph(graph, path, options);
}

Status check_embedded(NamedSettings settings) {
  LEEWAY_TRY(options_for(kRunSettings, settings));
  return {};
}

Result<ClusterOptions> embedded_cluster(std::uint32_t nodes, NamedSettings settings) {
  LEEWAY_TRY(check_roles(settings, kOwnCluster, "a cluster"));
  LEEWAY_ASSIGN(CommandOptions options, options_for(kRunSettings, settings));
  options.nodes = nodes;
  return cluster_of(options, nullptr);
}

namespace {

/// The name of a program of the caller in Python, in its snapshots.
constexpr const char* kPythonProgram = "a program in Python";

Result<OwnRequest> own_run(OwnEngine engine, NamedSettings settings, Job* job, StopFlag stop,
                           std::vector<std::string>& warnings) {
  const OwnKind& kind = kind_of(engine);
  LEEWAY_TRY(check_roles(settings, kind.role, format("{} in Python", kind.what)));
  LEEWAY_ASSIGN(CommandOptions options, options_for(kRunSettings, settings));
  options.stop = stop;
  LEEWAY_ASSIGN(OwnRequest run, own_request(kind, std::move(options), job));
  take_warnings(run.options, job, warnings);
  return run;
}

}  // namespace

Result<RunOptions> embedded_session(NamedSettings settings, Job* job, StopFlag stop,
                                    std::vector<std::string>& warnings) {
  LEEWAY_ASSIGN(const OwnRequest run, own_run(OwnEngine::Pie, settings, job, stop, warnings));
  LEEWAY_ASSIGN(ProgramCall call, call_of(run.decided, run.options, job));
  LEEWAY_ASSIGN(call.options.saving, saving_of(run.options, false));
  call.options.saving.program = kPythonProgram;
  return session_options(call.options);
}

Result<EmbeddedTicks> embedded_ticks(NamedSettings settings, Job* job, StopFlag stop,
                                     std::vector<std::string>& warnings) {
  LEEWAY_ASSIGN(const OwnRequest run, own_run(OwnEngine::Tick, settings, job, stop, warnings));
  EmbeddedTicks embedded;
  LEEWAY_ASSIGN(embedded.cluster, cluster_of(run.options, job));
  embedded.ticks = tick_options(run.options, embedded.cluster);
  LEEWAY_ASSIGN(embedded.ticks.saving, saving_of(run.options, true));
  embedded.ticks.saving.program = kPythonProgram;
  embedded.ticks.threads = 1;  // a Python program takes the interpreter lock for each step
  return embedded;
}

std::vector<EmbeddedProgram> embedded_programs() {
  std::vector<EmbeddedProgram> programs;
  for (const Program& each : all_programs())
    programs.push_back({each.name, each.summary, each.result, each.on_graph(),
                        each.shown == Shown::Vertex, !each.groups.empty(), each.known_as});
  return programs;
}

}  // namespace leeway::app
