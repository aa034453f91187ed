// What messages do to a space, and what it sends: the protocol machines' effects put into memory.
#include <algorithm>

#include "leeway/base/check.h"
#include "leeway/base/format.h"
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
  if (directory_.overfull()) {
    node_.fail_later(environment_error(
        options_.name,
        format("more than {} copies of objects that live at node {} are held elsewhere",
               Directory::kMostCopies, self_),
        "use more nodes, or a partition with fewer replicas"));
  }
  return understood && !in.failed();
}

void Space::apply(const CacheEffects& effects) {
  const bool plain = !bounded();
  for (const Install& install : effects.installs) {
    if (plain) {
      values_.store(local_count() + install.slot.index(), install.value());
    } else {
      put_copy(install);
    }
  }
  if (plain) {
    publish(effects.changed, false);
  } else {
    publish_bounded(effects.changed);
  }
  for (const SlotIndex slot : effects.watched) publish(slot, true);
  if (!waiters_.empty()) serve_waiters();
  if (cache_.needs_flush()) mark_pending();
}

void Space::put_copy(const Install& install) {
  if (cache_.held(install.slot) == kNoVersion)
    return;  // evicted for another one of the same message
  if (copies_.place_of(install.slot) != Lru::kNone) {
    copies_.expect_no_more(install.slot);  // a refresh or a push is no use of the copy
  } else if (!copies_.expected(install.slot)) {
    return forget(install.slot);  // evicted while it was being refreshed
  } else {
    if (copies_.full()) forget(copies_.oldest());
    copies_.put(install.slot);
  }
  values_.store(place_of(install.slot), install.value());
}

/// ASPIRE §4.2: a full cache evicts its least recently used object.
void Space::forget(SlotIndex slot) {
  copies_.remove(slot);
  cache_.evict(slot);
  const SlotIndex forgotten[] = {slot};
  publish_bounded(forgotten);
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
  const MetIndex met = met_of(slot);
  const std::uint8_t age = age_to_publish(slot);
  mark_of(met).publish(age, keep_slow);
  if (options_.note_changes) changed_.add(met.value());
}

void Space::publish(std::span<const SlotIndex> slots, bool keep_slow) {
  for (const SlotIndex slot : slots) publish(slot, keep_slow);
}

void Space::publish_bounded(std::span<const SlotIndex> slots) {
  for (const SlotIndex slot : slots) {
    // An answer that was of no use: whoever waits for the object asks again.
    if (cache_.state(slot) == CopyState::Absent) copies_.expect_no_more(slot);
    publish(slot, true);
  }
}

void Space::flush(Outbox& out, Flush what) {
  pending_.lower();
  drain_writes();
  drain_refreshes();
  directory_.flush(out, what);
  cache_.flush(out, what);
}

void Space::flush_kept(Outbox& out) {
  directory_.flush(out);
  cache_.flush(out);
}

void Space::refresh_all(Outbox& out) {
  for (std::uint32_t slot = 0; slot < cache_.slot_count(); ++slot) {
    if (cache_.state(SlotIndex(slot)) == CopyState::Stale) cache_.refresh(SlotIndex(slot));
  }
  cache_.flush(out);
}

void Space::drain_writes() {
  written_.drain([&](std::uint32_t object) {
    const std::uint32_t times =
        std::atomic_ref(write_counts_[object]).exchange(0, std::memory_order_acq_rel);
    if (times > 0) directory_.wrote(LocalIndex(object), times);
  });
}

void Space::drain_refreshes() {
  refresh_queue_.drain([&](std::uint32_t met) {
    const SlotIndex slot = slot_of(MetIndex(met));
    if (slot == SlotIndex::none()) return;
    if (cache_.held(slot) != kNoVersion) cache_.refresh(slot);
  });
}

}  // namespace leeway
