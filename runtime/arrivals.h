// What the other nodes' stores mean for this node's work: which copies have changed since it last looked.
// A copy that is current, or that the mode may not use as it is, is handed out at once, so that its
// dependents run; one that is stale but usable is read once an iteration until the value comes, which
// asks for a refresh and keeps the job from ending (ASPIRE §4.2). One thread's own.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "leeway/dsm/dsm.h"
#include "leeway/runtime/shard.h"

namespace leeway {

/// Calls `use(handle, value)` for the copies `handle_at(0)` to `handle_at(count - 1)`, which may be missing. They are asked
/// for together: all of them, or as many as find a place in a bounded cache.
template <class Value, class HandleAt, class Use>
void read_copies(Space& space, View<Value>& view, std::size_t count, const HandleAt& handle_at,
                 Use&& use) {
  const std::size_t at_once =
      space.bounded() ? std::max<std::size_t>(1, space.cache_capacity() / 2) : count;
  std::vector<Handle> missing;
  for (std::size_t begin = 0; begin < count; begin += at_once) {
    const std::size_t end = std::min(begin + at_once, count);
    missing.clear();
    for (std::size_t i = begin; i < end; ++i) {
      const Handle handle = handle_at(i);
      if (space.age(MetIndex(handle.value() - space.local_handles())) == Space::kUnusable)
        missing.push_back(handle);
    }
    if (!missing.empty()) space.prefetch(missing);
    for (std::size_t i = begin; i < end; ++i) use(handle_at(i), view.fetch(handle_at(i)));
  }
}

/// The same for all objects of other nodes that this node reads.
template <class Value, class Use>
void read_all_copies(Space& space, View<Value>& view, const Shard& shard, Use&& use) {
  const auto handle_at = [first = shard.local_count()](std::size_t slot) {
    return Handle(first + static_cast<std::uint32_t>(slot));
  };
  read_copies(space, view, shard.remote_count(), handle_at, use);
}

template <class Value>
class Arrivals {
 public:
  /// Requires a space that notes changes.
  explicit Arrivals(Dsm<Value>& dsm) : space_(dsm.space()), watched_(space_.met_limit(), false) {}

  /// True if there is something to take; for a node that waits. A copy that has become stale but may be used is
  /// something, too: until it is read nobody asks for its value, and a node at rest would hear of it only at the pace
  /// of the slowest.
  [[nodiscard]] bool any() {
    look();
    return !fresh_.empty() || newly_stale_;
  }
  /// Of all that has come none is worth running anything for: it is stale. Asks for it then.
  [[nodiscard]] bool only_stale(View<Value>& view) {
    look();
    if (!fresh_.empty() || !newly_stale_) return false;
    newly_stale_ = false;
    touch_stale(view);
    return fresh_.empty();
  }

  /// Calls `run(handle)` for every copy whose dependents should run.
  template <class Run>
  void take(View<Value>& view, Run&& run) {
    look_and_touch(view);
    // Where the cache is bounded, vertices ask for what they miss when they are run.
    if (!space_.bounded()) ask_for_unusable();
    for (const MetIndex met : fresh_) run(handle(met));
    fresh_.clear();
  }
  /// The same, for who reads the copies at once: calls `use(handle, value)`.
  template <class Use>
  void read(View<Value>& view, Use&& use) {
    look_and_touch(view);
    read_copies(
        space_, view, fresh_.size(), [&](std::size_t i) { return handle(fresh_[i]); }, use);
    fresh_.clear();
  }
  /// Everything is going to run anyway: only what is stale stays in mind.
  void pass() {
    look();
    newly_stale_ = false;
    sort_out_stale([](MetIndex) {});
    fresh_.clear();
  }

 private:
  [[nodiscard]] Handle handle(MetIndex met) const {
    return Handle(space_.local_handles() + met.value());
  }
  [[nodiscard]] bool usable_but_stale(MetIndex met) const {
    const std::uint8_t age = space_.age(met);
    return age != 0 && age != Space::kUnusable;
  }

  void look() {
    space_.take_changed([&](MetIndex met) {
      if (!usable_but_stale(met)) {
        fresh_.push_back(met);
        return;
      }
      newly_stale_ = true;
      if (watched_[met.index()]) return;
      watched_[met.index()] = true;
      stale_.push_back(met);
    });
  }

  /// All at once, before the first of them is waited for.
  void ask_for_unusable() {
    missing_.clear();
    for (const MetIndex met : fresh_) {
      if (space_.age(met) == Space::kUnusable) missing_.push_back(handle(met));
    }
    if (!missing_.empty()) space_.prefetch(missing_);
  }

  void look_and_touch(View<Value>& view) {
    look();
    newly_stale_ = false;
    touch_stale(view);
  }

  void touch_stale(View<Value>& view) {
    sort_out_stale([&](MetIndex met) { (void)view.fetch(handle(met)); });
  }
  /// What is stale no more has arrived; calls `still(met)` for the others.
  template <class Still>
  void sort_out_stale(Still&& still) {
    std::size_t kept = 0;
    for (const MetIndex met : stale_) {
      if (usable_but_stale(met)) {
        still(met);
        stale_[kept++] = met;
      } else {
        watched_[met.index()] = false;
        fresh_.push_back(met);
      }
    }
    stale_.resize(kept);
  }

  Space& space_;
  std::vector<MetIndex> fresh_;
  std::vector<MetIndex> stale_;
  std::vector<Handle> missing_;
  std::vector<bool> watched_;  // by met object: stands in stale_
  bool newly_stale_ = false;   // one of them has become so, or once more, since they were last read
};

}  // namespace leeway
