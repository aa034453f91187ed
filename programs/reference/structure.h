// Sequential oracles of the programs on a graph's structure: cores, components, sets and sides. Like oracles.h, they share no code
// with engines or programs.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "base/result.h"
#include "datasets/graph.h"

namespace leeway::reference {

/// By peeling (Batagelj & Zaversnik, 2003): removes a vertex of least degree until none is left. Directions are ignored, parallel
/// arcs count, loops do not.
[[nodiscard]] std::vector<std::uint64_t> core_numbers(const Graph& graph);
/// The smallest vertex of each vertex's strongly connected component (Tarjan, 1972).
[[nodiscard]] std::vector<std::uint64_t> strong_components(const Graph& graph);
/// The first vertex that is in the set with a neighbour in it, or outside without one; loops are ignored.
[[nodiscard]] std::optional<VertexId> first_outside_rule(const Graph& graph,
                                                         std::span<const std::uint64_t> in_set);

inline constexpr std::uint64_t kNoSide = std::numeric_limits<std::uint64_t>::max();
/// Sides 0 and 1 such that every arc joins different ones, 0 at the first vertex of each component; kNoSide in a component with
/// an odd cycle.
[[nodiscard]] std::vector<std::uint64_t> sides(const Graph& graph);

/// Newman's modularity of communities, arcs read both ways and loops at both ends; with `by_weight` weights count.
[[nodiscard]] double modularity(const Graph& graph, std::span<const std::uint64_t> communities,
                                double resolution, bool by_weight);

/// The weight of the edges to the given parents, each the lightest arc between the two, in either direction; 1 for arcs without
/// weights. An error if they are not trees with the first vertices of all components as roots.
Result<double> forest_weight(const Graph& graph, std::span<const std::uint64_t> parents);
/// The least weight of such a forest, by Prim's algorithm.
[[nodiscard]] double least_forest_weight(const Graph& graph);

}  // namespace leeway::reference
