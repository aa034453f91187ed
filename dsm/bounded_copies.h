// The bookkeeping of a bounded cache: which known objects have a slot of the cache machine, where
// each copy is stored, and which copy is evicted next (exact LRU, CLOCK, or the one that is read last from now).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "base/check.h"
#include "base/parallel.h"
#include "dsm/id_index.h"
#include "dsm/space_options.h"
#include "protocol/cache.h"

namespace leeway {

/// Exact least-recently-used order of a fixed set of places. Every operation is a few pointer
/// updates, except a search by `oldest`. Not thread-safe.
class Lru {
 public:
  /// For places 0 … count-1, none of them in the order yet.
  explicit Lru(std::uint32_t count) : places_(count + std::size_t{1}) { places_[0] = {0, 0}; }

  /// Makes `place` the most recent, whether it was in the order or not.
  void touch(std::uint32_t place) {
    if (contains(place)) unlink(place);
    RecencyLink& it = places_[place + std::size_t{1}];
    it.newer = 0;
    it.older = places_[0].older;          // the head's "older" is the most recent place
    places_[it.older].newer = place + 1;  // the head's "newer" too, when the order was empty
    places_[0].older = place + 1;
  }

  void remove(std::uint32_t place) {
    LEEWAY_CHECK(contains(place), place);
    unlink(place);
    places_[place + std::size_t{1}] = {kOutside, kOutside};
  }

  [[nodiscard]] bool contains(std::uint32_t place) const {
    return places_[place + std::size_t{1}].newer != kOutside;
  }

  /// The least recent place for which `accept(place)` holds, or kNone.
  template <class Accept>
  [[nodiscard]] std::uint32_t oldest(Accept&& accept) const {
    for (std::uint32_t at = places_[0].newer; at != 0; at = places_[at].newer) {
      if (accept(at - 1)) return at - 1;
    }
    return kNone;
  }

  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

 private:
  static constexpr std::uint32_t kOutside = ~std::uint32_t{0};
  /// Neighbours, one-based; 0 is the head, whose `older` is the newest place and `newer` the oldest.
  struct RecencyLink {
    std::uint32_t newer = kOutside;
    std::uint32_t older = kOutside;
  };

  void unlink(std::uint32_t place) {
    const RecencyLink it = places_[place + std::size_t{1}];
    if (it.newer == 0) {
      places_[0].older = it.older;
    } else {
      places_[it.newer].older = it.older;
    }
    if (it.older == 0) {
      places_[0].newer = it.newer;
    } else {
      places_[it.older].newer = it.newer;
    }
  }

  std::vector<RecencyLink> places_;
};

/// At which position of an order of reads, which repeats, each of a fixed set of places is read next. Not thread-safe.
class NextReads {
 public:
  /// Positions are 0 … positions-1; a place whose next read is not known counts as the last.
  NextReads(std::uint32_t places, std::uint32_t positions)
      : positions_(positions),
        links_(places),
        first_(places == 0 ? 0 : positions + std::size_t{1}, kNone),
        filled_(first_.size() / kBits + 1) {}

  [[nodiscard]] std::uint32_t unknown() const { return positions_; }
  /// Inserts or moves a place.
  void put(std::uint32_t place, std::uint32_t position);
  void remove(std::uint32_t place);
  [[nodiscard]] bool contains(std::uint32_t place) const { return links_[place].position != kNone; }
  /// The place that is read last by a program that is at `now`: the greatest position below `now`, or, if there is
  /// none, of all. Requires that a place exists (checked).
  [[nodiscard]] std::uint32_t last(std::uint32_t now) const;
  [[nodiscard]] std::size_t bytes() const {
    return links_.size() * sizeof(PlaceLink) + first_.size() * sizeof(std::uint32_t) +
           filled_.size() * sizeof(std::uint64_t);
  }

  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

 private:
  static constexpr std::size_t kBits = 64;
  /// Neighbours in the list of a position.
  struct PlaceLink {
    std::uint32_t position = kNone;
    std::uint32_t before = kNone;
    std::uint32_t after = kNone;
  };
  /// The greatest position below `end` with a place, or kNone.
  [[nodiscard]] std::uint32_t last_filled(std::size_t end) const;

  std::uint32_t positions_;
  std::vector<PlaceLink> links_;       // by place
  std::vector<std::uint32_t> first_;   // by position: a place, or kNone
  std::vector<std::uint64_t> filled_;  // by position: a bit, whether there is a place
};

/// Selects the copy that a bounded cache evicts. LRU is exact: each read moves the copy to the
/// front of a list, under a lock that protects only this list. CLOCK approximates it without a
/// lock: each read sets a bit of the copy, and the hand evicts the first copy whose bit is not set,
/// clearing the bits that it passes. Known evicts by the program's announcements.
///
/// All functions but `used` are called under the node's lock, `used` by any thread.
class EvictionOrder {
 public:
  EvictionOrder(std::uint32_t places, Eviction eviction, std::uint32_t positions)
      : how_(eviction),
        order_(eviction == Eviction::Lru ? places : 0),
        present_(eviction == Eviction::Clock ? places : 0, false),
        read_(std::make_unique<std::atomic<std::uint8_t>[]>(present_.size())),
        next_reads_(eviction == Eviction::Known ? places : 0, positions) {}

