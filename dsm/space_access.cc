// What compute threads do to a space: fetch, store, prefetch.
#include <algorithm>

#include "leeway/dsm/node.h"
#include "leeway/base/check.h"
#include "leeway/dsm/space_machines.h"

namespace leeway {

namespace {

bool is_under_way(CopyState state) {
  return state == CopyState::Fetching || state == CopyState::Refreshing;
}

}  // namespace

void Space::fetch(Handle handle, std::byte* out) {
  if (handle.value() < local_handles()) return memory_.values.load(handle.index(), out);
  if (!fetch_unlocked(handle, out)) fetch_locked(handle, out);
}

/// A copy that is current, or stale within the bound, needs no lock: its age says all.
bool Space::fetch_unlocked(Handle handle, std::byte* out) {
  if (bounded()) {
    const std::uint8_t age = read_held(handle, out);
    if (age == kUnusable) return false;
    if (age == 0) {
      counters_.add(Access::CurrentHit);
    } else {
      counters_.add_stale(age);
    }
    return true;
  }
  const MetIndex met = met_of(handle);
  const std::uint8_t age = this->age(met);
  if (age > most_unlocked_age()) return false;
  if (age == 0) {
    memory_.marks.note_read(mark_place(met));
    counters_.add(Access::CurrentHit);
  } else {
    use_stale(met, age);
  }
  memory_.values.load(place_behind(handle), out);
  return true;
}

void Space::use_stale(MetIndex met, std::uint64_t staleness) {
  counters_.add_stale(staleness);
  if (policy_.refresh) queue_refresh(met);
}

void Space::queue_refresh(MetIndex met) {
  follow(met);  // before it is queued, so that whoever takes it from there sees that it is followed
  // Most stale copies are read several times before the queue is drained.
  if (!memory_.refresh_queue.waits(met.value()) && memory_.refresh_queue.add(met.value()))
    mark_pending();
}

void Space::follow(MetIndex met) {
  std::uint64_t nobody = 0;
  if (followed_.load(std::memory_order_relaxed) != nobody) return;
  if (!followed_.compare_exchange_strong(nobody, kBeginsToFollow, std::memory_order_acq_rel))
    return;
  followed_since_ = node_.transport().now();
  followed_.store(kFollowing + met.value(), std::memory_order_release);
}

void Space::stop_following(bool arrived) {
  if (arrived) refresh_times_.add(node_.transport().now() - followed_since_);
  followed_.store(0, std::memory_order_release);
}

std::uint8_t Space::read_held(Handle handle, std::byte* out) {
  const MetIndex met = met_of(handle);
  const std::uint8_t age = this->age(met);
  if (age > most_unlocked_age()) return kUnusable;
  const auto place = memory_.held.look(met);
  if (!place) return kUnusable;
  memory_.values.load(local_count() + std::size_t{place->place}, out);
  if (!memory_.held.still(*place)) return kUnusable;
  copies_.was_read(place->place);
  if (age > 0 && policy_.refresh) queue_refresh(met);
  return age;
}

/// Locked.
Access Space::meet_copy(MetIndex met) {
  const SlotIndex slot = need_slot(met);
  const Access access = cache_.fetch(slot);
  if (bounded() && !is_hit(access)) copies_.expect(slot);
  return access;
}

/// The way through the lock: misses.
void Space::fetch_locked(Handle handle, std::byte* out) {
  const MetIndex met = met_of(handle);
  Waiter waiter{.met_index = met, .out = out};
  bool waited = false;
  while (true) {
    {
      const std::lock_guard locked(node_.lock());
      if (waiter.served) return;
      const Access access = waited ? cache_.classify(need_slot(met)) : meet_copy(met);
      // What the fetch met at first is what counts.
      if (!waited) waiter.met = access;
      if (is_hit(access)) {
        if (waited) std::erase(waiters_, &waiter);
        return read_copy(waiter, access);
      }
      if (node_.failed()) return give_up(waiter);
      // Evicted, or outdated again, since it came: nobody asks for it any more unless we do.
      if (waited) want(met);
      waiter.look.store(false, std::memory_order_relaxed);
      cache_.flush(node_.outbox());
      node_.ship();
      if (!waited) {
        node_.count_blocked_fetch();
        waiters_.push_back(&waiter);
      }
      waited = true;
    }
    const bool keeps_times = node_.keeps_times();
    const Instant from = keeps_times ? node_.transport().now() : Instant();
    node_.wait_until([&] { return waiter.look.load(std::memory_order_acquire) || node_.failed(); });
    if (keeps_times) node_.note_blocked(from, node_.transport().now());
  }
}

/// Locked. The node has failed: zeros instead of a value that nobody will send.
void Space::give_up(Waiter& waiter) {
  std::erase(waiters_, &waiter);
  std::fill_n(waiter.out, value_bytes_, std::byte{0});
}

/// Who waits for a copy gets it the moment it comes: by the time the thread looks again a newer version
/// may be known, and of an object that is written all the time the thread would never see a current one.
void Space::serve_waiters() {
  std::erase_if(waiters_, [this](Waiter* waiter) {
    const SlotIndex slot = slot_of(waiter->met_index);
    bool under_way = false;
    if (slot != SlotIndex::none()) {
      const Access access = cache_.classify(slot);
      waiter->served = is_hit(access);
      if (waiter->served) read_copy(*waiter, access);
      under_way = is_under_way(cache_.state(slot));
    }
    const bool served = waiter->served;
    if (served || !under_way) waiter->look.store(true, std::memory_order_release);
    return served;
  });
}

/// Locked. `access` is what the read finds now; the waiter knows what it is counted as.
void Space::read_copy(Waiter& waiter, Access access) {
  const SlotIndex slot = slot_of(waiter.met_index);
  if (waiter.met == Access::StaleHit) {
    use_stale(waiter.met_index, cache_.staleness(slot));
  } else {
    counters_.add(waiter.met);
    // A miss that waited may still be given a value that is stale within the bound: that counts too.
    if (access == Access::StaleHit) late_stale_uses_.fetch_add(1, std::memory_order_relaxed);
  }
  if (bounded()) copies_.was_read(copies_.place_of(slot));
  memory_.values.load(place_of(slot), waiter.out);
}

void Space::store(Handle handle, ValueView value) {
  LEEWAY_CHECK((handle.value() < local_handles() || !policy_.optimizations.collocation), handle);
  if (handle.value() >= local_handles()) return store_remote(handle, value);
  if (!plain_stores()) return store_waiting(handle, value);
  memory_.values.store(handle.index(), value);
  note_store(LocalIndex(handle.value()));
}

void Space::note_store(LocalIndex object) {
  // The value is in place before anybody can learn of the version: a copy is never older than it says.
  std::atomic_ref(memory_.write_counts[object.index()]).fetch_add(1, std::memory_order_acq_rel);
  if (memory_.written.add(object.value())) mark_pending();
}

void Space::hand_over(std::span<const LocalIndex> stored) {
  const std::lock_guard locked(node_.lock());
  directory_.wrote(stored);
  drain_refreshes();
  directory_.flush(node_.outbox());
  cache_.flush(node_.outbox());
  node_.ship();
}

void Space::mark_pending() {
  if (memory_.pending.raise()) node_.kick();
}

/// A store of a mode whose writes wait.
void Space::store_waiting(Handle handle, ValueView value) {
  AckNumber last{0};
  {
    const std::lock_guard locked(node_.lock());
    memory_.values.store(handle.index(), value);
    directory_.wrote(LocalIndex(handle.value()));
    directory_.flush(node_.outbox());
    last = directory_.last_ack();
    node_.ship();
  }
  node_.wait_until([&] {
    const std::lock_guard locked(node_.lock());
    return directory_.all_acked(last) || node_.failed();
  });
}

/// Without work collocation the single writer may live away from the home (ASPIRE §4.2's write message).
void Space::store_remote(Handle handle, ValueView value) {
  const bool waits = policy_.writes == Writes::Wait;
  if (!waits) node_.wait_for_room(object(handle).home());  // Writes do not merge
  AckNumber ack{0};
  {
    const std::lock_guard locked(node_.lock());
    if (waits) {
      ack = next_remote_write_;
      next_remote_write_ = next_remote_write_.next();
      remote_writes_.insert(ack);
    }
    effects_.clear();
    const SlotIndex slot = need_slot(met_of(handle));
    if (bounded()) copies_.expect(slot);
    cache_.write(slot, value, ack, node_.outbox(), effects_);
    apply(effects_);
    node_.ship();
  }
  if (!waits) return;
  node_.wait_until([&] {
    const std::lock_guard locked(node_.lock());
    return !remote_writes_.contains(ack) || node_.failed();
  });
}

void Space::prefetch(std::span<const Handle> handles) {
  const std::lock_guard locked(node_.lock());
  for (const Handle handle : handles) {
    if (handle.value() < local_handles()) continue;
    const MetIndex met = met_of(handle);
    if (may_ask_ahead(met)) want(met);  // best effort
  }
  cache_.flush(node_.outbox());
  node_.ship();
}

/// Locked. Asks for the object unless a usable copy is here or on its way.
void Space::want(MetIndex met) {
  const SlotIndex slot = need_slot(met);
  cache_.want(slot);
  if (bounded() && !is_hit(cache_.classify(slot))) copies_.expect(slot);
}

void Space::wait_for_reads(std::span<const Handle> handles) {
  // By the numbers of the newest reads: a home answers in order, and what is asked of it later has a greater
  // number. `in_flight` would count everybody's, and may never be 0.
  std::vector<std::pair<NodeId, RequestNumber>> awaited;
  {
    const std::lock_guard locked(node_.lock());
    cache_.flush(node_.outbox(), Flush::All);  // what is not sent has no number
    node_.ship();
    std::vector<bool> homes(node_.node_count(), false);
    for (const Handle handle : handles) {
      if (handle.value() < local_handles()) continue;
      const SlotIndex slot = slot_of(met_of(handle));
      if (slot == SlotIndex::none()) continue;
      if (!is_under_way(cache_.state(slot))) continue;
      const NodeId home = cache_.object(slot).home();
      if (homes[home.index()]) continue;
      homes[home.index()] = true;
      awaited.emplace_back(home, cache_.newest_read(home));
    }
  }
  node_.wait_until([&] {
    const std::lock_guard locked(node_.lock());
    std::erase_if(awaited,
                  [&](const auto& each) { return cache_.answered(each.first, each.second); });
    return awaited.empty() || node_.failed();
  });
}

}  // namespace leeway
