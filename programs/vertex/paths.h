// Programs that follow paths from a source along the arcs.
//
// Sssp: the least sum of weights over all paths; an unweighted arc weighs 1; infinity for unreachable vertices.
// Weights are at least 0. Integer weights give exact sums up to 2^53; with real weights every path's sum is rounded
// in the path's order, so results are bitwise equal under every scheduler.
//
// Bfs: the least number of arcs; kFar for unreachable vertices.
//
// PathCount: the number of paths from the source (NP of ASPIRE, section 5.2): 1 for the source, for every other
// vertex the sum over its in-neighbours; parallel arcs make different paths. A vertex on or behind a cycle that the
// source reaches has infinitely many paths. Its value, and any count above 2^63 - 1, is kTooManyPaths.
//
// ShortestPathCount: the number of paths with the fewest arcs; finite on every graph, and kTooManyPaths above 2^63 -
// 1.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>

#include "base/parallel.h"
#include "datasets/build_graph.h"
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

class Bfs {
 public:
  using Value = std::uint32_t;
  static constexpr bool kByLevels = true;
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

/// The value of counts above 2^63 - 1.
inline constexpr std::uint64_t kTooManyPaths = std::numeric_limits<std::uint64_t>::max();

[[nodiscard]] inline std::uint64_t add_paths(std::uint64_t a, std::uint64_t b) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();
  return a > kMost || b > kMost || a > kMost - b ? kTooManyPaths : a + b;
}

struct CountedPaths {
  std::uint64_t count = 0;
  std::uint32_t length = 0;  ///< arcs of the longest walk counted so far
  std::uint32_t mark = 0;    ///< a vertex on this walk
  friend bool operator==(const CountedPaths&, const CountedPaths&) = default;
};

/// On a cycle the sum never converges, so every value carries the length of its longest walk and one vertex of it,
/// the last at a power of two (Brent's cycle detection). A walk that returns to this vertex, or is as long as the
/// number of vertices, contains a cycle; the vertex that detects this has too many paths from then on. Counts and
/// lengths only increase, so a delayed value delays the result but does not change it.
class PathCount {
 public:
  using Value = CountedPaths;
  static constexpr bool kMovesOn = false;
  static constexpr bool kAlwaysRests = true;

  PathCount(const GraphTotals& graph, VertexId source)
      : vertices_(graph.vertices), source_(source) {}

  [[nodiscard]] CountedPaths init(VertexId v) const {
    return v == source_ ? CountedPaths{1, 0, v.value()} : CountedPaths{};
  }
  [[nodiscard]] CountedPaths update(const Vertex<CountedPaths>& vertex) const {
    const VertexId own = vertex.id();
    if (own == source_) return init(own);
    if (vertex.value().count == kTooManyPaths) return vertex.value();
    CountedPaths now;
    vertex.each([&](const CountedPaths& from) {
      if (from.count == 0) return;
      now.count = add_paths(now.count, from.count);
      if (from.length < now.length) return;
      now.length = from.length + 1;
      now.mark = from.mark;
    });
    if (now.count == 0) return now;
    const bool goes_round = now.mark == own.value() || now.length >= vertices_;
    if (goes_round || now.count == kTooManyPaths) return {kTooManyPaths, 0, 0};
    if (std::has_single_bit(now.length)) now.mark = own.value();
    return now;
  }
  [[nodiscard]] std::uint64_t result(const Vertex<CountedPaths>& vertex) const {
    return vertex.value().count;
  }

 private:
  std::uint64_t vertices_;
  VertexId source_;
};

struct ShortestPaths {
  std::uint64_t count = 0;
  std::uint64_t depth = 0;
  friend bool operator==(const ShortestPaths&, const ShortestPaths&) = default;
};

class ShortestPathCount {
 public:
  using Value = ShortestPaths;
  static constexpr bool kMovesOn = false;
  /// Depths only decrease, and a count is final once depths and counts of its in-neighbours are.
  static constexpr bool kAlwaysRests = true;
  static constexpr std::uint64_t kFar = std::numeric_limits<std::uint64_t>::max();

  explicit ShortestPathCount(VertexId source) : source_(source) {}

  [[nodiscard]] ShortestPaths init(VertexId v) const {
    return v == source_ ? ShortestPaths{1, 0} : ShortestPaths{0, kFar};
  }
  [[nodiscard]] ShortestPaths update(const Vertex<ShortestPaths>& vertex) const {
    if (vertex.id() == source_) return init(source_);
    ShortestPaths best{0, kFar};
    vertex.each([&](const ShortestPaths& from) {
      if (from.depth == kFar || from.depth + 1 > best.depth) return;
      if (from.depth + 1 < best.depth) best = {0, from.depth + 1};
      best.count = add_paths(best.count, from.count);
    });
    return best;
  }
  [[nodiscard]] std::uint64_t result(const Vertex<ShortestPaths>& vertex) const {
    return vertex.value().count;
  }

 private:
  VertexId source_;
};

}  // namespace leeway
