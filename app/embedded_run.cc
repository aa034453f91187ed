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
#include "base/archive.h"
#include "base/bytes.h"
#include "base/format.h"
#include "datasets/byte_stream.h"
#include "programs/catalog/pie_run.h"
#include "runtime/cluster/recovery.h"
#include "runtime/cluster/run_outcome.h"

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

Result<EmbeddedResult> run_here(const EmbeddedCall& call, Job* job, const RunAttempt& attempt) {
  RunOrder order{.program = call.program, .options = {}, .begun = SteadyClock().now()};
  LEEWAY_ASSIGN(order.options, options_for(kRunSettings, call.settings, call.graph != nullptr));
  EmbeddedResult run;
  CommandOptions& options = order.options;
  protect_files(kWriter, options.force);
  LEEWAY_TRY(check_fabric(options.fabric, job));
  attempt.resume_in(options.saving);
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
    options.continuation = call.continuation;
    LEEWAY_TRY(apply_setting(*find_setting("graph"), call.graph_name, "graph", options));
  }
  if (job != nullptr) LEEWAY_TRY(agree_on_settings(order.program, options, *job));
  LEEWAY_ASSIGN(const int code, run_in(order, job));
  run.at_rest = code != kGaveUp;
  return run;
}

/// A result as bytes, for the process that may replace this one.
std::vector<std::byte> archived_result(const EmbeddedResult& run) {
  ByteWriter out;
  const Kept& kept = run.kept;
  save_all(out, run.at_rest, kept.table.numbers, std::uint64_t{kept.table.columns}, kept.report,
           kept.numbers, kept.warnings, kept.first, kept.values.has_value());
  const VertexNames& names = kept.names;
  const auto list = [](const auto& array) { return std::vector(array.begin(), array.end()); };
  save_all(out, names.kind(), names.first(), names.count(), list(names.ids()), list(names.text()),
           list(names.sorted()));
  if (!kept.values) return out.take();
  const ProgramValues& values = *kept.values;
  const auto* const counts = std::get_if<std::vector<std::uint64_t>>(&values.by_vertex);
  save_all(out, values.shown, values.row, values.rows, counts != nullptr);
  std::visit([&](const auto& each) { save_all(out, each); }, values.by_vertex);
  return out.take();
}

Result<VertexNames> read_names(ByteReader& in) {
  NameKind kind = NameKind::Sequence;
  std::uint64_t first = 0;
  std::uint32_t count = 0;
  std::vector<std::uint64_t> ids;
  std::vector<char> text;
  std::vector<VertexId> sorted;
  load_all(in, kind, first, count, ids, text, sorted);
  if (in.failed() || kind == NameKind::Sequence) return VertexNames::sequence(first, count);
  LEEWAY_ASSIGN(auto numbers, Array<std::uint64_t>::copy_of(ids));
  if (kind == NameKind::Numbers) return VertexNames::numbers(std::move(numbers));
  LEEWAY_ASSIGN(auto bytes, Array<char>::copy_of(text));
  LEEWAY_ASSIGN(auto order, Array<VertexId>::copy_of(sorted));
  return VertexNames::strings(std::move(numbers), std::move(bytes), std::move(order));
}

/// The result from bytes of archived_result.
Status load_result(std::span<const std::byte> bytes, const RunOutcome& outcome,
                   EmbeddedResult& run) {
  ByteReader in(bytes);
  Kept& kept = run.kept;
  std::uint64_t columns = 0;
  bool has_values = false;
  bool counts = false;
  load_all(in, run.at_rest, kept.table.numbers, columns, kept.report, kept.numbers, kept.warnings,
           kept.first, has_values);
  kept.table.columns = columns;
  LEEWAY_ASSIGN(kept.names, read_names(in));
  if (has_values && !in.failed()) {
    ProgramValues& values = kept.values.emplace();
    load_all(in, values.shown, values.row, values.rows, counts);
    if (counts) values.by_vertex = std::vector<std::uint64_t>();
    std::visit([&](auto& each) { load_all(in, each); }, values.by_vertex);
  }
  return !in.failed() && in.at_end() ? Status{} : fail(outcome.unreadable());
}

}  // namespace

Result<EmbeddedResult> run_embedded(const EmbeddedCall& call, Job* job) {
  EmbeddedResult run;
  const auto options = options_for(kRunSettings, call.settings, call.graph != nullptr);
  const RunOutcome outcome(job);
  const Status ran = run_recoverably(
      {.job = job,
       .folder = options ? options->saving.folder : std::string(),  // the attempt reports the error
       .attempt = [&](const RunAttempt& attempt) -> Status {
         LEEWAY_ASSIGN(run,
                       guarded_as<EmbeddedResult>([&] { return run_here(call, job, attempt); }));
         return outcome.is_stored() ? outcome.store(archived_result(run)) : Status{};
       },
       .skip = [&]() -> Status {
         LEEWAY_ASSIGN(const auto bytes, outcome.load());
         return load_result(bytes, outcome, run);
       }});
  // A recoverable run ends with this step, and a skipped one has none.
  const bool agrees = job != nullptr && !job->replaces_lost();
  const Status agreed = agrees ? job->agree(ran) : ran;
  if (!agreed) return fail(agreed.error());
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
  for (const Program& each : all_programs()) {
    std::vector<std::string_view> continues;
    for (const EngineRun& run : each.engines) {
      if (run.continues) continues.push_back(engine_info(run.engine).name);
    }
    programs.push_back({each.name, each.summary, each.result, each.on_graph(),
                        each.shown == Shown::Vertex, !each.groups.empty(), std::move(continues),
                        each.known_as});
  }
  return programs;
}

}  // namespace leeway::app
