// What ends the command from outside: SIGINT, SIGTERM and SIGHUP.
#pragma once

namespace leeway::cli {

/// From now on a signal that asks the process to end removes unfinished files, says so in one line on standard
/// error and exits with 128 and the signal's number. Of the processes that mpiexec started the first one speaks. A process
/// of `leeway launch` says nothing and dies by the signal itself: the launcher speaks. Signals that are ignored already (nohup) stay so. Call it once, before any
/// other thread runs.
void handle_end_signals();

}  // namespace leeway::cli
