// Whether some vertices of a graph have many times the arcs of others, as in social and web graphs, and not in meshes or
// on roads: it tells which division is worth its time, and whether it helps to put such vertices together.
#pragma once

#include <cstdint>

#include "leeway/datasets/graph.h"

namespace leeway {

/// Out of one vertex.
[[nodiscard]] std::uint64_t most_arcs(const Graph& graph);

/// `most`: arcs of the vertex that has most of them.
[[nodiscard]] constexpr bool has_hubs(std::uint64_t most, std::uint64_t arcs,
                                      std::uint64_t vertices) {
  constexpr double kTimesTheMean = 16;
  return static_cast<double>(most) * static_cast<double>(vertices) >
         kTimesTheMean * static_cast<double>(arcs);
}

}  // namespace leeway
