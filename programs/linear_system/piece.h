// Jacobi's method for a system of linear equations A x = b under the piece engine (AsyTick §5). Rows are divided into
// pieces; in each tick a piece multiplies its rows by the values of every piece that they refer to, as these arrive, and
// then sets x_i' = (b_i - sum of a_ij x_j over j != i) / a_ii. A row adds up the products of one piece in ascending order
// of the columns, and then the sums of the pieces in ascending order. So all systems, networks and numbers of threads
// give the same bits for one division into pieces, and a single piece gives those of the sequential method.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "base/result.h"
#include "datasets/graph.h"
#include "programs/scene/spatial.h"

namespace leeway::piece {

/// A x = b. The lists of a weighted graph are the rows of A.
struct LinearSystem {
  const Graph& matrix;
  std::vector<double> right_side;
  std::vector<double> start = {};  ///< empty: 0
};

struct LinearSystemJob {
  PartitionOptions partition;      ///< Divide: one part per worker
  std::uint32_t pieces = 16;       ///< per worker; fewer if a worker has fewer rows
  std::uint64_t entry_ps = 1'000;  ///< virtual compute time in picoseconds
  std::uint64_t row_ps = 10'000;
  /// Stop when no x_i changes by more than this share of the largest |b_i / a_ii| and |start_i| in a tick, at the latest
  /// after the given number of ticks; 0: when no x_i changes. Default: exactly the given number of ticks.
  std::optional<double> tolerance;
  std::uint32_t measure = 0;  ///< ticks between measurements of the changes; 0: never
};

struct LinearSystemResult {
  std::vector<double> x;  ///< by row, after the last tick
  /// A value is not finite, or it changed by more than 1e20 times the largest |b_i / a_ii| and |start_i|.
  bool diverged = false;
  PieceRecord record;
};

/// An Input error for a matrix that is not square, has no numbers, or has a zero on its diagonal, and for
/// numbers that are not finite. `where` is "matrix", or "row N".
Status admit_matrix(const Graph& matrix);

/// ||b - A x|| / ||b|| in the Euclidean norm; ||A x|| if b is 0.
[[nodiscard]] double relative_residual(const LinearSystem& system, std::span<const double> x);

/// Returns an Input error for zero pieces or a system that `admit_matrix` refuses.
Result<LinearSystemResult> run_linear_system(const LinearSystem& system, const LinearSystemJob& job,
                                             const ClusterOptions& cluster,
                                             const PieceOptions& options,
                                             const PieceEnds<double>& ends = {});

}  // namespace leeway::piece
