#include "dsm/bounded_copies.h"

#include "base/check.h"

namespace leeway {

BoundedCopies::BoundedCopies(std::uint32_t capacity, Eviction eviction, bool reclaims)
    : capacity_(capacity),
      reclaims_(reclaims),
      slot_at_place_(capacity),
      recency_(capacity, eviction) {
  for (std::uint32_t place = capacity; place-- > 0;) free_places_.push_back(place);
}

MetIndex BoundedCopies::add(ObjectId id) {
  const MetIndex met(count());
  objects_.push_back(id);
  slots_.push_back(SlotIndex::none());
  return met;
}

SlotIndex BoundedCopies::need_slot(MetIndex met, Cache& cache) {
  SlotIndex& slot = slots_[met.index()];
  if (slot != SlotIndex::none()) return slot;
  const bool many = reclaims_ && cache.slot_count() >= 2 * std::uint64_t{capacity_};
  slot = many ? take_forgotten(cache) : SlotIndex::none();
  if (slot != SlotIndex::none()) {
    BoundedCopy& entry = entries_[slot.index()];
    slots_[entry.met.index()] = SlotIndex::none();
    cache.meet_in(slot, object(met));
    entry.met = met;
    return slot;
  }
  slot = cache.meet(object(met));
  entries_.emplace_back();
  entries_.back().met = met;
  return slot;
}

SlotIndex BoundedCopies::take_forgotten(const Cache& cache) {
  while (!forgotten_.empty()) {
    const SlotIndex slot = forgotten_.front();
    forgotten_.pop_front();
    BoundedCopy& entry = entries_[slot.index()];
    entry.listed = false;
    // A slot with a copy or a read in flight is listed again when its copy is evicted.
    if (!entry.expected && cache.forgettable(slot)) return slot;
  }
  return SlotIndex::none();
}

SlotIndex BoundedCopies::oldest() {
  LEEWAY_CHECK(free_places_.size() < capacity_);
  return slot_at_place_[recency_.oldest()];
}

void BoundedCopies::put(SlotIndex slot) {
  stop_expecting(slot);
  BoundedCopy& entry = entries_[slot.index()];
  LEEWAY_CHECK(entry.place == Lru::kNone, slot);
  LEEWAY_CHECK(!full());
  entry.place = free_places_.back();
  free_places_.pop_back();
  slot_at_place_[entry.place] = slot;
  recency_.put(entry.place);
}

void BoundedCopies::remove(SlotIndex slot) {
  BoundedCopy& entry = entries_[slot.index()];
  if (entry.place != Lru::kNone) {
    if (entry.expected) ++awaited_;
    recency_.remove(entry.place);
    free_places_.push_back(entry.place);
    entry.place = Lru::kNone;
  }
  if (entry.listed) return;
  entry.listed = true;
  forgotten_.push_back(slot);
}

void BoundedCopies::expect(SlotIndex slot) {
  BoundedCopy& entry = entries_[slot.index()];
  if (entry.expected) return;
  entry.expected = true;
  if (entry.place == Lru::kNone) ++awaited_;
}

void BoundedCopies::stop_expecting(SlotIndex slot) {
  BoundedCopy& entry = entries_[slot.index()];
  if (!entry.expected) return;
  entry.expected = false;
  if (entry.place == Lru::kNone) --awaited_;
}

std::size_t BoundedCopies::bytes() const {
  return objects_.capacity() * sizeof(ObjectId) + slots_.capacity() * sizeof(SlotIndex) +
         entries_.capacity() * sizeof(BoundedCopy) + forgotten_.size() * sizeof(SlotIndex) +
         capacity_ * (sizeof(SlotIndex) + 3 * sizeof(std::uint32_t));
}

}  // namespace leeway
