// Clustering: LDBC Graphalytics' LCC: the number of arcs among a vertex's neighbours (in either direction, without
// the vertex) divided by the possible number; 0 with fewer than two neighbours. Parallel arcs count once. Every vertex's home
// computes it from the neighbour lists, and no values are shared.
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "runtime/cluster/group.h"
#include "runtime/graph/graph_part.h"

namespace leeway {

/// What counting found for one vertex.
struct ClusteringRow {
  double coefficient = 0;
  std::uint64_t entries = 0;  ///< list entries that were visited for this vertex
  [[nodiscard]] double value() const { return coefficient; }
};

/// The coefficients of the vertices of this node's range, by `threads` threads (programs/triangles/triangle_counter.h). Exact,
/// whatever the ranges. Collective.
Result<std::vector<ClusteringRow>> count_clustering(Group& group, const GraphPart& part,
                                                    unsigned threads);

}  // namespace leeway
