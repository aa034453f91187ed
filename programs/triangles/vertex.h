// Triangles: the number of triangles that a vertex is part of, in a graph that has the reverse of every arc. Loops are ignored, and
// parallel arcs count once. Every vertex's home has counted them before, and no values are shared.
#pragma once

#include <cstdint>
#include <limits>
#include <span>

#include "leeway/vertex.h"
#include "programs/triangles/triangle_counter.h"

namespace leeway {

/// Its records are TriangleRows.
class Triangles {
 public:
  using Value = std::uint64_t;  ///< kNotCounted: not computed yet
  static constexpr bool kMovesOn = false;
  static constexpr Reads kReads = Reads::None;

  void settle(const LocalGraph& here) { rows_ = here.records<TriangleRow>(); }
  [[nodiscard]] std::uint64_t init(VertexId) const { return kNotCounted; }
  [[nodiscard]] std::uint64_t update(const Vertex<std::uint64_t>& vertex) const {
    return rows_[vertex.local()].count;
  }
  /// Number of list entries that the update visits.
  [[nodiscard]] std::uint64_t effort(const Vertex<std::uint64_t>& vertex) const {
    return vertex.value() == kNotCounted ? rows_[vertex.local()].entries : 0;
  }

 private:
  static constexpr std::uint64_t kNotCounted = std::numeric_limits<std::uint64_t>::max();

  std::span<const TriangleRow> rows_;
};

}  // namespace leeway
