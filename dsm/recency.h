// Selects the copy that a bounded cache evicts. LRU is exact: each read moves the copy to the front of a list, under a
// lock that protects only this list. CLOCK approximates it without a lock: each read sets a bit of the copy, and the hand
// evicts the first copy whose bit is not set, clearing the bits that it passes.
//
// `put`, `remove` and `oldest` are called under the node's lock, `used` by any thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "leeway/base/check.h"
#include "leeway/base/spin_mutex.h"
#include "leeway/dsm/space_options.h"
#include "leeway/protocol/lru.h"

namespace leeway {

class Recency {
 public:
  Recency(std::uint32_t places, Eviction eviction)
      : exact_(eviction == Eviction::Lru),
        order_(exact_ ? places : 0),
        present_(exact_ ? 0 : places, false),
        read_(std::make_unique<std::atomic<std::uint8_t>[]>(exact_ ? 0 : places)) {}

  /// A copy was stored at this place; it is the most recent one.
  void put(std::uint32_t place) {
    if (!exact_) {
      present_[place] = true;
      read_[place].store(0, std::memory_order_relaxed);
      return;
    }
    const std::lock_guard locked(mutex_);
    order_.touch(place);
  }
  void remove(std::uint32_t place) {
    if (!exact_) {
      present_[place] = false;
      return;
    }
    const std::lock_guard locked(mutex_);
    order_.remove(place);
  }
  /// The copy at this place was read. If it has been evicted meanwhile, this has no effect, or its successor counts as read.
  void used(std::uint32_t place) {
    if (!exact_) {
      // Do not write a bit that is set: the write would move the cache line between processors.
      if (read_[place].load(std::memory_order_relaxed) == 0)
        read_[place].store(1, std::memory_order_relaxed);
      return;
    }
    const std::lock_guard locked(mutex_);
    if (order_.contains(place)) order_.touch(place);
  }
  /// Requires a copy.
  [[nodiscard]] std::uint32_t oldest() {
    if (exact_) {
      const std::lock_guard locked(mutex_);
      const std::uint32_t place = order_.oldest([](std::uint32_t) { return true; });
      LEEWAY_CHECK(place != Lru::kNone);
      return place;
    }
    while (true) {
      const std::uint32_t place = hand_;
      hand_ = (hand_ + 1) % static_cast<std::uint32_t>(present_.size());
      if (!present_[place]) continue;
      if (read_[place].exchange(0, std::memory_order_relaxed) == 0) return place;
    }
  }

 private:
  const bool exact_;
  SpinMutex mutex_;
  Lru order_;                  // exact
  std::vector<bool> present_;  // clock, as what follows
  std::unique_ptr<std::atomic<std::uint8_t>[]> read_;
  std::uint32_t hand_ = 0;
};

}  // namespace leeway
