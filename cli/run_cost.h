// What a single thread of tuned code needs for the same answer (COST: McSherry, Isard & Murray, 2015).
#pragma once

#include <cstdint>

#include "leeway/cli/vertex_report.h"
#include "leeway/programs/vertex/catalog.h"

namespace leeway::cli {

/// Times the baseline of `program`, if there is one, and puts it into `figures`.
void time_baseline(std::string_view program, const Graph& graph, const ProgramSettings& settings,
                   std::uint32_t iterations, RunFigures& figures);

}  // namespace leeway::cli
