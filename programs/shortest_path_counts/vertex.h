// ShortestPathCount: the number of paths with the fewest arcs from a source; finite on every graph, and kTooManyPaths above
// 2^63 - 1.
#pragma once

#include <cstdint>
#include <limits>

#include "leeway/vertex.h"
#include "programs/paths/vertex.h"

namespace leeway {

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
