// Graphs for tests: from a list of edges, or random by seed.
#pragma once

#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

#include "base/random.h"
#include "datasets/build_graph.h"

namespace leeway::testing {

struct TestEdge {
  std::uint32_t source;
  std::uint32_t target;
  double weight = 1.0;
};

inline Graph graph_of(std::uint32_t vertices, const std::vector<TestEdge>& edges,
                      bool directed = false, WeightKind kind = WeightKind::None,
                      VertexNames names = {}) {
  EdgeChunkBuilder builder;
  for (const TestEdge& edge : edges) {
    const VertexId source(edge.source);
    const VertexId target(edge.target);
    if (kind == WeightKind::None)
      builder.add(source, target);
    else
      builder.add(source, target, edge.weight);
  }
  EdgeList list;
  list.chunks.push_back(builder.finish().value());
  list.weight_kind = kind;
  GraphShape shape;
  shape.vertex_count = vertices;
  shape.directed = directed;
  shape.names = names.count() == vertices ? std::move(names) : VertexNames::sequence(0, vertices);
  return build_graph(std::move(list), std::move(shape), LoadOptions{}).value();
}

/// With loops and parallel edges.
inline Graph random_graph(std::uint64_t seed, std::uint32_t vertices, std::uint32_t edge_count,
                          bool directed, WeightKind kind = WeightKind::None,
                          VertexNames names = {}) {
  Random random(seed);
  std::vector<TestEdge> edges;
  for (std::uint32_t i = 0; vertices > 0 && i < edge_count; ++i) {
    const auto source = static_cast<std::uint32_t>(random.below(vertices));
    const auto target = static_cast<std::uint32_t>(random.below(vertices));
    const double weight = static_cast<double>(1 + random.below(9));
    edges.push_back({source, target, kind == WeightKind::Real ? weight / 8 : weight});
  }
  return graph_of(vertices, edges, directed, kind, std::move(names));
}

}  // namespace leeway::testing