  /// A copy was stored at this place; it is the most recent one. `position`: of its next read.
  void put(std::uint32_t place, std::uint32_t position) {
    if (how_ == Eviction::Known) return next_reads_.put(place, position);
    if (how_ == Eviction::Clock) {
      present_[place] = true;
      read_[place].store(0, std::memory_order_relaxed);
      return;
    }
    const std::lock_guard locked(mutex_);
    order_.touch(place);
  }
  void remove(std::uint32_t place) {
    if (how_ == Eviction::Known) return next_reads_.remove(place);
    if (how_ == Eviction::Clock) {
      present_[place] = false;
      return;
    }
    const std::lock_guard locked(mutex_);
    order_.remove(place);
  }
  /// The copy at this place was read. If it has been evicted meanwhile, this has no effect, or its
  /// successor counts as read.
  void used(std::uint32_t place) {
    if (how_ == Eviction::Known) return;
    if (how_ == Eviction::Clock) {
      // Do not write a bit that is set: the write would move the cache line between processors.
      if (read_[place].load(std::memory_order_relaxed) == 0)
        read_[place].store(1, std::memory_order_relaxed);
      return;
    }
    const std::lock_guard locked(mutex_);
    if (order_.contains(place)) order_.touch(place);
  }
  /// The place of the copy to evict, by a program that is at position `now`. Requires that a copy exists.
  [[nodiscard]] std::uint32_t first_to_go(std::uint32_t now) {
    if (how_ == Eviction::Known) return next_reads_.last(now);
    if (how_ == Eviction::Lru) {
      const std::lock_guard locked(mutex_);
      // mutant: a-full-cache-has-no-room
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

  [[nodiscard]] bool is_known() const { return how_ == Eviction::Known; }
  [[nodiscard]] std::uint32_t unknown() const { return next_reads_.unknown(); }
  [[nodiscard]] std::size_t bytes_of_known() const { return next_reads_.bytes(); }

 private:
  const Eviction how_;
  SpinMutex mutex_;
  Lru order_;                  // for LRU
  std::vector<bool> present_;  // for CLOCK, like the next members
  std::unique_ptr<std::atomic<std::uint8_t>[]> read_;
  std::uint32_t hand_ = 0;
  NextReads next_reads_;  // for Known
};

/// The objects, slots and places of a bounded cache. After its copy is evicted, an object keeps its
/// slot while there are few slots. If there are at least twice as many slots as places, the slot is
/// reassigned to the next object that needs one, and both nodes discard all state of the old
/// object. So an object that is not cached costs only its id. All functions except `was_read`
/// require the node's lock.
class BoundedCopies {
 public:
  /// `reclaims`: slots may be reassigned to other objects.
  BoundedCopies(const SpaceOptions& options, bool reclaims);

  /// Registers an object and returns its number.
  MetIndex add(ObjectId id);
  [[nodiscard]] std::uint32_t count() const { return static_cast<std::uint32_t>(objects_.size()); }
  [[nodiscard]] ObjectId object(MetIndex met) const { return objects_[met.index()]; }
  /// The object's slot; none if it has none.
  [[nodiscard]] SlotIndex slot_of(MetIndex met) const { return slots_[met.index()]; }
  /// The object of a slot.
  [[nodiscard]] MetIndex met_of(SlotIndex slot) const { return entries_[slot.index()].met; }
  /// The object's slot; assigns one if it has none.
  SlotIndex need_slot(MetIndex met, Cache& cache);

  /// The place of the copy; Lru::kNone if there is none.
  [[nodiscard]] std::uint32_t place_of(SlotIndex slot) const {
    return entries_[slot.index()].place;
  }
  [[nodiscard]] bool full() const { return free_places_.empty(); }
  /// The copy to evict next. Requires that a copy exists.
  [[nodiscard]] SlotIndex first_to_go();
  /// Assigns a place to the slot, as the most recently used. Requires that it has none and that a
  /// place is free.
  void put(SlotIndex slot);
  void remove(SlotIndex slot);
  /// The program has read the copy at this place. Any thread.
  void was_read(std::uint32_t place) { order_.used(place); }
  /// For Eviction::Known: the position of the next read of an object.
  void set_next_read(MetIndex met, std::uint32_t position);
  /// A thread has gone on in the order of reads. `from` none: it begins; `to` none: it ends.
  void move_reader(std::optional<std::uint32_t> from, std::optional<std::uint32_t> to);

  /// The program needs the object, so a reply may take a place. The reply to a refresh may not.
  void expect(SlotIndex slot);
  void stop_expecting(SlotIndex slot);
  [[nodiscard]] bool expected(SlotIndex slot) const { return entries_[slot.index()].expected; }
  /// Prefetching may use at most half of the places.
  [[nodiscard]] bool may_prefetch() const { return awaited_ < capacity_ / 2; }
  [[nodiscard]] std::size_t bytes() const;

 private:
  struct BoundedCopy {
    MetIndex met = MetIndex::none();
    std::uint32_t place = Lru::kNone;
    bool expected = false;
    bool listed = false;  // in forgotten_
  };

  [[nodiscard]] SlotIndex take_forgotten(const Cache& cache);

  const std::uint32_t capacity_;
  const bool reclaims_;
  std::vector<ObjectId> objects_;     // by MetIndex
  std::vector<SlotIndex> slots_;      // by MetIndex
  std::vector<BoundedCopy> entries_;  // by slot
  std::vector<SlotIndex> slot_at_place_;
  std::vector<std::uint32_t> free_places_;
  std::deque<SlotIndex> forgotten_;  // evicted, oldest first; some have a copy again
  EvictionOrder order_;
  std::vector<std::uint32_t>
      next_reads_;  // by MetIndex, for Eviction::Known: position of the next read
  std::vector<std::uint32_t> readers_;  // positions of the reading threads
  std::uint32_t now_ = 0;               // the least of them, or the last one there was
  std::uint32_t awaited_ = 0;           // expected slots without a place
};

}  // namespace leeway
