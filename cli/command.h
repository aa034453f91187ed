// What libraries throw, as errors: nothing of that reaches a user as a crash.
#pragma once

#include <exception>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "cli/options.h"
#include "leeway/result.h"

namespace leeway::cli {

template <class Body>
[[nodiscard]] Result<int> guarded(Body&& body) {
  try {
    return body();
  } catch (const std::bad_alloc&) {
    return fail(environment_error("memory", "the system refused more",
                                  "leeway plan says how much a graph takes"));
  } catch (const std::exception& error) {
    return fail(
        environment_error("leeway", error.what(), "check that the machine has room for it"));
  }
}

// The commands as a table: what each is called, takes and does. Help, man pages, completion and the
// parser all read it, so they cannot disagree.
struct Argument {
  std::string_view name;
  std::string_view help;
  bool optional = false;
  bool many = false;  ///< the last one: takes all that follow, too
};

struct Invocation;

struct Command {
  std::string_view name;
  std::string_view summary;
  std::string_view description;
  std::string_view example;
  unsigned groups;
  std::vector<Argument> arguments;
  /// Gives the process's exit code.
  Result<int> (*run)(const Invocation& invocation);
};

/// One run of one command, everything decided.
struct Invocation {
  const Command* command = nullptr;
  std::vector<std::string> words;  ///< as they were typed, the command's name first
  std::vector<std::string> arguments;
  Options options;
  Instant begun{};  ///< when the command was called
  /// An argument by its place; empty if an optional one was left out.
  [[nodiscard]] std::string argument(std::size_t place) const {
    return place < arguments.size() ? arguments[place] : std::string();
  }
};

/// The exit code of a run that was given up: its results are not those of a run that came to rest.
constexpr int kGaveUp = 5;
/// The exit code of a run whose result is complete, but whose snapshots could not all be written.
constexpr int kSnapshotsLost = 6;

[[nodiscard]] std::span<const Command> commands();
[[nodiscard]] const Command* find_command(std::string_view name);
/// Puts this very program, wherever it was found, before words that begin with one of its commands.
void name_own_program(std::vector<std::string>& words);
[[nodiscard]] std::vector<std::string_view> command_names();
/// Everything that `leeway replay` knows.
[[nodiscard]] std::vector<std::string_view> replay_names();

Result<int> run_run(const Invocation& invocation);
/// The same in a process that has joined its job; null: all nodes live in this process. Only the first node speaks.
Result<int> run_in(const Invocation& invocation, Job* job);
Result<int> run_simulate(const Invocation& invocation);
Result<int> run_info(const Invocation& invocation);
Result<int> run_convert(const Invocation& invocation);
Result<int> run_generate(const Invocation& invocation);
Result<int> run_partition(const Invocation& invocation);
Result<int> run_plan(const Invocation& invocation);
Result<int> run_compare(const Invocation& invocation);
Result<int> run_replay(const Invocation& invocation);
Result<int> run_launch(const Invocation& invocation);
Result<int> run_snapshot(const Invocation& invocation);
Result<int> run_supervise(const Invocation& invocation);
Result<int> run_doctor(const Invocation& invocation);
Result<int> run_programs(const Invocation& invocation);

// Settings that do not come from flags: a TOML file's, then the environment's, which stand above it.
// Both are read whole and strictly: an unknown key or a value that makes no sense is an Input error that
// says where and names the nearest valid one.

/// Applies "key = value" lines, named as the flags are. A table [COMMAND] holds what is meant for that
/// command alone and is checked but not applied for another. What stands in no table speaks to every command,
/// and is passed over where it does not apply.
Status apply_configuration_file(const std::string& path, std::string_view command,
                                Options& options);
/// The same from text; `name` is what errors call it.
Status apply_configuration(std::string_view text, const std::string& name, std::string_view command,
                           Options& options);

/// Applies LEEWAY_NAME variables of `environment` (as ::environ): LEEWAY_LOG_LEVEL is --log-level.
Status apply_environment(const char* const* environment, Options& options);
/// The configuration file the environment names; empty if none.
std::string configuration_path_from(const char* const* environment);

// The command line as a user typed it: which command, its arguments, its flags in order. Nothing is
// interpreted here but the shape; an unknown command or flag is an Input error naming the nearest.
struct CommandLine {
  const Command* command = nullptr;
  std::vector<std::string> arguments;
  std::vector<std::pair<const Setting*, std::string>> flags;
  std::string config;     ///< --config FILE
  std::string documents;  ///< --generate-documents FOLDER, for the build
  bool help = false;
  bool version = false;
};

Result<CommandLine> parse_command_line(std::span<const char* const> arguments);

// One call of the command, from the words a user typed to the exit code: what `main` does, for whoever
// calls it from inside a process. Not thread-safe: it sets the process's log level and prints to its
// standard output and error.
struct Invocation;
/// Carries out what was decided; gives the process's exit code.
using CommandBody = Result<int>(const Invocation& invocation);

/// `arguments` without the program's name. An error is printed as a line on standard error. `body`: instead of the
/// command's own, for a program that is one command; null: none.
[[nodiscard]] int invoke(std::span<const char* const> arguments, CommandBody* body = nullptr);

}  // namespace leeway::cli
