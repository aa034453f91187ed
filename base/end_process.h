// The way out of a process that cannot go on, from whichever thread finds it out.
#pragma once

#include "leeway/base/error.h"

namespace leeway {

/// Says the error as the last line, removes what files are unfinished, and ends with the error's exit code. Runs no
/// destructors: other threads may be anywhere. Thread-safe.
[[noreturn]] void end_process(const Error& error);

}  // namespace leeway
