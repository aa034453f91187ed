// Jacobi's method on a heated plate under the piece engine. The interior of a block is relaxed as soon as the block's
// own values are available, its edge once the values of the four neighbouring blocks are. The result is bitwise equal
// to reference::plate_after.
#pragma once

#include <optional>
#include <vector>

#include "programs/scene/scenes.h"
#include "programs/scene/spatial.h"

namespace leeway::piece {

struct JacobiJob {
  scene::Plate plate{.columns = 256, .rows = 256};
  std::uint64_t seed = 1;
  std::uint32_t pieces = 16;      ///< per worker; fewer if the plate has fewer cells
  std::uint64_t cell_ps = 2'000;  ///< virtual compute time in picoseconds
  /// Stop when no cell changes by more than this value in a tick, at the latest after the given number of ticks; 0: when no
  /// cell changes. Default: exactly the given number of ticks.
  std::optional<double> tolerance;
  std::uint32_t measure = 0;  ///< ticks between measurements of the residual; 0: never
};

struct JacobiResult {
  std::vector<double> heat;  ///< in row-major order, after the last tick
  PieceRecord record;
};

/// Returns an Input error for a plate without cells, or zero pieces.
Result<JacobiResult> run_jacobi(const JacobiJob& job, const ClusterOptions& cluster,
                                const PieceOptions& options, const PieceEnds<double>& ends = {});

}  // namespace leeway::piece
