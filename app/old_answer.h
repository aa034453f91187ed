// The values that a run continues from after changes of its graph: those of --from.
#pragma once

#include <vector>

#include "app/run_options.h"
#include "base/result.h"
#include "datasets/graph.h"

namespace leeway::app {

/// By vertex of the graph before the changes (Continuation::old), in every process. A run that was interrupted is resumed and ends
/// first.
Result<std::vector<double>> old_answer(const CommandOptions& options, const Request& decided,
                                       const ProgramCall& call, const Graph& before);

}  // namespace leeway::app
