// How a row runs a vertex program on a whole graph and on a part, and the times of single-thread baselines.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "leeway/job.h"
#include "programs/catalog/program.h"
#include "runtime/cluster/group.h"
#include "runtime/graph/graph_part.h"
#include "runtime/vertex/vertex_job.h"

namespace leeway {

/// Runs the program that `make` returns; its creation counts as set-up time.
template <class Make>
auto run_made(const JobGraph& graph, const Make& make, const RunOptions& options) {
  const Stopwatch watch;
  const auto program = make();
  const double making = watch.elapsed_seconds();
  auto result = run_job(graph, program, options);
  if (result) result->record.phases.setup += making;
  return result;
}

/// The result of a program whose values are whole numbers.
template <class P>
ProgramResult whole_numbers(JobResult<P> run, Shown shown) {
  std::vector<std::uint64_t> values(run.values.begin(), run.values.end());
  return {{std::move(values), shown}, std::move(run.record), {}};
}

/// The same for a program whose results are whole numbers.
template <class Make>
Result<ProgramResult> counted(const JobGraph& graph, const Make& make, const RunOptions& options,
                              Shown shown) {
  LEEWAY_ASSIGN(auto result, run_made(graph, make, options));
  return whole_numbers(std::move(result), shown);
}

/// The same for a program whose results are real numbers.
template <class Make>
Result<ProgramResult> measured(const JobGraph& graph, const Make& make, const RunOptions& options,
                               Shown shown) {
  LEEWAY_ASSIGN(auto result, run_made(graph, make, options));
  return ProgramResult{{std::move(result.values), shown}, std::move(result.record)};
}

/// The sum of `mine` over all processes that have values: those with parts of the graph, or the one with the results of a whole graph.
Result<double> sum_of_values(const JobGraph& graph, const RunOptions& options, double mine);
/// Adds a figure: the sum_of_values of `mine`.
Result<ProgramResult> with_sum(const JobGraph& graph, const RunOptions& options, ProgramResult run,
                               std::string figure, double mine);
/// Adds the cost of a search on the whole graph before the run: its seconds, and a figure of the vertices that it visited.
[[nodiscard]] ProgramResult after_search(ProgramResult run, double seconds, std::uint64_t searched);
/// The number of a vertex's arcs, or with `by_weight` the sum of their weights.
[[nodiscard]] double row_strength(const GraphPart& part, std::uint32_t place, bool by_weight);
/// The greatest row_strength of all vertices.
Result<double> strongest_row(const JobGraph& graph, const RunOptions& options, bool by_weight);
/// Divides the values by their Euclidean norm over all processes.
Status scale_to_norm_one(const JobGraph& graph, const RunOptions& options,
                         std::vector<double>& values);

/// 0 if a number of iterations is given, which must be exact; else the given tolerance, or `otherwise`.
[[nodiscard]] double tolerance_for(const ProgramParameters& parameters, const RunOptions& options,
                                   double otherwise);
/// The options of a power iteration, which on some graphs comes nearer forever without coming to rest: at most 10,000 iterations.
[[nodiscard]] RunOptions with_limit(const RunOptions& options);

/// Runs a collective step on the part of a graph, or on a whole graph.
Status on_rows(const JobGraph& graph, const RunOptions& options,
               const std::function<Status(Group&, const GraphPart&)>& body);

using RunOnGraph = Result<ProgramResult>(const JobGraph&, const ProgramParameters&,
                                         const RunOptions&);

template <RunOnGraph Run>
Result<ProgramResult> on_whole(const Graph& graph, const ProgramParameters& parameters,
                               const RunOptions& options) {
  return Run(JobGraph(graph), parameters, options);
}
template <RunOnGraph Run>
Result<ProgramResult> on_part(GraphPart& part, const ProgramParameters& parameters,
                              const RunOptions& options) {
  return Run(JobGraph(part), parameters, options);
}

/// The threads of all nodes in this process; 0: the number of cores.
[[nodiscard]] unsigned threads_here(const RunOptions& options);

template <class P, class VertexRecord = void>
ProgramMemory vertex_memory() {
  ProgramMemory memory{.needs = needs_of<P>({}), .value_bytes = sizeof(typename P::Value)};
  if constexpr (!std::is_void_v<VertexRecord>) memory.record_bytes = sizeof(VertexRecord);
  return memory;
}

/// Seconds that `work()` takes (COST: McSherry, Isard & Murray, 2015).
template <class Work>
double time_of(Work&& work) {
  const Stopwatch watch;
  (void)work();
  return watch.elapsed_seconds();
}
/// Single-thread baseline of the searches by weights or arcs.
double time_delta_stepping(const Graph& graph, const ProgramParameters& parameters,
                           std::uint32_t iterations);

}  // namespace leeway
