// PageRank (Page et al., 1999), by pulling: a vertex's shared value is the rank each of its arcs carries.
//
// Textbook definition: rank(v) = (1 - d)/n + d (sum over arcs u→v of rank(u)/outdegree(u) + D/n), where D
// is what vertices without arcs hold; ranks sum to 1. Parallel arcs count once each, loops count.
//
// Under bsp this is iterated as it stands, D summed over all nodes each superstep, from the uniform start:
// LDBC Graphalytics' PR. The other schedulers know no moment at which D could be summed, so they solve
// the equation without D; its solution is the textbook's but for a factor, which scaling the ranks to sum
// 1 takes out. Both end when no vertex's value moves by more than `tolerance` of itself; with the default
// the largest relative error is below 1e-6. With fixed iterations and any scheduler but bsp, values are
// used as soon as they are there, so the result is further on than the textbook's after as many.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "leeway/base/strand_sum.h"
#include "leeway/datasets/graph.h"
#include "leeway/runtime/vertex_program.h"

namespace leeway {

struct PageRankOptions {
  double damping = 0.85;
  double tolerance = 1e-8;
};

class PageRank {
 public:
  using Value = double;

  PageRank(const Graph& graph, const PageRankOptions& options)
      : damping_(options.damping),
        tolerance_(options.tolerance),
        count_(std::max(1.0, static_cast<double>(graph.vertex_count()))),
        base_((1 - damping_) / count_) {
    auto per_arc = std::make_shared<std::vector<double>>(graph.vertex_count());
    for (VertexId v(0); v.value() < graph.vertex_count(); v = v.next()) {
      const auto degree = static_cast<double>(graph.degree(v));
      (*per_arc)[v.index()] = degree == 0 ? -1.0 : 1.0 / degree;
    }
    per_arc_ = std::move(per_arc);
  }

  [[nodiscard]] double init(VertexId v) const { return share(v, 1 / count_); }
  [[nodiscard]] double update(const Vertex<double>& vertex) const {
    StrandSum sum;
    vertex.each([&](double carried) { sum.add(carried); });
    const double rank = base_ + damping_ * sum.total();
    const double per_arc = near_.empty() ? (*per_arc_)[vertex.id().index()] : near_[vertex.local()];
    return per_arc < 0 ? rank : rank * per_arc;
  }
  /// From now on `update` is of these vertices, by place.
  void settle(std::span<const VertexId> vertices) {
    near_.resize(vertices.size());
    for (std::size_t i = 0; i < near_.size(); ++i) near_[i] = (*per_arc_)[vertices[i].index()];
  }
  [[nodiscard]] bool changed(double old, double now) const {
    return std::abs(now - old) > tolerance_ * now;
  }
  /// The rank; under all schedulers but bsp still to be scaled.
  [[nodiscard]] double result(const Vertex<double>& vertex) const {
    const double per_arc = (*per_arc_)[vertex.id().index()];
    return per_arc < 0 ? vertex.value() : vertex.value() / per_arc;
  }

  /// D, in fractions of 1/2^60 so that the order of summing does not matter.
  [[nodiscard]] std::uint64_t gather(VertexId v, double value) const {
    return (*per_arc_)[v.index()] < 0 ? static_cast<std::uint64_t>(value * kUnit) : 0;
  }
  void gathered(std::uint64_t sum) {
    base_ = (1 - damping_ + damping_ * (static_cast<double>(sum) / kUnit)) / count_;
  }

 private:
  static constexpr double kUnit = 1152921504606846976.0;

  /// A vertex without arcs keeps its rank: nobody reads it.
  [[nodiscard]] double share(VertexId v, double rank) const {
    const double per_arc = (*per_arc_)[v.index()];
    return per_arc < 0 ? rank : rank * per_arc;
  }

  double damping_;
  double tolerance_;
  double count_;
  double base_;
  std::shared_ptr<const std::vector<double>> per_arc_;  // 1 / out-degree; -1 without arcs
  std::vector<double> near_;                            // the same by place
};

/// Makes the ranks sum to 1.
inline void scale_to_one(std::vector<double>& ranks) {
  double sum = 0;
  for (const double rank : ranks) sum += rank;
  for (double& rank : ranks) rank /= sum;
}

}  // namespace leeway
