#include "programs/sssp/continued_run.h"

#include <span>
#include <vector>

#include "base/parallel.h"
#include "programs/sssp/continued.h"
#include "programs/sssp/path_start.h"
#include "programs/sssp/vertex.h"

namespace leeway {

Result<ProgramResult> run_continued(const JobGraph& graph, const ProgramParameters& parameters,
                                    const RunOptions& options, bool by_weight) {
  LEEWAY_ASSIGN(const std::vector<OldDistance> rows,
                old_distances(*parameters.continuation, parameters.source, by_weight));
  const VertexRecords records{std::span<const OldDistance>(rows)};
  const JobGraph continued = graph.with(records);
  // A bounded cache evicts by the order of sweeps.
  const bool lists = works_by_list(options.vertex) && !options.vertex.cache.any();
  const double width = by_weight ? search_width(graph.totals(), sum_of(graph.whole->weights())) : 1;
  if (by_weight) {
    return measured(
        continued, [&] { return ContinuedDistances<true>(parameters.source, lists, width); },
        options, Shown::Distance);
  }
  return measured(
      continued, [&] { return ContinuedDistances<false>(parameters.source, lists, width); },
      options, Shown::Distance);
}

}  // namespace leeway
