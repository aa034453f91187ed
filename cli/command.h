// The command line of `leeway`: the table of commands, the parser of command lines, configuration files and
// environment variables, and `invoke`, which executes one command from its words to its exit code. Not thread-safe.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/guarded.h"
#include "app/options.h"
#include "base/clock.h"
#include "base/result.h"

namespace leeway::cli {

using namespace app;

// The table of commands. Help, man pages, completion and the parser read it, so they cannot disagree.
struct Argument {
  std::string_view name;
  std::string_view help;
  bool optional = false;
  bool many = false;  ///< last argument only: takes all remaining words
};

struct Invocation;

struct Command {
  std::string_view name;
  std::string_view summary;
  std::string description;
  std::string_view example;
  unsigned groups;
  std::vector<Argument> arguments;
  /// Returns the exit code of the process.
  Result<int> (*run)(const Invocation& invocation);
  std::string_view own =
      {};  ///< name of a program of the caller that takes this command's settings
};

/// One invocation of a command, with all settings resolved.
struct Invocation {
  const Command* command = nullptr;
  std::vector<std::string> words;  ///< as typed, starting with the command's name
  std::vector<std::string> arguments;
  CommandOptions options;
  Instant begun{};  ///< when the command started
  /// The argument at position `place`; empty if it was omitted.
  [[nodiscard]] std::string argument(std::size_t place) const {
    return place < arguments.size() ? arguments[place] : std::string();
  }
};

[[nodiscard]] std::span<const Command> commands();
[[nodiscard]] const Command* find_command(std::string_view name);
/// If the first word is one of leeway's commands, inserts the path of this executable before it.
void name_own_program(std::vector<std::string>& words);
[[nodiscard]] std::vector<std::string_view> command_names();
/// The names of all figures and groups of figures.
[[nodiscard]] std::vector<std::string_view> replay_names();
/// The figures of each group: "aspire: table3, fig6. tick: tick-fig1."
[[nodiscard]] std::string replay_groups();

Result<int> run_run(const Invocation& invocation);
Result<int> run_simulate(const Invocation& invocation);
Result<int> run_info(const Invocation& invocation);
Result<int> run_convert(const Invocation& invocation);
Result<int> run_generate(const Invocation& invocation);
Result<int> run_partition(const Invocation& invocation);
Result<int> run_plan(const Invocation& invocation);
Result<int> run_check(const Invocation& invocation);
Result<int> run_compare(const Invocation& invocation);
Result<int> run_replay(const Invocation& invocation);
Result<int> run_launch(const Invocation& invocation);
Result<int> run_snapshot(const Invocation& invocation);
Result<int> run_supervise(const Invocation& invocation);
Result<int> run_doctor(const Invocation& invocation);
Result<int> run_programs(const Invocation& invocation);
Result<int> run_modes(const Invocation& invocation);

// Settings from a TOML file and from environment variables; the environment overrides the file. Both are checked
// completely: an unknown key or an invalid value is an Input error that states the location and the nearest valid
// name.

/// Applies "key = value" lines whose keys are flag names. A table [COMMAND] applies to that command only; for other
/// commands it is checked and ignored. A key outside all tables is shared by all commands and is ignored where it
/// does not apply. `name` is used in error messages.
Status apply_configuration(std::string_view text, const std::string& name, std::string_view command,
                           CommandOptions& options);

/// Executes an invocation and returns the exit code of the process.
using CommandBody = Result<int>(const Invocation& invocation);

struct OwnInvocation {
  Invocation invocation;
  bool help = false;  ///< --help was given; `invocation` is then not set
};

/// Reads the settings of a program of the caller from `words`, the environment and a TOML file.
Result<OwnInvocation> read_own(const Command& command, std::span<const char* const> words);

/// Executes one command: parses `arguments` (without the program's name), resolves its settings and runs it. Errors
/// are printed to standard error. `body` replaces the command's own function; null: none. Not thread-safe: sets the
/// process's log level and prints to its standard output and error.
[[nodiscard]] int invoke(std::span<const char* const> arguments, CommandBody* body = nullptr);

}  // namespace leeway::cli
