// Converts a graph of the campaigns to a Graph without any of the library's readers.
#pragma once

#include <vector>

#include "test/answers/graph_input.h"
#include "test/support/small_graphs.h"

namespace leeway::campaign {

/// `kind`: type of the weights, if the graph has any.
inline Graph library_graph(const answers::InputGraph& graph, WeightKind kind) {
  std::vector<leeway::testing::TestEdge> edges;
  for (const answers::InputEdge& edge : graph.edges)
    edges.push_back({edge.from, edge.to, edge.weight});
  return leeway::testing::graph_of(graph.size(), edges, graph.directed,
                                   graph.weighted ? kind : WeightKind::None);
}

}  // namespace leeway::campaign
