// Programs that follow paths from a source, along the arcs.
//
// Sssp: the least sum of weights over all paths; an unweighted arc weighs 1; infinity where no path
// leads. Weights are at least 0. Integer weights give exact sums up to 2^53; of real weights every path's
// sum is rounded as the path is walked, so results are bitwise the same under every scheduler.
// Bfs: the least number of arcs; kFar where no path leads.
// PathCount: how many paths with the least number of arcs there are: 1 for the source, 0 where none leads;
// parallel arcs make different paths. Beyond 2^63 - 1 a count is kTooMany, never wrapped.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "leeway/datasets/graph.h"
#include "leeway/datasets/graph_totals.h"
#include "leeway/runtime/vertex_program.h"

namespace leeway {

class Sssp {
 public:
  using Value = double;
  static constexpr bool kWeights = true;

  Sssp(const Graph& graph, VertexId source) : source_(source) {
    double sum = 0;
    for (const double weight : graph.weights()) sum += weight;
    narrow(graph, sum);
  }
  /// Of a graph of which no one has all weights, only their sum.
  Sssp(const GraphTotals& graph, double weight_sum, VertexId source) : source_(source) {
    narrow(graph, weight_sum);
  }

  [[nodiscard]] double init(VertexId v) const { return v == source_ ? 0 : kInfinity; }
  [[nodiscard]] double along(double from, double weight) const { return from + weight; }
  [[nodiscard]] bool better(double a, double b) const { return a < b; }
  [[nodiscard]] double rank(double distance) const { return distance; }
  [[nodiscard]] double width() const { return width_; }

 private:
  static constexpr double kInfinity = std::numeric_limits<double>::infinity();

  void narrow(const GraphTotals& graph, double weight_sum) {
    if (!graph.weighted() || graph.arcs == 0) return;
    const auto arcs = static_cast<double>(graph.arcs);
    // The more arcs a vertex has, the narrower a bucket may be before it holds too little work.
    const double mean_degree = std::max(1.0, arcs / static_cast<double>(graph.vertices));
    width_ = std::max(weight_sum / arcs * 8 / mean_degree, std::numeric_limits<double>::min());
  }

  VertexId source_;
  double width_ = 1;
};

class Bfs {
 public:
  using Value = std::uint32_t;
  static constexpr std::uint32_t kFar = std::numeric_limits<std::uint32_t>::max();

  explicit Bfs(VertexId source) : source_(source) {}

  [[nodiscard]] std::uint32_t init(VertexId v) const { return v == source_ ? 0 : kFar; }
  [[nodiscard]] std::uint32_t along(std::uint32_t from, double) const {
    return from == kFar ? kFar : from + 1;
  }
  [[nodiscard]] bool better(std::uint32_t a, std::uint32_t b) const { return a < b; }
  [[nodiscard]] double rank(std::uint32_t depth) const {
    return depth == kFar ? std::numeric_limits<double>::infinity() : depth;
  }

 private:
  VertexId source_;
};

struct CountedPaths {
  std::uint64_t count = 0;
  std::uint64_t depth = 0;
  friend bool operator==(const CountedPaths&, const CountedPaths&) = default;
};

class PathCount {
 public:
  using Value = CountedPaths;
  /// Depths only fall, and a count is final once the depths and counts of the arcs' sources are.
  static constexpr bool kAlwaysRests = true;
  static constexpr std::uint64_t kTooMany = std::numeric_limits<std::uint64_t>::max();
  static constexpr std::uint64_t kFar = std::numeric_limits<std::uint64_t>::max();

  explicit PathCount(VertexId source) : source_(source) {}

  [[nodiscard]] CountedPaths init(VertexId v) const {
    return v == source_ ? CountedPaths{1, 0} : CountedPaths{0, kFar};
  }
  [[nodiscard]] CountedPaths update(const Vertex<CountedPaths>& vertex) const {
    if (vertex.id() == source_) return init(source_);
    CountedPaths best{0, kFar};
    vertex.each([&](const CountedPaths& from) {
      if (from.depth == kFar || from.depth + 1 > best.depth) return;
      if (from.depth + 1 < best.depth) best = {0, from.depth + 1};
      best.count = plus(best.count, from.count);
    });
    return best;
  }
  [[nodiscard]] std::uint64_t result(const Vertex<CountedPaths>& vertex) const {
    return vertex.value().count;
  }

 private:
  static std::uint64_t plus(std::uint64_t a, std::uint64_t b) {
    constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();
    return a > kMost || b > kMost || a > kMost - b ? kTooMany : a + b;
  }

  VertexId source_;
};

}  // namespace leeway
