// What the rows of Heat and Wave share: both solve a LinearProblem.
#pragma once

#include <span>

#include "base/clock.h"
#include "base/result.h"
#include "programs/catalog/verify.h"
#include "programs/catalog/vertex_run.h"
#include "programs/heat/linear_problem.h"
#include "runtime/cluster/group.h"

namespace leeway {

inline constexpr double kSettlingTolerance = 1e-9;

/// No diagonal entry is zero. Convergence is checked when the program is created.
Status admit_diffusion(const Graph& graph, const ProgramParameters& parameters);
Verified verify_diffusion(const Graph& graph, const ProgramParameters& parameters,
                          const RunOptions& options, const ProgramValues& values);
/// An error for a value that is infinite or NaN.
Status refuse_wild(const VertexNames& names, std::span<const double> values);

template <class P>
Result<ProgramResult> settled(const JobGraph& graph, const ProgramParameters& parameters,
                              const RunOptions& options) {
  const Stopwatch watch;
  LinearProblem problem;
  LEEWAY_TRY(on_rows(graph, options, [&](Group& group, const GraphPart& part) -> Status {
    LEEWAY_ASSIGN(problem, LinearProblem::make(group, part, parameters.cells));
    return {};
  }));
  const double making = watch.elapsed_seconds();
  const double tolerance = parameters.tolerance.value_or(kSettlingTolerance);
  const VertexRecords records{std::span<const CellRow>(problem.rows)};
  LEEWAY_ASSIGN(auto result, run_job(graph.with(records), P(problem, tolerance), options));
  result.record.phases.setup += making;
  if (graph.part == nullptr) {
    LEEWAY_TRY(refuse_wild(graph.whole->names(), result.values));
  } else {
    LEEWAY_TRY(with_group(options.cluster, [&](Group& group) {
      return group.agree(refuse_wild(graph.part->lists.names, result.values));
    }));
  }
  return ProgramResult{{std::move(result.values), Shown::Real}, std::move(result.record)};
}

}  // namespace leeway
