// What a single thread of tuned code needs for the same answer (COST: McSherry, Isard & Murray, 2015).
#pragma once

#include <cstdint>

#include "leeway/cli/run_report.h"
#include "leeway/programs/vertex/catalog.h"

namespace leeway::cli {

/// Times the baseline of `facts.program` and puts it there.
void time_baseline(const Graph& graph, const ProgramSettings& settings, std::uint32_t iterations,
                   RunFacts& facts);

}  // namespace leeway::cli
