// PathCount: the number of paths from a source along the arcs (NP of ASPIRE, section 5.2): 1 for the source, for every
// other vertex the sum over its in-neighbours; parallel arcs make different paths. A vertex on or behind a cycle that the
// source reaches has infinitely many paths. Its value, and any count above 2^63 - 1, is kTooManyPaths.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>

#include "datasets/graph.h"
#include "leeway/vertex.h"

namespace leeway {

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

}  // namespace leeway
