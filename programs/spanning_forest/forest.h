// The minimum spanning forest of a graph in parts: each node finds the forest of its arcs (Borůvka, 1926), and forests are merged
// in pairs up a tree, because an edge that is not in the forest of a part is not in that of the whole.
#pragma once

#include <compare>
#include <cstdint>
#include <vector>

#include "base/result.h"
#include "runtime/cluster/group.h"
#include "runtime/graph/graph_part.h"

namespace leeway {

/// Edges are ordered by weight, then by their ends, so that the forest is unique.
struct ForestEdge {
  double weight = 0;
  std::uint32_t low = 0;  ///< the end with the smaller number
  std::uint32_t high = 0;
  friend auto operator<=>(const ForestEdge&, const ForestEdge&) = default;
};

struct ForestRow {
  std::uint32_t parent = 0;   ///< the vertex itself: a root
  std::uint32_t entries = 0;  ///< list entries that were visited for this vertex
  double weight = 0;          ///< of the edge to the parent
  [[nodiscard]] std::uint32_t value() const { return parent; }
};

/// For each vertex of this node's range its parent in the forest, whose trees have their first vertices as roots. Directions are
/// ignored, arcs without weights have weight 1. Collective.
Result<std::vector<ForestRow>> find_forest(Group& group, const GraphPart& part);

}  // namespace leeway
