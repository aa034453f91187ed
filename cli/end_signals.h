// What ends the command from outside: SIGINT, SIGTERM and SIGHUP.
#pragma once

namespace leeway::cli {

/// From now on a signal that asks the process to end removes unfinished files, says so in one line on standard
/// error and exits with 128 and the signal's number. Under mpiexec only rank 0 prints the line. A process of `leeway launch`
/// prints nothing and dies by the signal itself, because the launcher prints the reason. Signals that are ignored already
/// (nohup) stay ignored. Call it once, before any
/// other thread runs.
void handle_end_signals();

}  // namespace leeway::cli
