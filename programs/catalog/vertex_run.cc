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

Result<ProgramResult> with_sum(const JobGraph& graph, const RunOptions& options, ProgramResult run,
                               std::string figure, double mine) {
  if (graph.part != nullptr) {
    LEEWAY_ASSIGN(mine, sum_of_parts(options.cluster, mine));
  }
  run.figures.emplace_back(std::move(figure), mine);
  return run;
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

Result<double> strongest_row(const JobGraph& graph, const RunOptions& options, bool by_weight) {
  double strongest = 0;
  LEEWAY_TRY(on_rows(graph, options, [&](Group& group, const GraphPart& part) -> Status {
    double most = 0;
    for (std::uint32_t v = 0; v < part.size(); ++v) {
      double strength = static_cast<double>(part.degree(v));
      if (by_weight) {
        const auto weights =
            part.lists.weights.span().subspan(part.lists.offsets[v], part.degree(v));
        strength = std::accumulate(weights.begin(), weights.end(), 0.0);
      }
      most = std::max(most, strength);
    }
    for (const double each : group.share(most)) strongest = std::max(strongest, each);
    return {};
  }));
  return strongest;
}

Status scale_to_norm_one(const JobGraph& graph, const RunOptions& options,
                         std::vector<double>& values) {
  double squares = std::inner_product(values.begin(), values.end(), values.begin(), 0.0);
  if (graph.part != nullptr) {
    LEEWAY_ASSIGN(squares, sum_of_parts(options.cluster, squares));
  }
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
