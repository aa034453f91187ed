// PageRank's plain iteration, tick by tick: what vertices without arcs hold is lost, not spread. The method
// is pushing along arcs, where the tick engine's program pulls. Scaled to a sum of 1, what it settles on
// is the PageRank that spreads such rank evenly.
#pragma once

#include <cstdint>
#include <vector>

#include "leeway/datasets/graph.h"

namespace leeway::reference {

/// `rank` after so many ticks.
[[nodiscard]] inline std::vector<double> rank_ticks(const Graph& graph, std::vector<double> rank,
                                                    std::uint32_t ticks, double damping = 0.85) {
  const std::size_t count = graph.vertex_count();
  for (std::uint32_t tick = 0; tick < ticks; ++tick) {
    std::vector<double> sum(count, 0.0);
    for (VertexId vertex(0); vertex.value() < count; vertex = vertex.next()) {
      const double share = rank[vertex.index()] / static_cast<double>(graph.degree(vertex));
      for (const VertexId target : graph.neighbors(vertex)) sum[target.index()] += share;
    }
    for (std::size_t i = 0; i < count; ++i)
      rank[i] = (1 - damping) / static_cast<double>(count) + damping * sum[i];
  }
  return rank;
}

/// From the even start.
[[nodiscard]] inline std::vector<double> rank_ticks(const Graph& graph, std::uint32_t ticks,
                                                    double damping = 0.85) {
  const std::size_t count = graph.vertex_count();
  return rank_ticks(graph, std::vector<double>(count, 1 / static_cast<double>(count)), ticks,
                    damping);
}

}  // namespace leeway::reference
