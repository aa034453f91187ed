#include "leeway/dsm/space.h"

#include <algorithm>
#include <utility>

#include "leeway/base/check.h"
#include "leeway/base/format.h"
#include "leeway/dsm/node.h"
#include "leeway/protocol/mutant.h"

namespace leeway {

namespace {

/// Which of this process's threads speaks, in records.
std::uint32_t thread_number() {
  static std::atomic<std::uint32_t> next{0};
  thread_local const std::uint32_t mine = next.fetch_add(1);
  return mine;
}

template <class T>
std::atomic<T>* as_atomics(Array<T>& memory) {
  return reinterpret_cast<std::atomic<T>*>(memory.mutable_span().data());
}

}  // namespace

Space::Space(Node& node, SpaceId id, const SpaceOptions& options, ValueShape shape)
    : node_(node),
      id_(id),
      options_(options),
      shape_(shape),
      policy_(options.policy.value_or(node.options().policy)),
      watched_(node.options().recorder != nullptr),
      directory_(id, node.self(), node.node_count(), options.local_objects, policy_, shape, *this),
      cache_(id, node.self(), node.node_count(), policy_, shape, this),
      recency_(options.cache_capacity),
      scratch_(shape.bytes) {
  if (watched_) directory_.keep_journal(&journal_);
}

Result<std::unique_ptr<Space>> Space::make(Node& node, SpaceId id, const SpaceOptions& options,
                                           ValueShape shape) {
  if (options.cache_capacity > 0 && options.cache_capacity < kLeastCacheCapacity) {
    return fail(input_error(options.name, format("a cache of {} objects is too small", options.cache_capacity),
                            format("give it at least {}, or 0 for no bound", kLeastCacheCapacity)));
  }
  if (shape.bytes == 0 || shape.bytes > kMaxValueBytes) {
    return fail(input_error(options.name, format("objects of {} bytes are not possible", shape.bytes),
                            format("use 1 to {} bytes", kMaxValueBytes)));
  }
  std::unique_ptr<Space> space(new Space(node, id, options, shape));
  LEEWAY_TRY(space->allocate());
  return space;
}

Status Space::allocate() {
  const std::size_t slots = options_.remote_objects;
  const std::size_t copies = bounded() ? options_.cache_capacity : slots;
  const std::size_t handles = local_count() + slots;
  LEEWAY_ASSIGN(values_, ValueStore::make(shape_, local_count() + copies));
  LEEWAY_ASSIGN(slow_memory_, Array<std::uint64_t>::make((handles + 63) / 64 + 1));
  LEEWAY_ASSIGN(age_memory_, Array<std::uint8_t>::make(slots + 1));
  LEEWAY_ASSIGN(write_count_memory_, Array<std::uint32_t>::make(local_count() + std::size_t{1}));
  LEEWAY_ASSIGN(written_, IndexQueue::make(local_count()));
  LEEWAY_ASSIGN(refresh_queue_, IndexQueue::make(slots));
  slow_bits_ = as_atomics(slow_memory_);
  ages_ = as_atomics(age_memory_);
  write_counts_ = as_atomics(write_count_memory_);
  if (!bounded()) return {};
  for (std::uint32_t place = options_.cache_capacity; place-- > 0;) free_places_.push_back(place);
  slot_at_place_.resize(options_.cache_capacity);
  return {};
}

SpaceStats Space::stats() const {
  const std::lock_guard locked(node_.lock());
  SpaceStats stats;
  stats.accesses = counters_.total();
  stats.cache = cache_.counts();
  stats.directory = directory_.counts();
  stats.bytes = values_.bytes() + slow_memory_.bytes() + age_memory_.bytes() +
                write_count_memory_.bytes() + written_.bytes() + refresh_queue_.bytes() +
                directory_.bytes() + cache_.bytes();
  stats.staleness = &staleness_;
  return stats;
}

Result<Handle> Space::resolve(ObjectId id) {
  if (id.home().value() >= node_.node_count()) {
    return fail(input_error(options_.name, format("object {} has no home among {} nodes", id.value(), node_.node_count()),
                            "use ids made by the spaces of this cluster"));
  }
  if (id.home() == node_.self()) {
    if (id.local().value() < local_count()) return Handle(id.local().value());
    return fail(input_error(options_.name, format("object {} is beyond the {} that live here", id.local(), local_count()),
                            "open the space with more local objects"));
  }
  const std::lock_guard locked(node_.lock());
  const bool known = cache_.find(id).has_value();
  if (!known && cache_.slot_count() == options_.remote_objects) {
    return fail(input_error(options_.name, format("more than {} remote objects were met", options_.remote_objects),
                            "open the space with a greater remote_objects"));
  }
  const SlotIndex slot = cache_.meet(id);
  if (!known) {
    if (bounded()) place_of_slot_.push_back(Lru::kNone);
    publish(slot, false);
  }
  return Handle(local_count() + slot.value());
}

ObjectId Space::object(Handle handle) const {
  if (handle.value() < local_count()) return {node_.self(), LocalIndex(handle.value())};
  const std::lock_guard locked(node_.lock());
  return cache_.object(slot_of(handle));
}

std::optional<Handle> Space::find(ObjectId id) const {
  if (id.home() == node_.self()) {
    if (id.local().value() >= local_count()) return std::nullopt;
    return Handle(id.local().value());
  }
  const std::lock_guard locked(node_.lock());
  const auto slot = cache_.find(id);
  if (!slot) return std::nullopt;
  return Handle(local_count() + slot->value());
}

std::size_t Space::place_of(SlotIndex slot) const {
  const std::uint32_t copy = bounded() ? place_of_slot_[slot.index()] : slot.value();
  LEEWAY_CHECK(copy != Lru::kNone, "slot", slot);
  return std::size_t{local_count()} + copy;
}

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
  const std::uint8_t age = ages_[slot.index()].load(std::memory_order_acquire);
  if (age == kUnusable || (age == kMostAge && policy_.threshold > kMostAge)) return std::nullopt;
  if (age == 0) {
    // A pushed value is read for the first time: from now on it is as fast as any. Should word of a
    // newer version arrive right here, the age tells.
    set_slow(handle.value(), false);
    if (ages_[slot.index()].load() != 0) set_slow(handle.value(), true);
    counters_.add(Access::CurrentHit);
  } else {
    use_stale(slot, age);
  }
  return values_.load(handle.index(), out);
}

