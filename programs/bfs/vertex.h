// Bfs: the least number of arcs from a source; kFar for unreachable vertices.
#pragma once

#include <cstdint>
#include <limits>

#include "datasets/graph.h"
#include "leeway/vertex.h"

namespace leeway {

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

}  // namespace leeway
