// Sssp: the least sum of weights over all paths from a source along the arcs; an unweighted arc weighs 1; infinity for
// unreachable vertices. Weights are at least 0. Integer weights give exact sums up to 2^53; with real weights every path's
// sum is rounded in the path's order, so results are bitwise equal under every scheduler.
#pragma once

#include <algorithm>
#include <limits>

#include "base/parallel.h"
#include "datasets/graph.h"
#include "leeway/vertex.h"

namespace leeway {

/// Width of a bucket of a search by weights (delta-stepping), from the sum of all weights. The more arcs a vertex has, the more vertices
/// a bucket of one width holds, and the more of their offers are improved again within it. With 32 arcs per vertex a bucket is a
/// fiftieth of the mean weight, on roads a few of it.
[[nodiscard]] inline double search_width(const GraphTotals& graph, double weight_sum) {
  if (!graph.weighted() || graph.arcs == 0) return 1;
  const auto arcs = static_cast<double>(graph.arcs);
  const double mean_degree = std::max(1.0, arcs / static_cast<double>(graph.vertices));
  return std::max(weight_sum / arcs * 20 / (mean_degree * mean_degree),
                  std::numeric_limits<double>::min());
}

class Sssp {
 public:
  using Value = double;
  static constexpr bool kWeights = true;

  Sssp(const Graph& graph, VertexId source) : Sssp(graph, sum_of(graph.weights()), source) {}
  /// For a distributed graph, where no process has all weights: their sum is given.
  Sssp(const GraphTotals& graph, double weight_sum, VertexId source)
      : source_(source), width_(search_width(graph, weight_sum)) {}

  [[nodiscard]] double init(VertexId v) const { return v == source_ ? 0 : kInfinity; }
  [[nodiscard]] double along(double from, double weight) const { return from + weight; }
  [[nodiscard]] bool better(double a, double b) const { return a < b; }
  [[nodiscard]] double rank(double distance) const { return distance; }
  [[nodiscard]] double width() const { return width_; }

 private:
  static constexpr double kInfinity = std::numeric_limits<double>::infinity();

  VertexId source_;
  double width_;
};

}  // namespace leeway
