// The runs of the programs that add up distances from sources: closeness and harmonic centrality.
#pragma once

#include <string>

#include "programs/catalog/program.h"
#include "programs/catalog/vertex_run.h"
#include "programs/closeness/vertex.h"

namespace leeway {

/// Closeness as NetworkX: the reciprocal of the mean distance from the vertices that reach this one, times their share of all.
/// Harmonic: the sum of reciprocal distances. Of a sample of sources: an unbiased estimate of both sums (Eppstein & Wang, 2004).
template <DistanceTerm kTerm>
Result<ProgramResult> run_distance_sums(const JobGraph& graph, const ProgramParameters& parameters,
                                        const RunOptions& options);
/// Compares with the oracle, which begins at the same sources.
template <DistanceTerm kTerm>
Result<std::string> verify_distance_sums(const Graph& graph, const ProgramParameters& parameters,
                                         const RunOptions& options, const ProgramValues& values);

}  // namespace leeway
