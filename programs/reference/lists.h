// Adjacency the other way round, or both ways at once, for methods that need it. Plain vectors.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "leeway/datasets/graph.h"

namespace leeway::reference {

struct Lists {
  std::vector<std::uint64_t> offsets;
  std::vector<std::uint32_t> targets;

  [[nodiscard]] std::span<const std::uint32_t> of(std::size_t vertex) const {
    return std::span(targets).subspan(offsets[vertex], offsets[vertex + 1] - offsets[vertex]);
  }
};

/// For each vertex the sources of its arcs, ascending; of an undirected graph its neighbours.
[[nodiscard]] Lists incoming(const Graph& graph);
/// For each vertex the far ends of all arcs that touch it: its own and, in a directed graph, those that
/// come in.
[[nodiscard]] Lists both_ways(const Graph& graph);

/// The vertex with the most arcs, the first of several: from where much can be reached.
[[nodiscard]] VertexId busiest(const Graph& graph);

}  // namespace leeway::reference
