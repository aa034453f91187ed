// A worklist of vertices in buckets of equal width by rank, lowest first (delta-stepping: Meyer & Sanders,
// J. Algorithms 49, 2003). A vertex may stand in it more than once. Buckets lie in an array only within a
// window of bounded length; what is beyond waits in a heap until the window gets there, so that memory is
// that of the vertices in it, however far apart their ranks lie. One thread's own.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

namespace leeway {

class BucketQueue {
 public:
  /// Requires a width above 0.
  explicit BucketQueue(double width = 1) : per_width_(1 / width) {}

  /// Ascends with the rank. Ranks below 0 are in the first bucket; the last takes all that is too high for
  /// a number of its own.
  [[nodiscard]] std::size_t bucket_of(double rank) const {
    // In this order a NaN, as infinity times 0 is, becomes the last bucket.
    const double bucket = std::max(0.0, std::min(kLast, rank * per_width_));
    return static_cast<std::size_t>(static_cast<std::int64_t>(bucket));
  }
  void add(std::uint32_t vertex, double rank) { put(vertex, bucket_of(rank)); }
  /// Requires a bucket not above 2^62.
  void put(std::uint32_t vertex, std::size_t bucket) {
    const std::size_t place = bucket - begin_;  // beyond any size if it is below
    lowest_ = std::min(lowest_, bucket);
    if (place >= window_.size()) [[unlikely]] {
      if (!reach(bucket)) return wait(vertex, bucket);
    }
    window_[bucket - begin_].push_back(vertex);
  }

  /// The lowest bucket with anything in it moves to `work`, which is empty; its number, or none().
  std::size_t take(std::vector<std::uint32_t>& work) {
    if (find() != none()) work.swap(window_[lowest_ - begin_]);
    return lowest_;
  }
  /// The lowest bucket with anything in it, or none(), which is above all.
  std::size_t find() {
    while (true) {
      for (; lowest_ < begin_ + window_.size(); ++lowest_) {
        if (!window_[lowest_ - begin_].empty()) return lowest_;
      }
      if (!advance()) return none();
    }
  }
  /// No bucket below this holds anything.
  [[nodiscard]] std::size_t lowest() const { return lowest_; }
  [[nodiscard]] bool empty() const {
    if (!waiting_.empty()) return false;
    for (std::size_t at = lowest_; at < begin_ + window_.size(); ++at) {
      if (!window_[at - begin_].empty()) return false;
    }
    return true;
  }
  [[nodiscard]] static constexpr std::size_t none() { return ~std::size_t{0}; }

 private:
  using Waiting = std::pair<std::size_t, std::uint32_t>;  // bucket, vertex

  static constexpr std::size_t kWindow = std::size_t{1} << 14U;
  static constexpr double kLast = 0x1p62;

  /// Makes room for the bucket, unless it lies beyond the window.
  [[gnu::noinline]] bool reach(std::size_t bucket) {
    if (bucket < begin_) begin_at(bucket);
    const std::size_t place = bucket - begin_;
    if (place >= kWindow) return false;
    if (place >= window_.size()) window_.resize(place + 1);
    return true;
  }
  [[gnu::noinline]] void wait(std::uint32_t vertex, std::size_t bucket) {
    waiting_.emplace_back(bucket, vertex);
    std::push_heap(waiting_.begin(), waiting_.end(), std::greater<>());
  }
  /// Turns the window back to where `bucket` is in it; what was in it waits.
  void begin_at(std::size_t bucket) {
    for (std::size_t place = 0; place < window_.size(); ++place) {
      for (const std::uint32_t vertex : window_[place]) wait(vertex, begin_ + place);
      window_[place].clear();
    }
    begin_ = bucket - bucket % kWindow;
  }
  /// Moves the window, in which nothing is left, to the lowest that waits; false if nothing does.
  bool advance() {
    if (waiting_.empty()) {
      lowest_ = none();
      return false;
    }
    lowest_ = waiting_.front().first;
    begin_ = lowest_ - lowest_ % kWindow;
    while (!waiting_.empty() && waiting_.front().first - begin_ < kWindow) {
      const auto [bucket, vertex] = waiting_.front();
      std::pop_heap(waiting_.begin(), waiting_.end(), std::greater<>());
      waiting_.pop_back();
      put(vertex, bucket);
    }
    return true;
  }

  double per_width_;
  std::size_t begin_ = 0;  // the bucket that the window begins with
  std::vector<std::vector<std::uint32_t>> window_;
  std::vector<Waiting> waiting_;  // a heap, lowest first
  std::size_t lowest_ = none();
};

}  // namespace leeway
