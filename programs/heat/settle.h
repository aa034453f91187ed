// What the rows of Heat and Wave share: both solve a LinearProblem.
#pragma once

#include <span>
#include <utility>

#include "base/clock.h"
#include "base/result.h"
#include "programs/catalog/continuation.h"
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

/// The old values in place of the initial ones; the cells whose rows have changed start.
void continue_in(LinearProblem& problem, const Continuation& from);

template <class P>
Result<JobResult<P>> run_cells(const JobGraph& graph, const LinearProblem& problem,
                               double tolerance, bool continues, const RunOptions& options) {
  if constexpr (requires(const P program) { program.cells(); }) {
    if (continues) {
      LEEWAY_ASSIGN(auto result, run_job(graph, Continued<P>(problem, tolerance), options));
      return JobResult<P>{std::move(result.values), std::move(result.record)};
    }
  }
  return run_job(graph, P(problem, tolerance), options);
}

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
  if (parameters.continuation) continue_in(problem, *parameters.continuation);
  const VertexRecords records{std::span<const CellRow>(problem.rows)};
  LEEWAY_ASSIGN(JobResult<P> result, run_cells<P>(graph.with(records), problem, tolerance,
                                                  parameters.continuation != nullptr, options));
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
