// What compute threads do to a space: fetch, store, prefetch.
#include <algorithm>

#include "leeway/base/check.h"
#include "leeway/dsm/node.h"
#include "leeway/dsm/space.h"

namespace leeway {

std::uint32_t Space::fetch(Handle handle, std::byte* out) {
  if (!watched_) {
    if (handle.value() < local_count()) return values_.load(handle.index(), out);
    if (const auto size = fetch_unlocked(handle, out)) return *size;
  }
  return fetch_locked(handle, out);
}

/// A copy that is current, or stale within the bound, needs no lock: its age says all.
std::optional<std::uint32_t> Space::fetch_unlocked(Handle handle, std::byte* out) {
  if (bounded()) return std::nullopt;
  const SlotIndex slot = slot_of(handle);
  const std::uint8_t age = this->age(slot);
  if (age > most_unlocked_age()) return std::nullopt;
  if (age == 0) {
    // A pushed value is read for the first time: from now on it is as fast as any, unless word of a newer
    // version arrives right here.
    std::uint8_t found = kLookFirst;
    mark_of(slot).compare_exchange_strong(found, 0, std::memory_order_acq_rel);
    counters_.add(Access::CurrentHit);
  } else {
    use_stale(slot, age);
  }
  return values_.load(handle.index(), out);
}

void Space::use_stale(SlotIndex slot, std::uint64_t staleness) {
  counters_.add_stale(staleness);
  if (policy_.refresh && refresh_queue_.add(slot.value())) mark_pending();
}

/// The way through the lock: misses, bounded caches, and everything while somebody watches.
std::uint32_t Space::fetch_locked(Handle handle, std::byte* out) {
  if (handle.value() < local_count()) return read_own(handle, out);
  const SlotIndex slot = slot_of(handle);
  Waiter waiter{.slot = slot, .out = out, .thread = thread_number()};
  bool waited = false;
  while (true) {
    {
      const std::lock_guard locked(node_.lock());
      if (waiter.served) return waiter.size;
      const Access access = waited ? cache_.classify(slot) : cache_.fetch(slot);
      // What the fetch met at first is what counts.
      if (!waited) waiter.met = access;
      if (is_hit(access)) {
        if (waited) std::erase(waiters_, &waiter);
        read_copy(waiter, access);
        return waiter.size;
      }
      // Evicted, or outdated again, since it came: nobody asks for it any more unless we do.
      if (waited) cache_.want(slot);
      cache_.flush(node_.outbox());
      node_.ship();
      if (!waited) {
        node_.count_blocked_fetch();
        waiters_.push_back(&waiter);
      }
      waited = true;
    }
    const Instant from = node_.transport().now();
    node_.wait_until([&] {
      const std::lock_guard locked(node_.lock());
      const CopyState state = cache_.state(slot);
      const bool under_way = state == CopyState::Fetching || state == CopyState::Refreshing;
      return waiter.served || is_hit(cache_.classify(slot)) || !under_way;
    });
    node_.note_blocked(from, node_.transport().now());
  }
}

/// Who waits for a copy gets it the moment it comes: by the time the thread looks again a newer version
/// may be known, and of an object that is written all the time the thread would never see a current one.
void Space::serve_waiters() {
  std::erase_if(waiters_, [this](Waiter* waiter) {
    const Access access = cache_.classify(waiter->slot);
    if (!is_hit(access)) return false;
    read_copy(*waiter, access);
    waiter->served = true;
    return true;
  });
}

std::uint32_t Space::read_own(Handle handle, std::byte* out) {
  const std::lock_guard locked(node_.lock());
  const std::uint32_t size = values_.load(handle.index(), out);
  const LocalIndex object(handle.value());
  record(RecordKind::Read, {self_, object}, directory_.version(object), hash_value({out, size}));
  return size;
}

/// Locked. `access` is what the read finds now; the waiter knows what it is counted as.
void Space::read_copy(Waiter& waiter, Access access) {
  const SlotIndex slot = waiter.slot;
  if (waiter.met == Access::StaleHit) {
    use_stale(slot, cache_.staleness(slot));
  } else {
    counters_.add(waiter.met);
    // A miss that waited may still be given a value that is stale within the bound: that counts too.
    if (access == Access::StaleHit) late_stale_uses_.fetch_add(1, std::memory_order_relaxed);
  }
  if (bounded()) recency_.touch(place_of_slot_[slot.index()]);
  waiter.size = values_.load(place_of(slot), waiter.out);
  if (!watched_) return;
  record(RecordKind::Read, cache_.object(slot), cache_.held(slot),
         hash_value({waiter.out, waiter.size}), waiter.met, NodeId(0), waiter.thread);
}

void Space::store(Handle handle, ValueView value) {
  LEEWAY_CHECK((handle.value() < local_count() || !policy_.optimizations.collocation), handle);
  if (handle.value() >= local_count()) return store_remote(handle, value);
  if (!plain_stores()) return store_waiting(handle, value);
  values_.store(handle.index(), value);
  note_store(LocalIndex(handle.value()));
}

void Space::note_store(LocalIndex object) {
  // The value is in place before anybody can learn of the version: a copy is never older than it says.
  write_counts_[object.index()].fetch_add(1, std::memory_order_acq_rel);
  if (written_.add(object.value())) mark_pending();
}

void Space::hand_over(std::span<const LocalIndex> stored, std::span<const SlotIndex> stale) {
  const std::lock_guard locked(node_.lock());
  directory_.wrote(stored);
  cache_.refresh(stale);
  directory_.flush(node_.outbox());
  cache_.flush(node_.outbox());
  node_.ship();
}

void Space::mark_pending() {
  // An exchange even where it is true already: a mere look could be ahead of the queue's words on their way to
  // memory, and miss a flush that misses them.
  if (!pending_.exchange(true, std::memory_order_acq_rel)) node_.kick();
}

/// A store that must be seen in order: by a strict mode, or by whoever watches.
void Space::store_waiting(Handle handle, ValueView value) {
  const LocalIndex object(handle.value());
  const bool waits = policy_.writes == Writes::Wait;
  AckNumber last{0};
  Version version{0};
  {
    const std::lock_guard locked(node_.lock());
    values_.store(handle.index(), value);
    directory_.wrote(object);
    version = directory_.version(object);
    if (watched_) {
      record(RecordKind::Write, {node_.self(), object}, version, hash_value(value));
    }
    if (waits) {
      directory_.flush(node_.outbox());
      last = directory_.last_ack();
      node_.ship();
    } else {
      mark_pending();
    }
  }
  if (!waits) return;
  node_.wait_until([&] {
    const std::lock_guard locked(node_.lock());
    return directory_.all_acked(last);
  });
  const std::lock_guard locked(node_.lock());
  record(RecordKind::Stored, {node_.self(), object}, version);
}

/// Without work collocation the single writer may live away from the home (ASPIRE §4.2's write message).
void Space::store_remote(Handle handle, ValueView value) {
  const bool waits = policy_.writes == Writes::Wait;
  AckNumber ack{0};
  {
    const std::lock_guard locked(node_.lock());
    if (waits) {
      ack = next_remote_write_;
      next_remote_write_ = next_remote_write_.next();
      remote_writes_.insert(ack);
    }
    effects_.clear();
    cache_.write(slot_of(handle), value, ack, node_.outbox(), effects_);
    apply(effects_);
    node_.ship();
  }
  if (!waits) return;
  node_.wait_until([&] {
    const std::lock_guard locked(node_.lock());
    return !remote_writes_.contains(ack);
  });
}

void Space::prefetch(std::span<const Handle> handles) {
  const std::lock_guard locked(node_.lock());
  for (const Handle handle : handles) {
    if (handle.value() < local_count()) continue;
    if (!may_ask_ahead()) break;  // best effort
    cache_.want(slot_of(handle));
  }
  cache_.flush(node_.outbox());
  node_.ship();
}

void Space::wait_for_reads() {
  node_.wait_until([&] {
    const std::lock_guard locked(node_.lock());
    return cache_.in_flight() == 0;
  });
}

}  // namespace leeway
