#include "programs/catalog/vertex_run.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/parallel.h"
#include "programs/reference/kernels.h"

namespace leeway {

Status on_rows(const JobGraph& graph, const RunOptions& options,
               const std::function<Status(Group&, const GraphPart&)>& body) {
  if (graph.part == nullptr) return with_whole(*graph.whole, body);
  return with_group(options.cluster, [&](Group& group) { return body(group, *graph.part); });
}

Result<double> sum_of_values(const JobGraph& graph, const RunOptions& options, double mine) {
  if (graph.part == nullptr) return mine;
  return sum_of_parts(options.cluster, mine);
}

Result<ProgramResult> with_sum(const JobGraph& graph, const RunOptions& options, ProgramResult run,
                               std::string figure, double mine) {
  LEEWAY_ASSIGN(const double sum, sum_of_values(graph, options, mine));
  run.figures.emplace_back(std::move(figure), sum);
  return run;
}

ProgramResult after_search(ProgramResult run, double seconds, std::uint64_t searched) {
  run.record.phases.setup += seconds;
  run.figures.emplace_back("searched vertices", static_cast<double>(searched));
  return run;
}

double tolerance_for(const ProgramParameters& parameters, const RunOptions& options,
                     double otherwise) {
  return options.vertex.iterations ? 0 : parameters.tolerance.value_or(otherwise);
}

RunOptions with_limit(const RunOptions& options) {
  constexpr std::uint32_t kMostIterations = 10'000;
  RunOptions limited = options;
  if (!limited.vertex.most_iterations) limited.vertex.most_iterations = kMostIterations;
  return limited;
}

unsigned threads_here(const RunOptions& options) {
  const unsigned each = options.vertex.threads;
  if (each == 0 || options.cluster.job != nullptr) return each;
  return std::min(thread_count(0), each * options.cluster.nodes);
}

double row_strength(const GraphPart& part, std::uint32_t place, bool by_weight) {
  if (!by_weight) return static_cast<double>(part.degree(place));
  const auto weights =
      part.lists.weights.span().subspan(part.lists.offsets[place], part.degree(place));
  return std::accumulate(weights.begin(), weights.end(), 0.0);
}

Result<double> strongest_row(const JobGraph& graph, const RunOptions& options, bool by_weight) {
  double strongest = 0;
  LEEWAY_TRY(on_rows(graph, options, [&](Group& group, const GraphPart& part) -> Status {
    double most = 0;
    for (std::uint32_t v = 0; v < part.size(); ++v)
      most = std::max(most, row_strength(part, v, by_weight));
    for (const double each : group.share(most)) strongest = std::max(strongest, each);
    return {};
  }));
  return strongest;
}

Status scale_to_norm_one(const JobGraph& graph, const RunOptions& options,
                         std::vector<double>& values) {
  LEEWAY_ASSIGN(const double squares, sum_of_values(graph, options,
                                                    std::inner_product(values.begin(), values.end(),
                                                                       values.begin(), 0.0)));
  if (squares > 0) {
    for (double& value : values) value /= std::sqrt(squares);
  }
  return {};
}

double time_delta_stepping(const Graph& graph, const ProgramParameters& parameters, std::uint32_t) {
  const reference::DeltaStepping kernel(graph);
  return time_of([&] { return kernel.run(parameters.source); });
}

}  // namespace leeway
