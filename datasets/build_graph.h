// From edges in any order to the graph in memory: counting sort by source, then each list by
// target. The same edges and options give the same graph on any number of threads.
#pragma once

#include <cstdint>

#include "leeway/base/result.h"
#include "leeway/datasets/edge_list.h"
#include "leeway/datasets/graph.h"
#include "leeway/datasets/load_options.h"
#include "leeway/datasets/vertex_names.h"

namespace leeway {

/// What a source says of its graph beside the edges.
struct GraphShape {
  std::uint32_t vertex_count = 0;
  bool directed = true;
  std::uint32_t left_count = 0;  ///< as in GraphParts
  VertexNames names;             ///< one a vertex
  std::uint64_t first = 0;       ///< of a part of a graph: what its vertex 0 is in the whole
  /// An undirected source that lists each edge from both its ends (METIS), not once (SNAP).
  bool from_both_ends = false;
};

/// What a reader or a generator gives.
struct ListedGraph {
  EdgeList edges;
  GraphShape shape;
};

/// How listed edges become arcs.
struct ArcRule {
  bool directed = true;
  bool mirror = false;  ///< each edge also gives its reverse
  bool drop_loops = false;
};
[[nodiscard]] ArcRule arc_rule(const GraphShape& shape, const LoadOptions& options);

/// Calls `visit(index, source, target)` for every arc that the edges of a chunk become, in their order.
template <class Visit>
void for_each_arc(const EdgeChunk& chunk, const ArcRule& rule, Visit&& visit) {
  chunk.for_each([&](std::size_t index, VertexId source, VertexId target) {
    if (source == target) [[unlikely]] {
      if (!rule.drop_loops) visit(index, source, target);
      return;
    }
    visit(index, source, target);
    if (rule.mirror) visit(index, target, source);
  });
}

/// Consumes the edges: each chunk is freed as soon as it is in place, so the peak stays below the
/// edges and the graph together. Requires every end below `vertex_count` (checked).
/// `symmetrize` and Direction::Undirected both add every edge's reverse; an edge whose reverse is
/// also listed then stands twice unless duplicates are merged. Direction::Directed takes edges as
/// they are listed. Duplicates stand in the order of the list; random weights depend on the two
/// ends and the seed alone. A part of a graph has sources of its own, from 0, and targets of the whole;
/// its edges must be arcs as they are to stand (directed, or from both ends; no loops to drop). Fails for a weight range without whole numbers, or when memory is
/// refused.
Result<Graph> build_graph(EdgeList edges, GraphShape shape, const LoadOptions& options);
Result<Graph> build_graph(ListedGraph listed, const LoadOptions& options);

}  // namespace leeway
