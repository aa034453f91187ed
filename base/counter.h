// Counters and histograms that many threads may bump at once and a reporter reads at the end. Reads
// while others write are monotone but not a snapshot of one moment.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstdint>

namespace leeway {

class Counter {
 public:
  void add(std::uint64_t amount = 1) { value_.fetch_add(amount, std::memory_order_relaxed); }
  [[nodiscard]] std::uint64_t value() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> value_{0};
};

/// Counts of non-negative integers: exact below 16, then eight buckets a power of two (a bucket's
/// bounds differ by 12.5 % at most). Fixed 4 KiB; no allocation.
class Histogram {
 public:
  static constexpr std::size_t kExact = 16;
  static constexpr std::size_t kPerPower = 8;
  static constexpr std::size_t kBuckets = kExact + (64 - 4) * kPerPower;

  void add(std::uint64_t value, std::uint64_t times = 1);

  [[nodiscard]] std::uint64_t count() const { return count_.value(); }
  [[nodiscard]] std::uint64_t sum() const { return sum_.value(); }
  [[nodiscard]] std::uint64_t max() const { return max_.load(std::memory_order_relaxed); }
  [[nodiscard]] double mean() const;
  /// Smallest bucket's lower bound with at least `fraction` of the values at or below that bucket.
  [[nodiscard]] std::uint64_t quantile(double fraction) const;
  [[nodiscard]] std::uint64_t in_bucket(std::size_t bucket) const;

  [[nodiscard]] static constexpr std::size_t bucket_of(std::uint64_t value) {
    if (value < kExact) return static_cast<std::size_t>(value);
    const auto power = static_cast<std::size_t>(std::bit_width(value)) - 1;  // >= 4
    const auto step = static_cast<std::size_t>(value >> (power - 3)) & (kPerPower - 1);
    return kExact + (power - 4) * kPerPower + step;
  }
  [[nodiscard]] static constexpr std::uint64_t lower_bound(std::size_t bucket) {
    if (bucket < kExact) return bucket;
    const std::size_t power = 4 + (bucket - kExact) / kPerPower;
    const std::uint64_t step = (bucket - kExact) % kPerPower;
    return (kPerPower + step) << (power - 3);
  }

 private:
  std::array<std::atomic<std::uint64_t>, kBuckets> buckets_{};
  Counter count_;
  Counter sum_;
  std::atomic<std::uint64_t> max_{0};
};

}  // namespace leeway
