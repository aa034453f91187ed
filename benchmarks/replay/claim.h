// What a paper says of its figure, held against our numbers by a rule. The rules are fixed here, before
// any run, and know nothing of the figures: numbers in, yes or no out. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace leeway::replay {

/// "Similar": within a fifth of each other.
inline constexpr double kSimilarWithin = 0.20;
/// "Drastically": half as much again.
inline constexpr double kDrasticGrowth = 1.5;
/// "Low" staleness: the paper sees no difference between thresholds above 4 (ASPIRE §6.1, footnote).
inline constexpr std::uint64_t kLowStaleness = 4;
/// "Most": more than half.
inline constexpr double kMost = 0.5;
/// "Very few": less than a tenth.
inline constexpr double kVeryFew = 0.1;

struct Claim {
  std::string paper;     ///< the claim, in our words
  std::string rule;      ///< when it holds
  std::string measured;  ///< the numbers it was decided by
  bool agrees = false;
  bool timed =
      false;  ///< decided by real time, so the numbers and the verdict differ between machines and runs
};
[[nodiscard]] std::string verdict(const Claim& claim);

// The rules. Series of one length, one number a configuration, in the order of the figure.

[[nodiscard]] bool below_everywhere(std::span<const double> series, std::span<const double> other);
/// Each number above the one before.
[[nodiscard]] bool rises(std::span<const double> series);
[[nodiscard]] bool falls(std::span<const double> series);
/// Rises, and ends at kDrasticGrowth times its beginning or more.
[[nodiscard]] bool rises_drastically(std::span<const double> series);
/// Every number within kSimilarWithin of its counterpart.
[[nodiscard]] bool similar(std::span<const double> series, std::span<const double> reference);
/// Not the same number everywhere.
[[nodiscard]] bool varies(std::span<const std::uint64_t> series);

/// The n-th root of the product; 1 of none.
[[nodiscard]] double geometric_mean(std::span<const double> numbers);
/// Each beside its counterpart.
[[nodiscard]] std::vector<double> ratios(std::span<const double> of, std::span<const double> to);
/// "1.00 1.25 1.51"
[[nodiscard]] std::string listed(std::span<const double> numbers);

// Claims of the usual forms.

/// By "at least LEAST".
[[nodiscard]] Claim at_least(std::string paper, double value, double least);
/// By the geometric mean of ratios, of so many `units`; of none it does not hold.
[[nodiscard]] Claim mean_at_least(std::string paper, std::string rule,
                                  std::span<const double> ratios, std::string_view units,
                                  double least);

// Histograms: [s] = how many have s. An empty one has nothing above or below anything.

[[nodiscard]] std::uint64_t greatest(std::span<const std::uint64_t> histogram);
[[nodiscard]] double share_at_most(std::span<const std::uint64_t> histogram, std::uint64_t limit);
/// Above kLowStaleness and in the upper half of what occurs at all.
[[nodiscard]] double share_very_stale(std::span<const std::uint64_t> histogram);
/// Most are low and very few very stale.
[[nodiscard]] bool mostly_low(std::span<const std::uint64_t> histogram);

}  // namespace leeway::replay
