// What messages do to a space, and what it sends: the protocol machines' effects put into memory.
#include <algorithm>

#include "leeway/base/check.h"
#include "leeway/dsm/node.h"
#include "leeway/dsm/space.h"

namespace leeway {

bool Space::on_message(MessageKind kind, NodeId from, ByteReader& in, Outbox& out) {
  effects_.clear();
  bool understood = false;
  switch (kind) {
    case MessageKind::Link:
      understood = directory_.on_link(from, in);
      break;
    case MessageKind::Read:
      drain_writes();  // the reply then carries the newest version
      understood = directory_.on_read(from, in, out);
      break;
    case MessageKind::Reply:
      understood = cache_.on_reply(from, in, effects_);
      break;
    case MessageKind::Invalidate:
      understood = cache_.on_invalidate(from, in, out, effects_);
      break;
    case MessageKind::Ack:
      understood = directory_.on_ack(from, in, out);
      break;
    case MessageKind::Evict:
      understood = directory_.on_evict(from, in);
      break;
    case MessageKind::Write:
      understood = directory_.on_write(from, in, out);
      if (directory_.needs_flush()) mark_pending();
      break;
    case MessageKind::WriteAck: {
      const AckNumber number(in.varint());
      remote_writes_.erase(number);
      understood = true;
      break;
    }
    case MessageKind::Decline:
      understood = directory_.on_decline(from, in);
      break;
    case MessageKind::Collective:
      break;
  }
  apply(effects_);
  if (watched_) record_journal();
  return understood && !in.failed();
}

void Space::apply(const CacheEffects& effects) {
  const bool plain = !bounded() && !watched_;
  for (const Install& install : effects.installs) {
    if (plain) {
      values_.store(local_count() + install.slot.index(), install.value());
    } else {
      put_copy(install);
    }
  }
  if (watched_) {
    for (const SlotIndex slot : effects.changed) {
      record(RecordKind::Invalidated, cache_.object(slot), cache_.known(slot));
    }
  }
  publish(effects.changed, !plain);
  for (const SlotIndex slot : effects.watched) publish(slot, true);
  if (!waiters_.empty()) serve_waiters();
  if (cache_.needs_flush()) mark_pending();
}

void Space::put_copy(const Install& install) {
  if (cache_.held(install.slot) == kNoVersion)
    return;  // evicted for another one of the same message
  if (bounded()) {
    std::uint32_t& place = place_of_slot_[install.slot.index()];
    if (place == Lru::kNone) {
      place = make_room();
      slot_at_place_[place] = install.slot;
    }
    recency_.touch(place);
  }
  values_.store(place_of(install.slot), install.value());
  if (!watched_) return;
  record(RecordKind::Installed, cache_.object(install.slot), cache_.held(install.slot),
         hash_value(install.value()));
}

/// ASPIRE §4.2: a full cache evicts its least recently used object. One that is being read stays.
std::uint32_t Space::make_room() {
  if (!free_places_.empty()) {
    const std::uint32_t place = free_places_.back();
    free_places_.pop_back();
    return place;
  }
  const std::uint32_t place = recency_.oldest([&](std::uint32_t at) {
    const CopyState state = cache_.state(slot_at_place_[at]);
    return state == CopyState::Shared || state == CopyState::Stale;
  });
  LEEWAY_CHECK(place != Lru::kNone);  // half the places are never under way at once
  const SlotIndex victim = slot_at_place_[place];
  recency_.remove(place);
  place_of_slot_[victim.index()] = Lru::kNone;
  cache_.evict(victim);
  record(RecordKind::Evicted, cache_.object(victim), cache_.known(victim));
  publish(victim, true);
  return place;
}

/// Locked. What the machine knows of a slot, in one byte for the readers that take no lock.
[[gnu::always_inline]] inline std::uint8_t Space::age_to_publish(SlotIndex slot) const {
  const Access access = cache_.classify(slot);
  if (access == Access::CurrentHit) return 0;
  if (access != Access::StaleHit) return kUnusable;
  return static_cast<std::uint8_t>(std::min<std::uint64_t>(cache_.staleness(slot), kMostAge));
}

/// Tells the lock-free readers what the machine knows. The value is in place before.
void Space::publish(SlotIndex slot, bool keep_slow) {
  const std::uint8_t age = age_to_publish(slot);
  mark_of(slot).store(age == 0 && keep_slow ? kLookFirst : age, std::memory_order_release);
  if (options_.note_changes) changed_.add(slot.value());
}

void Space::publish(std::span<const SlotIndex> slots, bool keep_slow) {
  for (const SlotIndex slot : slots) publish(slot, keep_slow);
}

void Space::flush(Outbox& out) {
  pending_.exchange(false, std::memory_order_acq_rel);  // see mark_pending
  drain_writes();
  drain_refreshes();
  directory_.flush(out);
  cache_.flush(out);
}

void Space::refresh_all(Outbox& out) {
  for (std::uint32_t slot = 0; slot < cache_.slot_count(); ++slot) {
    if (!may_ask_ahead()) break;
    if (cache_.state(SlotIndex(slot)) == CopyState::Stale) cache_.refresh(SlotIndex(slot));
  }
  cache_.flush(out);
}

void Space::drain_writes() {
  written_.drain([&](std::uint32_t object) {
    const std::uint32_t times = write_counts_[object].exchange(0, std::memory_order_acq_rel);
    if (times > 0) directory_.wrote(LocalIndex(object), times);
  });
}

void Space::drain_refreshes() {
  refresh_queue_.drain([&](std::uint32_t slot) {
    if (!may_ask_ahead()) return;
    if (cache_.held(SlotIndex(slot)) != kNoVersion) cache_.refresh(SlotIndex(slot));
  });
}

}  // namespace leeway
