// What the other nodes' stores mean for this node's work: which copies have changed since it last looked.
// A copy that is current, or that the mode may not use as it is, is handed out at once, so that its
// dependents run; one that is stale but usable is read once an iteration until the value comes, which
// asks for a refresh and keeps the job from ending (ASPIRE §4.2). One thread's own.
#pragma once

#include <cstdint>
#include <vector>

#include "leeway/dsm/dsm.h"

namespace leeway {

template <class Value>
class Arrivals {
 public:
  /// Requires a space that notes changes.
  explicit Arrivals(Dsm<Value>& dsm) : space_(dsm.space()), watched_(space_.slot_limit(), false) {}

  /// True if there is something to take; for a node that waits.
  [[nodiscard]] bool any() {
    look();
    return !fresh_.empty();
  }

  /// Calls `run(handle)` for every copy whose dependents should run.
  template <class Run>
  void take(View<Value>& view, Run&& run) {
    look();
    touch_stale(view);
    ask_for_unusable();
    for (const SlotIndex slot : fresh_) run(handle(slot));
    fresh_.clear();
  }
  /// Everything is going to run anyway: only what is stale stays in mind.
  void pass() {
    look();
    fresh_.clear();
  }

 private:
  [[nodiscard]] Handle handle(SlotIndex slot) const {
    return Handle(space_.local_count() + slot.value());
  }
  [[nodiscard]] bool usable_but_stale(SlotIndex slot) const {
    const std::uint8_t age = space_.age(slot);
    return age != 0 && age != Space::kUnusable;
  }

  void look() {
    space_.take_changed([&](SlotIndex slot) {
      if (!usable_but_stale(slot)) {
        fresh_.push_back(slot);
      } else if (!watched_[slot.index()]) {
        watched_[slot.index()] = true;
        stale_.push_back(slot);
      }
    });
  }

  /// All at once, before the first of them is waited for.
  void ask_for_unusable() {
    missing_.clear();
    for (const SlotIndex slot : fresh_) {
      if (space_.age(slot) == Space::kUnusable) missing_.push_back(handle(slot));
    }
    if (!missing_.empty()) space_.prefetch(missing_);
  }

  void touch_stale(View<Value>& view) {
    std::size_t kept = 0;
    for (const SlotIndex slot : stale_) {
      if (usable_but_stale(slot)) {
        (void)view.fetch(handle(slot));
        stale_[kept++] = slot;
      } else {
        watched_[slot.index()] = false;
        fresh_.push_back(slot);
      }
    }
    stale_.resize(kept);
  }

  Space& space_;
  std::vector<SlotIndex> fresh_;
  std::vector<SlotIndex> stale_;
  std::vector<Handle> missing_;
  std::vector<bool> watched_;  // by slot: stands in stale_
};

}  // namespace leeway
