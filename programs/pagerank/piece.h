// PageRank under the piece engine: the contributions of a piece's vertices to another piece are added as soon as they
// arrive. Ranks agree with the textbook's (programs/reference/oracles.h) to 1e-12. The rank of vertices without arcs is
// accounted for at the end, so no tick needs a global sum.
#pragma once

#include <optional>
#include <vector>

#include "datasets/graph.h"
#include "programs/pagerank/vertex.h"
#include "programs/scene/spatial.h"

namespace leeway::piece {

struct PageRankJob {
  PageRankParameters
      what;            ///< the tolerance is relative to the mean rank; 0: until no rank changes
  bool fixed = false;  ///< exactly the given number of ticks; the tolerance has no effect
  PartitionOptions partition;    ///< Divide: one part per worker
  std::uint32_t pieces = 4;      ///< pieces per worker
  std::uint64_t arc_ps = 4'000;  ///< virtual compute time in picoseconds
  std::uint64_t vertex_ps = 10'000;
};

struct PageRankResult {
  std::vector<double> ranks;  ///< by vertex; they sum to 1
  PieceRecord record;
};

/// The tolerance in `what`, or else the one that brings ranks within 1e-12 of the textbook's; none if the number of ticks
/// is fixed.
[[nodiscard]] std::optional<double> tolerance_of(const PageRankJob& job);

/// Returns an Input error for zero pieces or a graph without vertices.
Result<PageRankResult> run_pagerank(const Graph& graph, const PageRankJob& job,
                                    const ClusterOptions& cluster, const PieceOptions& options,
                                    const PieceEnds<double>& ends = {});

}  // namespace leeway::piece