void Space::use_stale(SlotIndex slot, std::uint64_t staleness) {
  counters_.add(Access::StaleHit);
  staleness_.add(staleness);
  if (policy_.refresh && refresh_queue_.add(slot.value())) mark_pending();
}

std::uint32_t Space::fetch_locked(Handle handle, std::byte* out) {
  std::optional<Access> met;  // what the fetch met at first is what counts
  while (true) {
    {
      const std::lock_guard locked(node_.lock());
      if (handle.value() < local_count()) {
        const std::uint32_t size = values_.load(handle.index(), out);
        const LocalIndex object(handle.value());
        record(RecordKind::Read, {node_.self(), object}, directory_.version(object),
               hash_value({out, size}));
        return size;
      }
      const SlotIndex slot = slot_of(handle);
      const Access access = met ? cache_.classify(slot) : cache_.fetch(slot);
      const bool first = !met.has_value();
      if (first) met = access;
      if (access == Access::CurrentHit || access == Access::StaleHit) {
        if (first && access == Access::StaleHit) {
          use_stale(slot, cache_.staleness(slot));
        } else {
          counters_.add(*met);
          if (access == Access::StaleHit) staleness_.add(cache_.staleness(slot));
        }
        if (bounded()) recency_.touch(place_of_slot_[slot.index()]);
        const std::uint32_t size = values_.load(place_of(slot), out);
        record(RecordKind::Read, cache_.object(slot), cache_.held(slot), hash_value({out, size}), *met);
        return size;
      }
      if (!first && cache_.state(slot) == CopyState::Absent) cache_.want(slot);
      if (!first && cache_.state(slot) == CopyState::Stale) cache_.fetch(slot);
      cache_.flush(node_.outbox());
      node_.ship();
    }
    if (met) node_.count_blocked_fetch();
    node_.wait_until([&] {
      const std::lock_guard locked(node_.lock());
      const Access now = cache_.classify(slot_of(handle));
      const CopyState state = cache_.state(slot_of(handle));
      const bool asleep = state == CopyState::Absent || state == CopyState::Stale;
      return now == Access::CurrentHit || now == Access::StaleHit || asleep;
    });
  }
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

void Space::mark_pending() {
  if (pending_.load(std::memory_order_relaxed)) return;
  if (!pending_.exchange(true, std::memory_order_acq_rel)) node_.kick();
}

/// A store that must be seen in order: by a strict mode, or by whoever watches.
void Space::store_waiting(Handle handle, ValueView value) {
  const LocalIndex object(handle.value());
  const bool waits = policy_.writes == Writes::Wait;
  AckNumber last{0};
  {
    const std::lock_guard locked(node_.lock());
    values_.store(handle.index(), value);
    directory_.wrote(object);
    record(RecordKind::Write, {node_.self(), object}, directory_.version(object), hash_value(value));
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
  record(RecordKind::Stored, {node_.self(), object}, directory_.version(object));
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
    // Best effort: a bounded cache keeps half its places for what is being used.
    if (bounded() && cache_.in_flight() >= options_.cache_capacity / 2) break;
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

bool Space::on_message(MessageKind kind, NodeId from, ByteReader& in, Outbox& out) {
  effects_.clear();
  bool understood = false;
  switch (kind) {
    case MessageKind::Link: understood = directory_.on_link(from, in); break;
    case MessageKind::Read:
      drain_writes();  // the reply then carries the newest version
      understood = directory_.on_read(from, in, out);
      break;
    case MessageKind::Reply: understood = cache_.on_reply(from, in, effects_); break;
    case MessageKind::Invalidate: understood = cache_.on_invalidate(from, in, out, effects_); break;
    case MessageKind::Ack: understood = directory_.on_ack(from, in, out); break;
    case MessageKind::Evict: understood = directory_.on_evict(from, in); break;
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
    case MessageKind::Decline: understood = directory_.on_decline(from, in); break;
    case MessageKind::Collective: break;
  }
  apply(effects_);
  if (watched_) record_journal();
  return understood && !in.failed();
}

void Space::apply(const CacheEffects& effects) {
  for (const Install& install : effects.installs) put_copy(install);
  for (const SlotIndex slot : effects.changed) {
    const bool untouched = watched_ && cache_.held(slot) != kNoVersion;
    if (untouched) record(RecordKind::Invalidated, cache_.object(slot), cache_.known(slot));
    publish(slot, false);
  }
  for (const Install& install : effects.installs) {
    if (install.pushed && policy_.updates == Updates::Adaptive) publish(install.slot, true);
  }
  if (cache_.needs_flush()) mark_pending();
}

void Space::put_copy(const Install& install) {
  if (bounded()) {
    std::uint32_t& place = place_of_slot_[install.slot.index()];
    if (place == Lru::kNone) {
      place = make_room();
      slot_at_place_[place] = install.slot;
    }
    recency_.touch(place);
  }
  values_.store(place_of(install.slot), install.value);
  record(RecordKind::Installed, cache_.object(install.slot), cache_.held(install.slot),
         hash_value(install.value));
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
  publish(victim, false);
  return place;
}

/// Tells the lock-free readers what the machine knows: the age first, then the bit that sends them to it.
void Space::publish(SlotIndex slot, bool keep_slow) {
  const Access access = cache_.classify(slot);
  const bool usable = access == Access::CurrentHit || access == Access::StaleHit;
  const std::uint64_t age = std::min<std::uint64_t>(cache_.staleness(slot), kMostAge);
  ages_[slot.index()].store(usable ? static_cast<std::uint8_t>(age) : kUnusable);
  set_slow(local_count() + slot.value(),
           access != Access::CurrentHit || keep_slow || watched_ || bounded());
}

void Space::set_slow(std::uint32_t handle, bool slow) {
  const std::uint64_t bit = std::uint64_t{1} << (handle % 64);
  std::atomic<std::uint64_t>& word = slow_bits_[handle / 64];
  if (((word.load() & bit) != 0) == slow) return;
  if (slow) {
    word.fetch_or(bit);
  } else {
    word.fetch_and(~bit);
  }
}

void Space::flush(Outbox& out) {
  pending_.store(false, std::memory_order_release);
  drain_writes();
  drain_refreshes();
  directory_.flush(out);
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
    if (bounded() && cache_.in_flight() >= options_.cache_capacity / 2) return;
    if (cache_.held(SlotIndex(slot)) != kNoVersion) cache_.refresh(SlotIndex(slot));
  });
}

void Space::append(std::span<const LocalIndex> objects, ByteWriter& out) const {
  if (values_.compact()) {
    std::byte* to = out.extend(objects.size() * shape_.bytes);
    for (const LocalIndex object : objects) {
      values_.load(object.index(), to);
      to += shape_.bytes;
    }
    return;
  }
  std::vector<std::byte> value(shape_.bytes);
  for (const LocalIndex object : objects) {
    const std::uint32_t size = values_.load(object.index(), value.data());
    encode_value({value.data(), size}, shape_, out);
  }
}

void Space::put(LocalIndex object, ValueView value) {
  values_.store(object.index(), value);
  record(RecordKind::Write, {node_.self(), object}, directory_.version(object).next(), hash_value(value));
}

bool Space::unread(SlotIndex slot) const {
  const std::uint32_t handle = local_count() + slot.value();
  const bool slow = (slow_bits_[handle / 64].load() >> (handle % 64) & 1) != 0;
  return slow && ages_[slot.index()].load() == 0 && !watched_ && !bounded();
}

std::string Space::what_is_awaited() const {
  std::string text;
  if (cache_.in_flight() > 0) {
    text += format("  space {}: {} reads are not answered\n", options_.name, cache_.in_flight());
  }
  if (directory_.slowest_sharer() != NodeId::none()) {
    text += format("  space {}: a store waits for node {} to acknowledge\n", options_.name,
                   directory_.slowest_sharer());
  }
  return text;
}

void Space::record(RecordKind kind, ObjectId object, Version version, std::uint64_t value,
                   Access access, NodeId peer) {
  if (!watched_) return;
  node_.options().recorder->record({.at = node_.transport().now(), .node = node_.self(), .kind = kind,
                                    .space = id_, .object = object, .version = version,
                                    .value = value, .access = access, .peer = peer,
                                    .thread = thread_number()});
}

void Space::record_journal() {
  for (const SharerChange& change : journal_) {
    record(change.joined ? RecordKind::Joined : RecordKind::Left, {node_.self(), change.object},
           directory_.version(change.object), 0, Access::CurrentHit, change.node);
  }
  journal_.clear();
}

}  // namespace leeway
