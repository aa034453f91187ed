// What a program's input must be, checked before any work starts; every refusal comes with a remedy.
#pragma once

#include "leeway/base/result.h"
#include "leeway/datasets/graph.h"
#include "leeway/datasets/graph_totals.h"
#include "leeway/runtime/parts/graph_part.h"

namespace leeway {

struct ProgramSettings;

/// The source is a vertex of the graph.
Status admit_source(const GraphTotals& graph, const ProgramSettings& settings);
Status admit_source(const Graph& graph, const ProgramSettings& settings);
/// And every weight is a number of at least 0.
Status admit_sssp(const Graph& graph, const ProgramSettings& settings);
/// No arc of a part is negative.
Status admit_weights(const GraphPart& part);
/// The equation has a diagonal. Whether it settles, the run itself finds out.
Status admit_diffusion(const Graph& graph, const ProgramSettings& settings);

}  // namespace leeway
