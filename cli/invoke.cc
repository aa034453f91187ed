#include "leeway/cli/invoke.h"

#include <unistd.h>
#include <cstdio>

#include "leeway/base/format.h"
#include "leeway/cli/command_line.h"
#include "leeway/cli/configuration.h"
#include "leeway/cli/guarded.h"
#include "leeway/cli/manual.h"
#include "leeway/cli/output.h"
#include "leeway/datasets/overwriting.h"

namespace leeway::cli {

namespace {

Result<Invocation> settle_invocation(const CommandLine& line) {
  Invocation invocation;
  invocation.begun = SteadyClock().now();
  invocation.command = line.command;
  invocation.arguments = line.arguments;
  const std::string config = line.config.empty() ? configuration_path_from(::environ) : line.config;
  if (!config.empty()) {
    LEEWAY_TRY(apply_configuration_file(config, line.command->name, invocation.options));
  }
  LEEWAY_TRY(apply_environment(::environ, invocation.options));
  for (const auto& [setting, value] : line.flags) {
    LEEWAY_TRY(apply_setting(*setting, value, format("--{}", setting->name), invocation.options));
  }
  LEEWAY_TRY(settle(invocation.options));
  // What applies to a run depends on more, which it decides by itself.
  if ((line.command->groups & kLoad) != 0 && (line.command->groups & kRun) == 0)
    LEEWAY_TRY(check_applicable(invocation.options, line.command->groups, invocation.argument(0)));
  return invocation;
}

Result<int> run(std::span<const char* const> arguments, CommandBody* body) {
  LEEWAY_ASSIGN(const CommandLine line, parse_command_line(arguments));
  if (line.help || line.version) {
    std::string text = line.version ? format("leeway {}\n", LEEWAY_VERSION) : help_text();
    if (line.command != nullptr) {
      LEEWAY_ASSIGN(text, help_text(*line.command, line.arguments));
    }
    LEEWAY_TRY(print(text));
    return 0;
  }
  if (!line.documents.empty()) {
    LEEWAY_TRY(write_documents(line.documents));
    return 0;
  }
  LEEWAY_ASSIGN(Invocation invocation, settle_invocation(line));
  invocation.words.assign(arguments.begin(), arguments.end());
  set_log_level(invocation.options.log_level);
  if ((line.command->groups & kOutput) != 0)
    protect_files(format("leeway {}", line.command->name), invocation.options.force);
  return (body != nullptr ? body : line.command->run)(invocation);
}

}  // namespace

int invoke(std::span<const char* const> arguments, CommandBody* body) {
  const Result<int> outcome = guarded([&] { return run(arguments, body); });
  if (outcome) return *outcome;
  std::fprintf(stderr, "%s\n", outcome.error().to_string().c_str());
  return outcome.error().exit_code();
}

}  // namespace leeway::cli
