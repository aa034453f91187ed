#include "dsm/bounded_copies.h"

#include <algorithm>
#include <bit>

#include "base/check.h"

namespace leeway {

void NextReads::put(std::uint32_t place, std::uint32_t position) {
  LEEWAY_CHECK(position <= positions_, position);
  PlaceLink& it = links_[place];
  if (it.position == position) return;
  if (it.position != kNone) remove(place);
  std::uint32_t& first = first_[position];
  it = {position, kNone, first};
  if (first != kNone) links_[first].before = place;
  first = place;
  filled_[position / kBits] |= std::uint64_t{1} << (position % kBits);
}

void NextReads::remove(std::uint32_t place) {
  PlaceLink& it = links_[place];
  LEEWAY_CHECK(it.position != kNone, place);
  if (it.after != kNone) links_[it.after].before = it.before;
  if (it.before != kNone) {
    links_[it.before].after = it.after;
  } else {
    first_[it.position] = it.after;
    if (it.after == kNone)
      filled_[it.position / kBits] &= ~(std::uint64_t{1} << (it.position % kBits));
  }
  it = {};
}

std::uint32_t NextReads::last_filled(std::size_t end) const {
  std::size_t word = end / kBits;
  std::uint64_t bits = filled_[word] & ((std::uint64_t{1} << (end % kBits)) - 1);
  while (bits == 0 && word > 0) bits = filled_[--word];
  if (bits == 0) return kNone;
  return static_cast<std::uint32_t>(word * kBits + std::bit_width(bits) - 1);
}

std::uint32_t NextReads::last(std::uint32_t now) const {
  if (first_[positions_] != kNone) return first_[positions_];
  std::uint32_t position = last_filled(now);
  if (position == kNone) position = last_filled(positions_);
  LEEWAY_CHECK(position != kNone);
  return first_[position];
}

BoundedCopies::BoundedCopies(const SpaceOptions& options, bool reclaims)
    : capacity_(options.cache_capacity),
      reclaims_(reclaims),
      slot_at_place_(capacity_),
      order_(capacity_, options.eviction, options.read_positions) {
  for (std::uint32_t place = capacity_; place-- > 0;) free_places_.push_back(place);
}

MetIndex BoundedCopies::add(ObjectId id) {
  const MetIndex met(count());
  objects_.push_back(id);
  slots_.push_back(SlotIndex::none());
  if (order_.is_known()) next_reads_.push_back(order_.unknown());
  return met;
}

void BoundedCopies::set_next_read(MetIndex met, std::uint32_t position) {
  next_reads_[met.index()] = position;
  const SlotIndex slot = slot_of(met);
  if (slot == SlotIndex::none()) return;
  if (const std::uint32_t place = place_of(slot); place != Lru::kNone) order_.put(place, position);
}

void BoundedCopies::move_reader(std::optional<std::uint32_t> from,
                                std::optional<std::uint32_t> to) {
  if (from) {
    const auto mine = std::find(readers_.begin(), readers_.end(), *from);
    LEEWAY_CHECK(mine != readers_.end(), *from);
    readers_.erase(mine);
  }
  if (to) readers_.push_back(*to);
  if (!readers_.empty()) now_ = *std::min_element(readers_.begin(), readers_.end());
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

SlotIndex BoundedCopies::first_to_go() {
  LEEWAY_CHECK(free_places_.size() < capacity_);
  return slot_at_place_[order_.first_to_go(now_)];
}

void BoundedCopies::put(SlotIndex slot) {
  stop_expecting(slot);
  BoundedCopy& entry = entries_[slot.index()];
  LEEWAY_CHECK(entry.place == Lru::kNone, slot);
  LEEWAY_CHECK(!full());
  entry.place = free_places_.back();
  free_places_.pop_back();
  slot_at_place_[entry.place] = slot;
  order_.put(entry.place, order_.is_known() ? next_reads_[entry.met.index()] : 0);
}

void BoundedCopies::remove(SlotIndex slot) {
  BoundedCopy& entry = entries_[slot.index()];
  if (entry.place != Lru::kNone) {
    if (entry.expected) ++awaited_;
    order_.remove(entry.place);
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
         next_reads_.capacity() * sizeof(std::uint32_t) + order_.bytes_of_known() +
         capacity_ * (sizeof(SlotIndex) + 3 * sizeof(std::uint32_t));
}

}  // namespace leeway
