#include "leeway/benchmarks/replay/claim.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "leeway/base/check.h"
#include "leeway/base/format.h"

namespace leeway::replay {

namespace {

double share(std::span<const std::uint64_t> some, std::span<const std::uint64_t> all) {
  const auto count = [](std::span<const std::uint64_t> numbers) {
    return static_cast<double>(std::accumulate(numbers.begin(), numbers.end(), std::uint64_t{0}));
  };
  return count(all) == 0 ? 0 : count(some) / count(all);
}

}  // namespace

std::string verdict(const Claim& claim) { return claim.agrees ? "agree" : "disagree"; }

bool below_everywhere(std::span<const double> series, std::span<const double> other) {
  LEEWAY_CHECK(series.size() == other.size());
  return std::equal(series.begin(), series.end(), other.begin(), std::less<>());
}

bool rises(std::span<const double> series) {
  return std::adjacent_find(series.begin(), series.end(), std::greater_equal<>()) == series.end();
}

bool falls(std::span<const double> series) {
  return std::adjacent_find(series.begin(), series.end(), std::less_equal<>()) == series.end();
}

bool rises_drastically(std::span<const double> series) {
  LEEWAY_CHECK(!series.empty());
  return rises(series) && series.back() >= kDrasticGrowth * series.front();
}

bool similar(std::span<const double> series, std::span<const double> reference) {
  LEEWAY_CHECK(series.size() == reference.size());
  return std::equal(
      series.begin(), series.end(), reference.begin(),
      [](double value, double other) { return std::abs(value / other - 1) <= kSimilarWithin; });
}

bool varies(std::span<const std::uint64_t> series) {
  return std::adjacent_find(series.begin(), series.end(), std::not_equal_to<>()) != series.end();
}

double geometric_mean(std::span<const double> numbers) {
  if (numbers.empty()) return 1;
  double sum = 0;
  for (const double number : numbers) sum += std::log(number);
  return std::exp(sum / static_cast<double>(numbers.size()));
}

std::vector<double> ratios(std::span<const double> of, std::span<const double> to) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < of.size(); ++i) ratios.push_back(of[i] / to[i]);
  return ratios;
}

std::string listed(std::span<const double> numbers) {
  std::string text;
  for (const double number : numbers) text += format("{}{:.2f}", text.empty() ? "" : " ", number);
  return text;
}

Claim at_least(std::string paper, double value, double least) {
  return {std::move(paper), format("at least {}", least), format("{:.2f}", value), value >= least};
}

Claim mean_at_least(std::string paper, std::string rule, std::span<const double> ratios,
                    std::string_view units, double least) {
  const double mean = geometric_mean(ratios);
  return {std::move(paper), std::move(rule),
          format("{:.2f} over {} {}", mean, ratios.size(), units),
          !ratios.empty() && mean >= least};
}

std::uint64_t greatest(std::span<const std::uint64_t> histogram) {
  std::uint64_t greatest = 0;
  for (std::size_t value = 0; value < histogram.size(); ++value) {
    if (histogram[value] > 0) greatest = value;
  }
  return greatest;
}

double share_at_most(std::span<const std::uint64_t> histogram, std::uint64_t limit) {
  const auto low = histogram.first(std::min<std::size_t>(limit + 1, histogram.size()));
  return share(low, histogram);
}

double share_very_stale(std::span<const std::uint64_t> histogram) {
  const std::uint64_t bound = std::max(kLowStaleness, greatest(histogram) / 2);
  return share(histogram.subspan(std::min<std::size_t>(bound + 1, histogram.size())), histogram);
}

bool mostly_low(std::span<const std::uint64_t> histogram) {
  return share_at_most(histogram, kLowStaleness) > kMost && share_very_stale(histogram) < kVeryFew;
}

}  // namespace leeway::replay
