// `leeway run` of a vertex program on a distributed graph: each process of a job holds a part, and none holds the
// whole graph.
#pragma once

#include "cli/command.h"
#include "cli/output.h"
#include "cli/run.h"
#include "leeway/result.h"

namespace leeway::cli {

/// Loads the graph, runs the program and writes its outputs. Requires a program with `run_part` and a job of several
/// processes. Only process 0 prints. Collective.
Result<int> run_on_parts(const Invocation& invocation, const Request& decided, ProgramCall call,
                         Outputs& outputs);

}  // namespace leeway::cli
