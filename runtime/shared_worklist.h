// A worklist that the threads of a node fill side by side: a bucket queue each, of which the lowest bucket of all is
// processed next. `own` is its thread's alone; everything else is called while no thread adds.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "leeway/base/bucket_queue.h"

namespace leeway {

class SharedWorklist {
 public:
  /// `width`: of a bucket, in ranks.
  SharedWorklist(double width, unsigned threads) : queues_(threads, BucketQueue(width)) {}

  [[nodiscard]] BucketQueue& own(unsigned thread) { return queues_[thread]; }

  /// The lowest bucket with anything in it, all threads' parts of it, moves to `work`, which is empty; its number, or
  /// BucketQueue::none().
  std::size_t take(std::vector<std::uint32_t>& work) {
    std::size_t lowest = BucketQueue::none();
    for (BucketQueue& queue : queues_) lowest = std::min(lowest, queue.find());
    if (lowest == BucketQueue::none()) return lowest;
    for (BucketQueue& queue : queues_) {
      if (queue.lowest() != lowest) continue;
      if (work.empty()) {
        queue.take(work);
        continue;
      }
      queue.take(part_);
      work.insert(work.end(), part_.begin(), part_.end());
      part_.clear();
    }
    return lowest;
  }
  /// No bucket below this holds anything.
  [[nodiscard]] std::size_t lowest() const {
    std::size_t lowest = BucketQueue::none();
    for (const BucketQueue& queue : queues_) lowest = std::min(lowest, queue.lowest());
    return lowest;
  }
  [[nodiscard]] bool empty() const {
    return std::all_of(queues_.begin(), queues_.end(),
                       [](const BucketQueue& queue) { return queue.empty(); });
  }

 private:
  std::vector<BucketQueue> queues_;
  std::vector<std::uint32_t> part_;
};

}  // namespace leeway
