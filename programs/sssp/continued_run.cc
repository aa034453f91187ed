#include "programs/sssp/continued_run.h"

#include <span>
#include <vector>

#include "programs/sssp/continued.h"
#include "programs/sssp/path_start.h"

namespace leeway {

Result<ProgramResult> run_continued(const JobGraph& graph, const ProgramParameters& parameters,
                                    const RunOptions& options, bool by_weight) {
  LEEWAY_ASSIGN(const std::vector<OldDistance> rows,
                old_distances(*parameters.continuation, parameters.source, by_weight));
  const VertexRecords records{std::span<const OldDistance>(rows)};
  const JobGraph continued = graph.with(records);
  if (by_weight) {
    return measured(
        continued, [&] { return ContinuedDistances<true>(parameters.source); }, options,
        Shown::Distance);
  }
  return measured(
      continued, [&] { return ContinuedDistances<false>(parameters.source); }, options,
      Shown::Distance);
}

}  // namespace leeway
