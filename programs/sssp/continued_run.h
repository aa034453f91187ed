// The run of a search that continues from the distances before changes of the graph: shortest paths and breadth-first search.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <utility>

#include "base/clock.h"
#include "programs/catalog/continuation.h"
#include "programs/catalog/pie_run.h"
#include "programs/catalog/program.h"
#include "programs/catalog/vertex_run.h"
#include "programs/sssp/path_start.h"
#include "programs/sssp/pie.h"

namespace leeway::pie {

/// Paths on the PIE engine: PEval begins with the old distances that still hold, at the vertices that may shorten others; IncEval is that
/// of Paths.
template <class Length>
class ContinuedPaths : public Paths<Length> {
 public:
  using Partial = typename Paths<Length>::Partial;

  ContinuedPaths(const Paths<Length>& paths, std::shared_ptr<const PathStart> start)
      : Paths<Length>(paths), start_(std::move(start)) {}

  Work peval(const Fragment& fragment, Partial& partial, Changes& changes) const {
    partial.length.resize(fragment.vertex_count());
    partial.queue = this->empty_queue();
    for (Place p = 0; p < fragment.vertex_count(); ++p) {
      const std::size_t v = fragment.vertex(p).index();
      const double distance = start_->distance[v];
      const bool reached = distance < std::numeric_limits<double>::infinity();
      partial.length[p] = reached ? static_cast<Length>(distance) : Paths<Length>::kFar;
      if (start_->offers[v] != 0 && p < fragment.listed_count())
        this->put(partial.queue, p, partial.length[p]);
    }
    return this->settle(fragment, partial, changes);
  }

 private:
  std::shared_ptr<const PathStart> start_;
};

}  // namespace leeway::pie

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
  const std::uint64_t searched = start.searched;
  const pie::ContinuedPaths<Length> program(paths,
                                            std::make_shared<const PathStart>(std::move(start)));
  LEEWAY_ASSIGN(ProgramResult run, answered(graph, program, options, show));
  return after_search(std::move(run), searching, searched);
}

}  // namespace leeway
