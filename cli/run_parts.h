// `leeway run` of a vertex program where each process holds a part of the graph and none holds it whole.
#pragma once

#include "cli/command.h"
#include "cli/output.h"
#include "cli/run.h"
#include "leeway/result.h"

namespace leeway::cli {

/// Loads, runs and tells. Requires a program that can be run so, and a job of several processes. Only the first speaks.
/// Collective.
Result<int> run_on_parts(const Invocation& invocation, const DecidedRun& decided, Plan plan,
                         RunOutputs& outputs);

}  // namespace leeway::cli
