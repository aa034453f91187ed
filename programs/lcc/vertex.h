// Clustering: LDBC Graphalytics' LCC: the number of arcs among a vertex's neighbours (in either direction, without
// the vertex) divided by the possible number; 0 with fewer than two neighbours. Parallel arcs count once. Every vertex's home
// computes it from the neighbour lists, and no values are shared.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"
#include "leeway/vertex.h"
#include "runtime/cluster/group.h"
#include "runtime/graph/graph_part.h"

namespace leeway {

/// What counting found for one vertex.
struct ClusteringRow {
  double coefficient = 0;
  std::uint64_t entries = 0;  ///< list entries that were visited for this vertex
};

/// The coefficients of the vertices of this node's range, by `threads` threads (programs/triangles/triangle_counter.h). Exact,
/// whatever the ranges. Collective.
Result<std::vector<ClusteringRow>> count_clustering(Group& group, const GraphPart& part,
                                                    unsigned threads);

/// Its records are ClusteringRows.
class Clustering {
 public:
  using Value = double;  ///< negative: not computed yet
  static constexpr bool kMovesOn = false;
  static constexpr Reads kReads = Reads::None;

  void settle(const LocalGraph& here) { rows_ = here.records<ClusteringRow>(); }
  [[nodiscard]] double init(VertexId) const { return -1; }
  [[nodiscard]] double update(const Vertex<double>& vertex) const {
    return rows_[vertex.local()].coefficient;
  }
  /// Number of list entries that the update visits.
  [[nodiscard]] std::uint64_t effort(const Vertex<double>& vertex) const {
    return vertex.value() >= 0 ? 0 : rows_[vertex.local()].entries;
  }

 private:
  std::span<const ClusteringRow> rows_;
};

}  // namespace leeway
