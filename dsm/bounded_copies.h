// What a bounded cache keeps account of: which of the objects that were met have a slot of the cache machine,
// which slots hold a copy and where it lies, and which of these was read longest ago.
//
// A slot whose copy was evicted stays its object's while there are few. From twice as many as copies on it is
// given to the next object that needs one, and with it all that both nodes kept of the object before. So what
// is kept of an object that is not here is its name alone. Under the node's lock, but for `was_read`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "leeway/dsm/id_index.h"
#include "leeway/dsm/recency.h"
#include "leeway/protocol/cache.h"

namespace leeway {

class BoundedCopies {
 public:
  /// `reclaims`: slots may be given to other objects.
  BoundedCopies(std::uint32_t capacity, Eviction eviction, bool reclaims);

  /// The next number, for an object met for the first time.
  MetIndex add(ObjectId id);
  [[nodiscard]] std::uint32_t count() const { return static_cast<std::uint32_t>(objects_.size()); }
  [[nodiscard]] ObjectId object(MetIndex met) const { return objects_[met.index()]; }
  /// None while nothing of it is here or on its way.
  [[nodiscard]] SlotIndex slot_of(MetIndex met) const { return slots_[met.index()]; }
  /// None if its object has lost it.
  [[nodiscard]] MetIndex met_of(SlotIndex slot) const { return entries_[slot.index()].met; }
  /// Its slot; it gets one if it has none.
  SlotIndex need_slot(MetIndex met, Cache& cache);

  /// Where the copy lies; Lru::kNone if there is none.
  [[nodiscard]] std::uint32_t place_of(SlotIndex slot) const {
    return entries_[slot.index()].place;
  }
  [[nodiscard]] bool full() const { return free_places_.empty(); }
  /// The copy that is to go. Requires one.
  [[nodiscard]] SlotIndex oldest();
  /// Gives the slot a place, as the most recently used. Requires that it has none and a place is free.
  void put(SlotIndex slot);
  void remove(SlotIndex slot);
  /// The program has read the copy that lies there. Any thread.
  void was_read(std::uint32_t place) { recency_.used(place); }

  /// The program wants the object: its answer may take a place, which that of a refresh may not.
  void expect(SlotIndex slot);
  void expect_no_more(SlotIndex slot);
  [[nodiscard]] bool expected(SlotIndex slot) const { return entries_[slot.index()].expected; }
  /// Half of the places are kept for what is being used.
  [[nodiscard]] bool may_ask_ahead() const { return awaited_ < capacity_ / 2; }
  [[nodiscard]] std::size_t bytes() const;

 private:
  struct Entry {
    MetIndex met = MetIndex::none();
    std::uint32_t place = Lru::kNone;
    bool expected = false;
    bool listed = false;  // in forgotten_
  };

  [[nodiscard]] SlotIndex take_forgotten(const Cache& cache);

  const std::uint32_t capacity_;
  const bool reclaims_;
  std::vector<ObjectId> objects_;  // by number
  std::vector<SlotIndex> slots_;   // by number
  std::vector<Entry> entries_;     // by slot
  std::vector<SlotIndex> slot_at_place_;
  std::vector<std::uint32_t> free_places_;
  std::deque<SlotIndex> forgotten_;  // lost their copies, longest ago first; some have one again
  Recency recency_;
  std::uint32_t awaited_ = 0;  // expected, and without a place
};

}  // namespace leeway
