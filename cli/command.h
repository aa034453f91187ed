// The commands as a table: what each is called, takes and does. Help, man pages, completion and the
// parser all read it, so they cannot disagree.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "leeway/base/clock.h"
#include "leeway/base/result.h"
#include "leeway/cli/options.h"

namespace leeway::cli {

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

}  // namespace leeway::cli
