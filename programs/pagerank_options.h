// What PageRank is asked for, whichever engine answers it: the numbers mean the same to all of them.
#pragma once

#include <numeric>
#include <span>

#include <optional>

namespace leeway {

struct PageRankOptions {
  double damping = 0.85;  ///< the share of a rank that follows arcs
  /// A rank that would move by at most this share of its scale (itself, or the mean rank) is at rest. Unsaid, what
  /// brings the engine's method within 1e-6 of the textbook's ranks; 0: every change counts.
  std::optional<double> tolerance;
};

[[nodiscard]] inline double sum_of(std::span<const double> ranks) {
  return std::accumulate(ranks.begin(), ranks.end(), 0.0);
}
/// Divides ranks by their sum, or by that of all where these are a part of them. Zeros stay zeros.
inline void scale_to_one(std::span<double> ranks, double sum) {
  if (sum <= 0) return;
  for (double& rank : ranks) rank /= sum;
}

}  // namespace leeway
