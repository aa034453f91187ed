// One call of the command, from the words a user typed to the exit code: what `main` does, for whoever
// calls it from inside a process. Not thread-safe: it sets the process's log level and prints to its
// standard output and error.
#pragma once

#include <span>

#include "leeway/base/result.h"

namespace leeway::cli {

struct Invocation;
/// Carries out what was decided; gives the process's exit code.
using CommandBody = Result<int>(const Invocation& invocation);

/// `arguments` without the program's name. An error is printed as a line on standard error. `body`: instead of the
/// command's own, for a program that is one command; null: none.
[[nodiscard]] int invoke(std::span<const char* const> arguments, CommandBody* body = nullptr);

}  // namespace leeway::cli
