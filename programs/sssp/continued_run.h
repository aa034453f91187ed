// The run of a search that continues from the distances before changes of the graph: shortest paths and breadth-first search.
#pragma once

#include <memory>
#include <utility>

#include "base/clock.h"
#include "programs/catalog/continuation.h"
#include "programs/catalog/pie_run.h"
#include "programs/catalog/program.h"
#include "programs/catalog/vertex_run.h"
#include "programs/sssp/pie_continued.h"

namespace leeway {

/// `parameters.continuation` must be given; `by_weight`: else every arc has length 1. The values are distances.
Result<ProgramResult> run_continued(const JobGraph& graph, const ProgramParameters& parameters,
                                    const RunOptions& options, bool by_weight);

/// The same on fragments, by the PIE program of a run from nothing.
template <class Length, class Show>
Result<ProgramResult> run_continued_fragments(const Graph& graph, const pie::Paths<Length>& paths,
                                              const ProgramParameters& parameters,
                                              const RunOptions& options, const Show& show) {
  const Stopwatch watch;
  LEEWAY_ASSIGN(PathStart start, path_start(graph, *parameters.continuation, parameters.source,
                                            pie::Paths<Length>::kWeighted));
  const double searching = watch.elapsed_seconds();
  const double searched = static_cast<double>(start.searched);
  const pie::ContinuedPaths<Length> program(paths,
                                            std::make_shared<const PathStart>(std::move(start)));
  LEEWAY_ASSIGN(ProgramResult run, answered(graph, program, options, show));
  run.record.phases.setup += searching;
  run.figures.emplace_back("searched vertices", searched);
  return run;
}

}  // namespace leeway
