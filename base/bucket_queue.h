// A worklist of vertices in buckets of equal width by rank, lowest bucket first (delta-stepping: Meyer & Sanders,
// J. Algorithms 49, 2003). A vertex may be in it more than once. Only the buckets within a window of bounded length are in an
// array; vertices beyond the window are in a heap until the window reaches them, so memory is proportional to the number of
// vertices, independent of the range of ranks. Not thread-safe.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "base/archive.h"
#include "base/bytes.h"

namespace leeway {

class BucketQueue {
 public:
  /// Requires a width above 0.
  explicit BucketQueue(double width = 1) : per_width_(1 / width) {}

  /// Increases with the rank. Ranks below 0 are in the first bucket; the last bucket holds all ranks that are too high.
  [[nodiscard]] std::size_t bucket_of(double rank) const {
    // With this order of min and max, NaN (infinity times 0) maps to the last bucket.
    const double bucket = std::max(0.0, std::min(kLast, rank * per_width_));
    return static_cast<std::size_t>(static_cast<std::int64_t>(bucket));
  }
  void add(std::uint32_t vertex, double rank) { put(vertex, bucket_of(rank)); }
  /// Requires a bucket not above 2^62.
  void put(std::uint32_t vertex, std::size_t bucket) {
    const std::size_t place =
        bucket - begin_;  // wraps to a huge value if the bucket is below the window
    lowest_ = std::min(lowest_, bucket);
    if (place >= window_.size()) [[unlikely]] {
      if (!reach(bucket)) return wait(vertex, bucket);
    }
    window_[bucket - begin_].push_back(vertex);
  }

  /// Moves the lowest non-empty bucket to `work`, which must be empty. Returns its number, or none().
  std::size_t take(std::vector<std::uint32_t>& work) {
    if (find() != none()) work.swap(window_[lowest_ - begin_]);
    return lowest_;
  }
  /// The lowest non-empty bucket, or none(), which is greater than any bucket.
  std::size_t find() {
    while (true) {
      for (; lowest_ < begin_ + window_.size(); ++lowest_) {
        if (!window_[lowest_ - begin_].empty()) return lowest_;
      }
      if (!advance()) return none();
    }
  }
  /// A lower bound of the non-empty buckets.
  [[nodiscard]] std::size_t lowest() const { return lowest_; }
  [[nodiscard]] bool empty() const {
    if (!waiting_.empty()) return false;
    for (std::size_t at = lowest_; at < begin_ + window_.size(); ++at) {
      if (!window_[at - begin_].empty()) return false;
    }
    return true;
  }
  /// Number of entries; takes time proportional to the number of buckets.
  [[nodiscard]] std::size_t size() const {
    std::size_t entries = waiting_.size();
    for (std::size_t at = lowest_; at < begin_ + window_.size(); ++at)
      entries += window_[at - begin_].size();
    return entries;
  }
  void save(ByteWriter& out) const {
    save_all(out, per_width_, begin_, lowest_, window_, waiting_);
  }
  void load(ByteReader& in) { load_all(in, per_width_, begin_, lowest_, window_, waiting_); }
  [[nodiscard]] static constexpr std::size_t none() { return ~std::size_t{0}; }

 private:
  using Waiting = std::pair<std::size_t, std::uint32_t>;  // bucket, vertex

  static constexpr std::size_t kWindow = std::size_t{1} << 14U;
  static constexpr double kLast = 0x1p62;

  /// Extends the window to the bucket. False if the bucket is beyond the window.
  [[gnu::noinline]] bool reach(std::size_t bucket) {
    if (bucket < begin_) begin_at(bucket);
    const std::size_t place = bucket - begin_;
    // mutant: buckets-without-an-end
    if (place >= kWindow) return false;
    if (place >= window_.size()) window_.resize(place + 1);
    return true;
  }
  [[gnu::noinline]] void wait(std::uint32_t vertex, std::size_t bucket) {
    waiting_.emplace_back(bucket, vertex);
    std::push_heap(waiting_.begin(), waiting_.end(), std::greater<>());
  }
  /// Moves the window down to the one that contains `bucket`; the vertices of the old window move to the heap.
  void begin_at(std::size_t bucket) {
    for (std::size_t place = 0; place < window_.size(); ++place) {
      for (const std::uint32_t vertex : window_[place]) wait(vertex, begin_ + place);
      window_[place].clear();
    }
    begin_ = bucket - bucket % kWindow;
  }
  /// Moves the empty window to the lowest bucket in the heap; false if the heap is empty.
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
  std::size_t begin_ = 0;  // first bucket of the window
  std::vector<std::vector<std::uint32_t>> window_;
  std::vector<Waiting> waiting_;  // a heap, lowest first
  std::size_t lowest_ = none();
};

}  // namespace leeway
