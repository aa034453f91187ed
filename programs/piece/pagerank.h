// PageRank under the piece engine: what a piece's vertices give to another piece's is added up as soon as
// it is in. Ranks agree with the textbook's (reference/oracles.h) to 1e-12; what vertices without arcs
// hold is made up for at the end, so that no tick needs a sum over all.
#pragma once

#include <vector>

#include "leeway/graph.h"
#include "programs/piece/spatial.h"
#include "programs/vertex/pagerank.h"

namespace leeway::piece {

struct PageRankJob {
  PageRankOptions what;  ///< its scale is the mean rank; a tolerance of 0: as many ticks as given
  PartitionOptions partition;    ///< Divide: a part is a worker
  std::uint32_t pieces = 4;      ///< a worker's
  std::uint64_t arc_ps = 4'000;  ///< picoseconds of computing, where time is virtual
  std::uint64_t vertex_ps = 10'000;
};

struct PageRankRun {
  std::vector<double> ranks;  ///< by vertex; they sum to 1
  PieceRecord record;
};

/// What `what` asks for, or else what brings ranks within 1e-12 of the textbook's.
[[nodiscard]] double tolerance_of(const PageRankJob& job);

/// An Input error for no pieces, or a graph without vertices.
Result<PageRankRun> run_pagerank(const Graph& graph, const PageRankJob& job,
                                 const ClusterOptions& cluster, const PieceOptions& options,
                                 const PieceEnds<double>& ends = {});

}  // namespace leeway::piece
