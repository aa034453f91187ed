// Jacobi's method on a heated plate under the piece engine: a block's inside is relaxed as soon as the
// block itself is in, its edge when the four blocks around are. The same bits as reference/jacobi.h.
#pragma once

#include <vector>

#include "programs/piece/spatial.h"
#include "programs/scene/scenes.h"

namespace leeway::piece {

struct JacobiJob {
  scene::Plate plate{.columns = 256, .rows = 256};
  std::uint64_t seed = 1;
  std::uint32_t pieces = 16;      ///< a worker's; fewer where the plate has not so many cells
  std::uint64_t cell_ps = 2'000;  ///< picoseconds of computing, where time is virtual
  /// Stop when no cell changes by more than this in a tick; 0: only after the ticks given.
  double tolerance = 0;
  std::uint32_t measure = 0;  ///< how far cells moved is told every so many ticks; 0: never
};

struct JacobiRun {
  std::vector<double> heat;  ///< row by row, after the last tick
  PieceRecord record;
};

/// An Input error for a plate without cells, or no pieces.
Result<JacobiRun> run_jacobi(const JacobiJob& job, const ClusterOptions& cluster,
                             const PieceOptions& options, const PieceEnds<double>& ends = {});

}  // namespace leeway::piece
