// The options of a program of the caller, from its command line (leeway/settings.h).
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "app/applicability.h"
#include "app/job_agreement.h"
#include "app/own_kind.h"
#include "app/run.h"
#include "app/run_options.h"
#include "app/snapshots.h"
#include "base/format.h"
#include "cli/command.h"
#include "cli/documents.h"
#include "leeway/settings.h"

namespace leeway::cli {

namespace {

/// True for settings that every program of the caller takes: of messages, and of reading graphs.
bool is_general(const Setting& setting) {
  return (setting.group & kCommon) != 0 || setting.roles.has(kReads);
}

/// True for settings of the caller's programs of some kind that may be ignored by the others.
bool may_be_idle(const Setting& setting) {
  return !setting.roles.has(kMustApply) &&
         std::any_of(own_kinds().begin(), own_kinds().end(),
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
  if (joined == nullptr || app::prints(shown, *joined))
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
    LEEWAY_TRY(agree_on_settings(found->invocation.argument(0), found->invocation.options, *job));
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
