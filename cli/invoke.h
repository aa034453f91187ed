// One call of the command, from the words a user typed to the exit code: what `main` does, for whoever
// calls it from inside a process. Not thread-safe: it sets the process's log level and prints to its
// standard output and error.
#pragma once

#include <span>

namespace leeway::cli {

/// `arguments` without the program's name. An error is printed as a line on standard error.
[[nodiscard]] int invoke(std::span<const char* const> arguments);

}  // namespace leeway::cli
