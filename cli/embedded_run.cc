#include "cli/embedded_run.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>

#include "base/format.h"
#include "cli/applicability.h"
#include "cli/command.h"
#include "cli/documents.h"
#include "cli/graph_argument.h"
#include "cli/job_agreement.h"
#include "cli/program_list.h"
#include "cli/run.h"
#include "cli/snapshots.h"
#include "datasets/byte_stream.h"
#include "leeway/settings.h"
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

Status apply(NamedSettings settings, const Command& command, bool borrowed,
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

Result<CommandOptions> options_for(std::string_view command, NamedSettings settings,
                                   bool borrowed = false) {
  CommandOptions options;
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

/// Moves the warnings of `options` to `warnings`, on the first process of a job only.
void take_warnings(CommandOptions& options, Job* job, std::vector<std::string>& warnings) {
  if (job == nullptr || job->self() == NodeId(0)) warnings = std::move(options.warnings);
  options.warnings.clear();
}

Result<EmbeddedResult> run_here(const EmbeddedCall& call, Job* job) {
  Invocation invocation;
  invocation.begun = SteadyClock().now();
  invocation.command = find_command("run");
  invocation.arguments = {call.program};
  LEEWAY_ASSIGN(invocation.options, options_for("run", call.settings, call.graph != nullptr));
  EmbeddedResult run;
  CommandOptions& options = invocation.options;
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
    LEEWAY_TRY(apply_setting(*find_setting("graph"), call.graph_name, "graph", options));
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

Result<Graph> open_embedded(const std::string& name, NamedSettings settings,
                            std::vector<std::string>& warnings) {
  LEEWAY_ASSIGN(CommandOptions options, options_for("info", settings));
  LEEWAY_TRY(decide_reading(find_command("info")->groups, name, options));
  take_warnings(options, nullptr, warnings);
  return guarded_as<Graph>([&] { return open_graph(name, options); });
}

Status save_embedded(const Graph& graph, const std::string& path, NamedSettings settings) {
  LEEWAY_ASSIGN(CommandOptions options, options_for("convert", settings));
  protect_files(kWriter, options.force);
  return save_graph(graph, path, options);
}

Status check_embedded(NamedSettings settings) {
  LEEWAY_TRY(options_for("run", settings));
  return {};
}

Result<ClusterOptions> embedded_cluster(std::uint32_t nodes, NamedSettings settings) {
  LEEWAY_TRY(check_roles(settings, kOwnCluster, "a cluster"));
  LEEWAY_ASSIGN(CommandOptions options, options_for("run", settings));
  options.nodes = nodes;
  return cluster_of(options, nullptr);
}

namespace {

/// A kind of programs of the caller. They accept the settings with the role `role`; their applicability is that of the
/// shipped program `like`.
struct OwnKind {
  OwnEngine engine;
  std::string_view like;
  EngineName runs_on;
  SettingRole role;
  std::string_view what;
};

constexpr std::array<OwnKind, 5> kOwnKinds = {{
    {OwnEngine::Memory, "sssp", EngineName::Vertex, kOwnCluster, "a program on the shared memory"},
    {OwnEngine::Vertex, "sssp", EngineName::Vertex, kOwnVertex, "a vertex program"},
    {OwnEngine::Pie, "sssp", EngineName::Pie, kOwnPie, "a PIE program"},
    {OwnEngine::Tick, "jacobi", EngineName::Tick, kOwnTick, "a tick program"},
    {OwnEngine::Piece, "jacobi", EngineName::Piece, kOwnPiece, "a piece program"},
}};

const OwnKind& kind_of(OwnEngine engine) { return kOwnKinds[static_cast<std::size_t>(engine)]; }

struct OwnRequest {
  CommandOptions options;
  Request decided;
};

/// Decides the run of a program of the caller, whose settings are `options`.
Result<OwnRequest> own_request(const OwnKind& kind, CommandOptions options, Job* job) {
  OwnRequest run;
  run.options = std::move(options);
  LEEWAY_TRY(apply_setting(*find_setting("engine"), engine_info(kind.runs_on).name, "engine",
                           run.options));
  LEEWAY_ASSIGN(run.decided, decide_run(kind.like, run.options, job, true));
  return run;
}

/// The name of a program of the caller in Python, in its snapshots.
constexpr const char* kPythonProgram = "a program in Python";

Result<OwnRequest> own_run(OwnEngine engine, NamedSettings settings, Job* job, StopFlag stop,
                           std::vector<std::string>& warnings) {
  const OwnKind& kind = kind_of(engine);
  LEEWAY_TRY(check_roles(settings, kind.role, format("{} in Python", kind.what)));
  LEEWAY_ASSIGN(CommandOptions options, options_for("run", settings));
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

namespace {

/// True for settings that every program of the caller takes: of messages, and of reading graphs.
bool is_general(const Setting& setting) {
  return (setting.group & kCommon) != 0 || setting.roles.has(kReads);
}

/// True for settings of the caller's programs of some kind that may be ignored by the others.
bool may_be_idle(const Setting& setting) {
  return !setting.roles.has(kMustApply) &&
         std::any_of(kOwnKinds.begin(), kOwnKinds.end(),
                     [&](const OwnKind& kind) { return setting.roles.has(kind.role); });
}

/// Drops given settings that this kind of program does not take. Those of the other kinds cause a warning, as settings
/// without effect do in a run of the command; those that all commands share do not. Others are refused.
Status take_own(const OwnKind& kind, CommandOptions& options) {
  std::vector<GivenSetting> taken;
  std::vector<std::string> warnings;
  for (const GivenSetting& given : options.given) {
    if (given.setting->roles.has(kind.role) || is_general(*given.setting)) {
      taken.push_back(given);
    } else if (!given.shared) {
      const bool idle = may_be_idle(*given.setting);
      if (!idle || options.strict) {
        return fail(input_error(given.where,
                                idle ? format("has no effect here: {} does not use it", kind.what)
                                     : format("{} has no such setting", kind.what),
                                "--help lists its settings"));
      }
      warnings.push_back(
          format("{}: has no effect here: {} does not use it", given.where, kind.what));
    }
  }
  LEEWAY_ASSIGN(options, with_settings(options, taken));
  options.warnings.insert(options.warnings.end(), warnings.begin(), warnings.end());
  return {};
}

std::string own_help(const std::string& name, const OwnKind& kind) {
  std::string text = format("usage: {} [ARGUMENT...] [FLAG...]\n\nflags of {}:\n", name, kind.what);
  for (const Setting& setting : settings())
    if (setting.roles.has(kind.role)) text += setting_line(setting, "run");
  text += "\nflags of every program:\n";
  const bool on_graphs = kind.engine == OwnEngine::Vertex || kind.engine == OwnEngine::Pie;
  for (const Setting& setting : settings()) {
    const bool reads = setting.roles.has(kReads) && (setting.group & kCommon) == 0;
    if (!setting.roles.has(kind.role) && is_general(setting) && (on_graphs || !reads))
      text += setting_line(setting, "run");
  }
  return text + common_lines();
}

/// The job that a launcher has started, unless the user asks for nodes within this process.
Result<Job*> job_for(const CommandOptions& options) {
  if (options.fabric == Fabric::Loopback || options.fabric == Fabric::Sim) return nullptr;
  LEEWAY_ASSIGN(Job* const job, own_job());
  LEEWAY_TRY(check_fabric(options.fabric, job));
  return job;
}

}  // namespace

}  // namespace leeway::cli

namespace leeway {

void exit_with(const Error& error) {
  const Result<Job*> job = own_job();
  Job* const joined = job ? *job : nullptr;
  Error shown = error;
  if (joined != nullptr) {
    if (Status agreed = joined->agree(fail(error)); !agreed) shown = std::move(agreed).error();
  }
  if (joined == nullptr || cli::prints(shown, *joined))
    std::fprintf(stderr, "%s\n", shown.to_string().c_str());
  std::exit(shown.exit_code());
}

Result<Options> Options::read(const std::string& name, std::span<const char* const> words,
                              OwnEngine engine) {
  using namespace cli;
  const OwnKind& kind = kind_of(engine);
  Command command = *find_command("run");
  command.arguments = {{.name = "ARGUMENT", .optional = true, .many = true}};
  command.own = name;
  const Result<OwnInvocation> found = read_own(command, words);
  Options options;
  if (found && found->help) {
    options.help = true;
    LEEWAY_TRY(print(own_help(name, kind)));
    return options;
  }
  CommandOptions given = found ? found->invocation.options : CommandOptions();
  Status read = found ? take_own(kind, given) : fail(found.error());
  LEEWAY_ASSIGN(Job* const job, job_for(given));
  if (job != nullptr) {
    LEEWAY_TRY(job->agree(std::move(read)));
    LEEWAY_TRY(agree_on_settings(found->invocation, *job));
  } else {
    LEEWAY_TRY(std::move(read));
  }
  set_log_level(given.log_level);
  LEEWAY_ASSIGN(OwnRequest run, own_request(kind, std::move(given), job));
  if (job == nullptr || job->self() == NodeId(0)) report_warnings(run.options);
  const bool by_rounds = kind.runs_on == EngineName::Vertex || kind.runs_on == EngineName::Pie;
  if (by_rounds) {
    LEEWAY_ASSIGN(const ProgramCall call, call_of(run.decided, run.options, job));
    static_cast<RunOptions&>(options) = call.options;
  } else {
    LEEWAY_ASSIGN(options.cluster, cluster_of(run.options, job));
  }
  options.tick = tick_options(run.options, options.cluster);
  options.piece = piece_options(run.options, options.cluster);
  LEEWAY_ASSIGN(options.saving, saving_of(run.options, !by_rounds));
  options.saving.program = name;
  options.saving.requests = watch_requests(run.options);
  options.saving.graph = format("{}", fmt::join(found->invocation.arguments, " "));
  options.tick.saving = options.piece.saving = options.saving;
  options.load = run.options.load;
  options.arguments = found->invocation.arguments;
  options.first = job == nullptr || job->self() == NodeId(0);
  return options;
}

Options::Options(int argc, char** argv, OwnEngine engine) {
  const std::string path = argc > 0 ? argv[0] : "program";
  const std::vector<const char*> words(argv + std::min(argc, 1), argv + argc);
  Result<Options> read = Options::read(path.substr(path.rfind('/') + 1), words, engine);
  if (!read) exit_with(read.error());
  if (read->help) std::exit(0);
  *this = std::move(*read);
}

}  // namespace leeway

namespace leeway::cli {

std::vector<EmbeddedProgram> embedded_programs() {
  std::vector<EmbeddedProgram> programs;
  for (const ListedProgram& each : program_list())
    programs.push_back({each.info->name, each.info->summary, each.info->result, each.graph});
  return programs;
}

std::vector<EmbeddedSetting> embedded_settings() {
  std::vector<EmbeddedSetting> all;
  for (const Setting& each : settings()) {
    if ((each.group & find_command("run")->groups) == 0 || each.roles.has(kTerminal)) continue;
    EmbeddedSetting& one = all.emplace_back();
    one = {.name = each.name,
           .value = each.value,
           .fallback = part_for(each.fallback, "run"),
           .help = part_for(each.help, "run")};
    one.usual = each.roles.has(kUsual);
    for (const ListedProgram& program : program_list()) {
      if (may_apply(each, program)) one.programs.push_back(program.info->name);
      if (names_program(each, program)) one.own_of.push_back(program.info->name);
    }
  }
  return all;
}

}  // namespace leeway::cli
