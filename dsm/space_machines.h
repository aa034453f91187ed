// What a space consists of behind its header: the protocol's machines for both sides, the account of a bounded cache,
// and the threads that wait for a copy. Under the node's lock.
#pragma once

#include <atomic>
#include <vector>

#include "leeway/dsm/bounded_copies.h"
#include "leeway/dsm/space.h"
#include "leeway/protocol/cache.h"
#include "leeway/protocol/directory.h"

namespace leeway {

struct Space::Machines final : HomeValues, ReadMarks {
  Machines(Space& space, std::uint32_t nodes)
      : owner(space),
        directory(space.id_, space.self_, nodes, space.local_count(), space.policy_,
                  space.value_bytes_, *this),
        cache(space.id_, space.self_, nodes, space.policy_, space.value_bytes_, this),
        copies(space.cache_capacity(), space.options_.eviction,
               space.policy_.optimizations.collocation && !space.options_.hear_of_evicted) {}

  void append(std::span<const LocalIndex> objects, ByteWriter& out) const override;
  void put(LocalIndex object, ValueView value) override;
  [[nodiscard]] bool unread(SlotIndex slot) const override;

  Space& owner;
  Directory directory;
  Cache cache;
  BoundedCopies copies;  // if the cache is bounded
  // Scratch, kept for its memory.
  CacheEffects effects;
  struct {
    std::vector<LocalIndex> objects;
    std::vector<std::uint32_t> times;
  } drained;
};

/// A thread that reads a copy, maybe waiting for it.
struct Space::Waiter {
  MetIndex met_index{0};
  std::byte* out = nullptr;
  Access met = Access::CurrentHit;
  bool served = false;
  /// It is served, or no answer to it is under way any more. For the waiting thread, which has not the lock.
  std::atomic<bool> look{false};
};

inline SlotIndex Space::slot_of(MetIndex met) const {
  return bounded() ? copies_.slot_of(met) : SlotIndex(met.value());
}
inline SlotIndex Space::need_slot(MetIndex met) {
  return bounded() ? copies_.need_slot(met, cache_) : SlotIndex(met.value());
}
inline MetIndex Space::met_of(SlotIndex slot) const {
  return bounded() ? copies_.met_of(slot) : MetIndex(slot.value());
}

}  // namespace leeway
