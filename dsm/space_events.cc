// What messages do to a space, and what it sends: the protocol machines' effects put into memory.
#include <algorithm>

#include "leeway/base/check.h"
#include "leeway/base/format.h"
#include "leeway/dsm/space_machines.h"

namespace leeway {

namespace {

/// Into an unbounded cache.
void install_all(std::span<const Install> installs, SpaceMemory& memory, std::size_t local) {
  constexpr std::size_t kAhead = 8;
  for (std::size_t i = 0; i < installs.size(); ++i) {
    if (i + kAhead < installs.size()) {  // scattered copies are on their way from memory meanwhile
      const std::size_t place = local + installs[i + kAhead].slots.first.index();
      __builtin_prefetch(memory.values.data() + place * memory.values.stride(), 1);
      __builtin_prefetch(memory.marks.data() + place, 1);
    }
    const Install& install = installs[i];
    memory.values.store_all(local + install.slots.first.index(), install.values);
  }
}

}  // namespace

bool Space::on_message(MessageKind kind, NodeId from, ByteReader& in, Outbox& out) {
  effects_.clear();
  bool understood = false;
  switch (kind) {
    case MessageKind::Link:
      understood = directory_.on_link(from, in);
      if (const auto object = directory_.asked_beyond())
        node_.fail_later(no_such_object(from, *object));
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

/// A node asked for an object that does not exist. The home reports it, because only the home knows how many it has.
Error Space::no_such_object(NodeId asking, LocalIndex object) const {
  return input_error(options_.name,
                     format("node {} asked for object {} of node {}, which has {}", asking, object,
                            self_, local_count()),
                     "ask for objects from 0 on, below the number that their home opened");
}

void Space::apply(const CacheEffects& effects) {
  if (bounded()) {
    for (const Install& install : effects.installs) {
      for (std::uint32_t i = 0; i < install.slots.count; ++i)
        put_copy(install.slots[i], install.value(i));
    }
    for (const SlotRun& slots : effects.current) publish_bounded(slots);
    for (const SlotRun& slots : effects.changed) publish_bounded(slots);
    for (const SlotRun& slots : effects.restored) publish_bounded(slots, false);
  } else {
    install_all(effects.installs, memory_, local_count());
    for (const SlotRun& slots : effects.current) publish_row(slots, true);
    for (const SlotRun& slots : effects.changed) publish_row(slots, false);
  }
  for (const SlotIndex slot : effects.watched) publish(slot, true);
  if (!waiters_.empty()) serve_waiters();
  if (cache_.needs_flush()) mark_pending();
}

void Space::put_copy(SlotIndex slot, ValueView value) {
  if (cache_.held(slot) == kNoVersion) return;  // evicted for another one of the same message
  if (copies_.place_of(slot) != Lru::kNone) {
    copies_.expect_no_more(slot);  // a refresh or a push is no use of the copy
  } else if (!copies_.expected(slot)) {
    return forget(slot);  // evicted while it was being refreshed
  } else {
    if (copies_.full()) forget(copies_.oldest());
    copies_.put(slot);
  }
  memory_.values.store(place_of(slot), value);
  memory_.held.give(met_of(slot), copies_.place_of(slot));
}

/// ASPIRE §4.2: a full cache evicts its least recently used object.
void Space::forget(SlotIndex slot) {
  // What the program read of a stale copy is no longer what it would read, and no news of that will come.
  const bool is_news = !options_.hear_of_evicted || cache_.classify(slot) == Access::StaleHit;
  if (const std::uint32_t place = copies_.place_of(slot); place != Lru::kNone)
    memory_.held.take(met_of(slot), place);
  copies_.remove(slot);
  if (options_.hear_of_evicted) {
    cache_.drop(slot);
  } else {
    cache_.evict(slot);
  }
  publish_bounded({slot, 1}, is_news);
}

/// Locked. What the machine knows of a slot, in one byte for the readers that take no lock.
[[gnu::always_inline]] inline std::uint8_t Space::age_to_publish(SlotIndex slot) const {
  const Access access = cache_.classify(slot);
  if (access == Access::CurrentHit) return 0;
  if (access != Access::StaleHit) return kUnusable;
  return static_cast<std::uint8_t>(std::min<std::uint64_t>(cache_.staleness(slot), kMostAge));
}

/// Tells the lock-free readers what the machine knows. The value is in place before.
void Space::publish(SlotIndex slot, bool keep_slow, bool is_news) {
  const MetIndex met = met_of(slot);
  const std::uint8_t age = age_to_publish(slot);
  memory_.marks.publish(mark_place(met), age, keep_slow);
  if (options_.note_changes && is_news) memory_.changed.add(met.value());
  if ((age == 0 || age == kUnusable) && follows(met)) stop_following(age == 0);
}

void Space::publish_row(const SlotRun& slots, bool current) {
  const std::size_t first = mark_place(met_of(slots.first));
  if (current) {
    memory_.marks.publish_row(first, slots.count, [](std::uint32_t) { return std::uint8_t{0}; });
  } else {
    memory_.marks.publish_row(first, slots.count,
                              [&](std::uint32_t i) { return age_to_publish(slots[i]); });
  }
  if (options_.note_changes) memory_.changed.add_all(met_of(slots.first).value(), slots.count);
  const std::uint64_t followed = followed_.load(std::memory_order_acquire);
  const std::uint64_t first_followed = kFollowing + met_of(slots.first).value();
  if (followed < first_followed || followed >= first_followed + slots.count) return;
  const std::uint8_t age =
      age_to_publish(slots[static_cast<std::uint32_t>(followed - first_followed)]);
  if (age == 0 || age == kUnusable) stop_following(age == 0);
}

void Space::publish_bounded(const SlotRun& slots, bool is_news) {
  for (std::uint32_t i = 0; i < slots.count; ++i) {
    // An answer that was of no use: whoever waits for the object asks again.
    if (cache_.state(slots[i]) == CopyState::Absent) copies_.expect_no_more(slots[i]);
    publish(slots[i], true, is_news);
  }
}

void Space::flush(Outbox& out, Flush what) {
  memory_.pending.lower();
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
  auto& [written, times] = machines_->drained;
  written.clear();
  times.clear();
  memory_.written.drain([&](std::uint32_t object) {
    const std::uint32_t stores =
        std::atomic_ref(memory_.write_counts[object]).exchange(0, std::memory_order_acq_rel);
    if (stores == 0) return;
    written.emplace_back(object);
    times.push_back(stores);
  });
  directory_.wrote(written, times);
}

void Space::drain_refreshes() {
  memory_.refresh_queue.drain([&](std::uint32_t met) {
    const SlotIndex slot = slot_of(MetIndex(met));
    const bool is_here = slot != SlotIndex::none() && cache_.held(slot) != kNoVersion;
    if (is_here) cache_.refresh(slot);
    // It has gone, or has become current, between the hit and this.
    if (follows(MetIndex(met)) && (!is_here || cache_.staleness(slot) == 0))
      stop_following(is_here);
  });
}

}  // namespace leeway
