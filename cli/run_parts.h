// `leeway run` of a vertex program where each process holds a part of the graph and none holds it whole.
#pragma once

#include "leeway/base/result.h"
#include "leeway/cli/invoke.h"
#include "leeway/cli/run_outputs.h"
#include "leeway/cli/run_plan.h"

namespace leeway::cli {

/// Loads, runs and tells. Requires a program that can be run so, and a job of several processes. Only the first speaks.
/// Collective.
Result<int> run_on_parts(const Invocation& invocation, const DecidedRun& decided, Plan plan,
                         RunOutputs& outputs);

}  // namespace leeway::cli
