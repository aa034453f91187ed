// What everybody may know of a graph, however few of its arcs they hold.
#pragma once

#include <cstdint>

#include "leeway/datasets/graph.h"

namespace leeway {

struct GraphTotals {
  std::uint64_t vertices = 0;
  std::uint64_t arcs = 0;  ///< as stored: an undirected edge is two
  bool directed = true;
  WeightKind weight_kind = WeightKind::None;
  std::uint32_t left_count = 0;  ///< as in GraphParts

  GraphTotals() = default;
  // A graph is at hand wherever its totals are asked for.
  GraphTotals(const Graph& graph)  // NOLINT(google-explicit-constructor)
      : vertices(graph.vertex_count()),
        arcs(graph.arc_count()),
        directed(graph.directed()),
        weight_kind(graph.weight_kind()),
        left_count(graph.left_count()) {}

  [[nodiscard]] bool weighted() const { return weight_kind != WeightKind::None; }
};

}  // namespace leeway
