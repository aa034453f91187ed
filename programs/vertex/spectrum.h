// Whether Jacobi's iteration, x' = (b - (A - D) x) / D, settles on a matrix: whether the spectral radius of
// I - A/D is below 1. Decided where a bound decides it, estimated where none does, in bounded time.
#pragma once

#include <span>

#include "leeway/datasets/graph.h"

namespace leeway {

enum class Settling {
  Settles,   ///< the radius is below 1, and that of |I - A/D| too where `absolute` says so
  Diverges,  ///< it is not, by an estimate that is good enough
  Unknown,   ///< the matrix is so large that the estimate is too rough, or near 1
};

struct Spectrum {
  Settling settling = Settling::Settles;
  double radius = 0;    ///< of I - A/D: an estimate; where a bound decided, that bound
  double absolute = 0;  ///< of |I - A/D|: bounded from above
};

/// Requires a weighted graph, and its diagonal, which has no zero. Looks at every entry at most 600 times
/// where there are few, and as often as 200 million looks allow, but 20 times, where there are many.
[[nodiscard]] Spectrum judge_spectrum(const Graph& graph, std::span<const double> diagonal);

}  // namespace leeway
