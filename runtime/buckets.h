// A worklist of local vertices in buckets of equal width by rank, lowest first (delta-stepping: Meyer &
// Sanders, J. Algorithms 49, 2003). A vertex may stand in it more than once. One thread's own.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace leeway {

class Buckets {
 public:
  /// Requires a width above 0.
  explicit Buckets(double width) : per_width_(1 / width), buckets_(1) {}

  [[nodiscard]] std::size_t bucket_of(double rank) const {
    return rank <= 0 ? 0 : std::min(kMost, static_cast<std::size_t>(rank * per_width_));
  }
  void add(std::uint32_t vertex, double rank) {
    const std::size_t bucket = bucket_of(rank);
    if (bucket >= buckets_.size()) buckets_.resize(bucket + 1);
    buckets_[bucket].push_back(vertex);
    lowest_ = std::min(lowest_, bucket);
  }

  /// The lowest bucket with anything in it moves to `work`, which is empty; its number, or none().
  std::size_t take(std::vector<std::uint32_t>& work) {
    for (; lowest_ < buckets_.size(); ++lowest_) {
      if (buckets_[lowest_].empty()) continue;
      work.swap(buckets_[lowest_]);
      return lowest_;
    }
    lowest_ = none();
    return none();
  }
  /// No bucket below this holds anything.
  [[nodiscard]] std::size_t lowest() const { return lowest_; }
  [[nodiscard]] static constexpr std::size_t none() { return ~std::size_t{0}; }

 private:
  static constexpr std::size_t kMost = std::size_t{1}
                                       << 22U;  // the last one takes whatever lies beyond

  double per_width_;
  std::vector<std::vector<std::uint32_t>> buckets_;
  std::size_t lowest_ = none();
};

}  // namespace leeway
