// PageRank as a vertex program, and the options of PageRank that all engines share.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/parallel.h"
#include "datasets/build_graph.h"
#include "leeway/vertex.h"

namespace leeway {

struct PageRankParameters {
  double damping = 0.85;  ///< damping factor: share of rank that follows arcs
  /// A rank that would move by at most this share of its scale (itself, or the mean rank) has converged. Default: the
  /// value that brings the engine's method within 1e-6 of the textbook's ranks; 0: every change counts.
  std::optional<double> tolerance;
  /// The scale is the mean rank for every vertex, as in ASPIRE's Algorithm 1, which compares changes with one epsilon:
  /// vertices of low rank rest long before those of high rank. False: each vertex's own rank.
  bool of_mean = false;
};

/// Divides ranks by `sum`, the sum over all vertices. Zeros stay zeros.
inline void scale_to_one(std::span<double> ranks, double sum) {
  if (sum <= 0) return;
  for (double& rank : ranks) rank /= sum;
}

/// PageRank (Page et al., 1999) by pulling: a vertex's shared value is the rank that each of its arcs carries.
///
/// Textbook definition: rank(v) = (1 - d)/n + d (sum over arcs u→v of rank(u)/outdegree(u) + D/n), where D is the
/// rank of vertices without arcs; ranks sum to 1. Parallel arcs count once each, loops count.
///
/// Under bsp this iteration is executed as defined, with D summed over all nodes each superstep, from the uniform
/// start: LDBC Graphalytics' PR. The other schedulers have no moment at which D could be summed, so they solve the
/// equation without D; its solution is the textbook's up to a factor, which scaling to a sum of 1 removes. Both end
/// when no vertex's value moves by more than `tolerance` times itself; with the default, 1e-8, the largest relative
/// error is below 1e-6. With a fixed number of iterations and any scheduler but bsp, values are used as soon as they
/// are available, so the result is closer to the limit than the textbook's after equally many iterations.
class PageRank {
 public:
  using Value = double;
  static constexpr bool kMovesOn = false;

  static constexpr bool kDegrees = true;

  PageRank(const GraphTotals& graph, const PageRankParameters& options)
      : damping_(options.damping),
        tolerance_(options.tolerance.value_or(kTolerance)),
        of_mean_(options.of_mean),
        count_(std::max(1.0, static_cast<double>(graph.vertices))),
        base_((1 - damping_) / count_) {}

  void settle(const LocalGraph& here) {
    degrees_ = here.degrees();
    per_arc_.reserve(here.degrees().size());
    for (const std::uint32_t degree : here.degrees())
      per_arc_.push_back(degree == 0 ? -1.0 : 1.0 / degree);
  }
  [[nodiscard]] double init(const LocalVertex& v) const { return share(v.local, 1 / count_); }
  [[nodiscard]] double update(const Vertex<double>& vertex) const {
    StrandSum sum;
    vertex.each([&](double carried) { sum.add(carried); });
    return share(vertex.local(), base_ + damping_ * sum.total());
  }
  [[nodiscard]] bool changed(const LocalVertex& v, double old, double now) const {
    if (of_mean_) return moved(v, old, now) > tolerance_ / count_;
    return std::abs(now - old) > tolerance_ * now;
  }
  [[nodiscard]] double moved(const LocalVertex& v, double old, double now) const {
    return std::abs(now - old) * std::max(1U, degrees_[v.local]);
  }
  /// The rank; not yet scaled, except under bsp.
  [[nodiscard]] double result(const Vertex<double>& vertex) const {
    const double per_arc = per_arc_[vertex.local()];
    return per_arc < 0 ? vertex.value() : vertex.value() / per_arc;
  }

  /// D, in units of 2^-60, so that the order of summation does not matter.
  [[nodiscard]] std::uint64_t gather(const LocalVertex& v, double value) const {
    return per_arc_[v.local] < 0 ? static_cast<std::uint64_t>(value * kUnit) : 0;
  }
  void gathered(std::uint64_t sum) {
    base_ = (1 - damping_ + damping_ * (static_cast<double>(sum) / kUnit)) / count_;
  }

 private:
  static constexpr double kTolerance = 1e-8;
  static constexpr double kUnit = 1152921504606846976.0;

  /// A vertex without arcs shares its whole rank, because no vertex reads it.
  [[nodiscard]] double share(std::uint32_t local, double rank) const {
    const double per_arc = per_arc_[local];
    return per_arc < 0 ? rank : rank * per_arc;
  }

  double damping_;
  double tolerance_;
  bool of_mean_;
  double count_;
  double base_;
  std::span<const std::uint32_t> degrees_;  // by place; owned by the graph
  std::vector<double> per_arc_;             // by place: 1 / out-degree; -1 without arcs
};

}  // namespace leeway
