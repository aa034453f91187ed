#include "dsm/space.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/format.h"
#include "dsm/bounded_copies.h"
#include "dsm/node.h"
#include "protocol/cache.h"
#include "protocol/directory.h"

namespace leeway {

Result<SpaceMemory> SpaceMemory::make(const SpaceOptions& options, std::uint32_t value_bytes) {
  const std::size_t met = options.remote_objects;
  const std::size_t copies = options.cache_capacity > 0 ? options.cache_capacity : met;
  const std::size_t local = options.local_objects;
  SpaceMemory memory;
  LEEWAY_ASSIGN(memory.values, ValueStore::make(value_bytes, local + copies));
  LEEWAY_ASSIGN(memory.marks, CopyMarks::make(local + met + 1));
  if (options.cache_capacity > 0) {
    LEEWAY_ASSIGN(memory.held, HeldPlaces::make(met, copies));
  }
  LEEWAY_ASSIGN(memory.write_count_memory, Array<std::uint32_t>::make(local + 1));
  LEEWAY_ASSIGN(memory.written, IndexQueue::make(local));
  LEEWAY_ASSIGN(memory.refresh_queue, IndexQueue::make(met));
  if (options.note_changes) {
    LEEWAY_ASSIGN(memory.changed, IndexQueue::make(met));
  }
  memory.write_counts = memory.write_count_memory.mutable_span().data();
  return memory;
}

std::size_t SpaceMemory::bytes() const {
  return values.bytes() + held.bytes() + marks.bytes() + write_count_memory.bytes() +
         written.bytes() + refresh_queue.bytes() + changed.bytes();
}

/// A thread's read of a copy, which may wait.
struct Space::Waiter {
  MetIndex met_index{0};
  std::byte* out = nullptr;
  Access met = Access::CurrentHit;
  bool served = false;
  /// Set when the read is served or has no read in flight any more. Read by the waiting thread
  /// without the lock.
  std::atomic<bool> recheck{false};
};

struct Space::Machines final : HomeValues, ReadMarks {
  explicit Machines(Space& of)
      : space(of),
        directory(of.id_, of.self_, of.node_.node_count(), of.options_.local_objects, of.policy_,
                  of.value_bytes_, *this),
        cache(of.id_, of.self_, of.node_.node_count(), of.policy_, of.value_bytes_, this),
        copies(of.options_,
               of.policy_.optimizations.collocation && !of.options_.invalidate_evicted) {}

  void append(std::span<const LocalIndex> objects, ByteWriter& out) const override {
    space.append(objects, out);
  }
  void put(LocalIndex object, ValueView value) override { space.put(object, value); }
  [[nodiscard]] bool unread(SlotIndex slot) const override { return space.unread(slot); }

  Space& space;
  Directory directory;
  Cache cache;
  BoundedCopies copies;  // used if bounded
  CacheEffects effects;  // scratch, kept for its memory
};

Space::Space(Node& node, SpaceId id, const SpaceOptions& options, std::uint32_t value_bytes)
    : node_(node),
      self_(node.self()),
      id_(id),
      options_(options),
      value_bytes_(value_bytes),
      policy_(options.policy.value_or(node.options().policy)),
      machines_(std::make_unique<Machines>(*this)),
      ids_(node.node_count()) {}

Space::~Space() = default;

Result<Space*> Space::open(Node& node, const SpaceOptions& options, std::uint32_t value_bytes,
                           const char* type) {
  return node.open_space(options, value_bytes, type);
}

void Space::fence() { node_.fence(*this); }

const Directory& Space::directory() const { return machines_->directory; }
const Cache& Space::cache() const { return machines_->cache; }

SlotIndex Space::slot_of(MetIndex met) const {
  return bounded() ? machines_->copies.slot_of(met) : SlotIndex(met.value());
}
SlotIndex Space::need_slot(MetIndex met) {
  return bounded() ? machines_->copies.need_slot(met, machines_->cache) : SlotIndex(met.value());
}
MetIndex Space::met_of(SlotIndex slot) const {
  return bounded() ? machines_->copies.met_of(slot) : MetIndex(slot.value());
}

std::uint8_t Space::most_unlocked_age() const {
  return policy_.threshold > kMostAge ? kMostAge - 1 : kMostAge;
}

std::uint32_t Space::met_count() const {
  return bounded() ? machines_->copies.count() : machines_->cache.slot_count();
}

Result<std::unique_ptr<Space>> Space::make(Node& node, SpaceId id, const SpaceOptions& options,
                                           std::uint32_t value_bytes) {
  if (options.cache_capacity > 0 && options.cache_capacity < kLeastCacheCapacity) {
    return fail(input_error(options.name,
                            format("a cache of {} objects is too small", options.cache_capacity),
                            format("give it at least {}, or 0 for no bound", kLeastCacheCapacity)));
  }
  if (value_bytes == 0 || value_bytes > kMaxValueBytes) {
    return fail(input_error(options.name,
                            format("objects of {} bytes are not possible", value_bytes),
                            format("use 1 to {} bytes", kMaxValueBytes)));
  }
  if (options.serves_only && options.cache_capacity > 0) {
    return fail(input_error(options.name, "serves_only and cache_capacity exclude each other",
                            "open the space without a cache_capacity, or without serves_only"));
  }
  constexpr std::uint64_t kMostHandles = 0xFFFF'FFFFu;
  const std::uint64_t handles = std::uint64_t{options.local_objects} + options.remote_objects;
  if (handles > kMostHandles) {
    return fail(input_error(
        options.name,
        format("{} local and {} remote objects are more than the {} that one node can address",
               options.local_objects, options.remote_objects, kMostHandles),
        "use more nodes, a smaller remote_objects, or several spaces"));
  }
  std::unique_ptr<Space> space(new Space(node, id, options, value_bytes));
  LEEWAY_ASSIGN(space->memory_, SpaceMemory::make(options, value_bytes));
  return space;
}

SpaceStats Space::stats() const {
  const std::lock_guard locked(node_.lock());
  SpaceStats stats;
  stats.accesses = counters_.total();
  stats.cache = machines_->cache.counts();
  stats.directory = machines_->directory.counts();
  stats.refreshes = refresh_times_;
  stats.bytes = memory_.bytes() + machines_->directory.bytes() + machines_->cache.bytes() +
                machines_->copies.bytes() + ids_.bytes();
  return stats;
}

Result<Handle> Space::resolve(ObjectId id) {
  if (id.home().value() >= node_.node_count()) {
    return fail(input_error(options_.name,
                            format("object {} of node {} has no home among {} nodes", id.local(),
                                   id.home(), node_.node_count()),
                            "use ids made by the spaces of this cluster"));
  }
  if (id.home() == node_.self()) {
    if (id.local().value() < local_count())
      return options_.serves_only ? mirror(id) : Handle(id.local().value());
    return fail(input_error(options_.name,
                            format("object {} does not exist: this node has {} local objects",
                                   id.local(), local_count()),
                            "open the space with more local objects"));
  }
  if (const auto met = ids_.find(id)) return Handle(local_handles() + met->value());
  const std::lock_guard locked(node_.lock());
  if (const auto met = ids_.find(id)) return Handle(local_handles() + met->value());
  if (met_count() == options_.remote_objects) {
    return fail(input_error(options_.name,
                            format("more than {} remote objects are used", options_.remote_objects),
                            "open the space with a greater remote_objects"));
  }
  const MetIndex met =
      bounded() ? machines_->copies.add(id) : MetIndex(machines_->cache.meet(id).value());
  memory_.marks.publish(mark_place(met), kUnusable, false);
  if (options_.note_changes) memory_.changed.add(met.value());
  LEEWAY_TRY(ids_.insert(id, met));
  // ASPIRE §4.3, replication: an object is fetched before it is first read.
  if (policy_.optimizations.replication && may_prefetch(met)) {
    request_copy(met);
    mark_pending();
  }
  return Handle(local_handles() + met.value());
}

Handle Space::mirror(ObjectId id) {
  const std::lock_guard locked(node_.lock());
  mirrors_.resize(local_count(), SlotIndex::none());
  SlotIndex& slot = mirrors_[id.local().index()];
  if (slot == SlotIndex::none()) {
    slot = machines_->cache.meet_own(id);
    std::vector<std::byte> value(value_bytes_);
    memory_.values.load(id.local().index(), value.data());
    memory_.values.store(place_of(slot), value);
    publish(slot, false);
  }
  return Handle(local_handles() + slot.value());
}

Handle Space::meet(ObjectId id) {
  Result<Handle> handle = resolve(id);
  if (handle) return *handle;
  node_.fail(std::move(handle).error());
  return Handle::none();
}

ObjectId Space::object(Handle handle) const {
  if (handle.value() < local_handles()) return {node_.self(), LocalIndex(handle.value())};
  const std::lock_guard locked(node_.lock());
  if (bounded()) return machines_->copies.object(met_of(handle));
  return machines_->cache.object(slot_of(met_of(handle)));
}

std::size_t Space::place_of(SlotIndex slot) const {
  const std::uint32_t copy = bounded() ? machines_->copies.place_of(slot) : slot.value();
  LEEWAY_CHECK(copy != Lru::kNone, "slot", slot);
  return std::size_t{local_count()} + copy;
}

bool Space::may_prefetch(MetIndex met) const {
  if (!bounded() || machines_->copies.may_prefetch()) return true;
  const SlotIndex slot = machines_->copies.slot_of(met);
  return slot != SlotIndex::none() && machines_->copies.place_of(slot) != Lru::kNone;
}

std::size_t Space::place_of(Handle handle) const {
  if (handle.value() < local_handles() || !bounded()) return place_behind(handle);
  const SlotIndex slot = slot_of(met_of(handle));
  LEEWAY_CHECK(slot != SlotIndex::none(), handle);
  return place_of(slot);
}

void Space::append(std::span<const LocalIndex> objects, ByteWriter& out) const {
  memory_.values.gather(objects, out.extend(objects.size() * value_bytes_));
}

void Space::put(LocalIndex object, ValueView value) {
  memory_.values.store(object.index(), value);
  if (mirrors_.empty()) return;
  const SlotIndex slot = mirrors_[object.index()];
  if (slot == SlotIndex::none()) return;
  memory_.values.store(place_of(slot), value);
  publish(slot, false);
}

bool Space::unread(SlotIndex slot) const { return !bounded() && mark_of(met_of(slot)).unread(); }

std::string Space::describe_waits() const {
  std::string text;
  if (machines_->cache.in_flight() > 0) {
    text += format("  space {}: {} reads are not answered\n", options_.name,
                   machines_->cache.in_flight());
  }
  if (machines_->directory.slowest_sharer() != NodeId::none()) {
    text += format("  space {}: a store waits for node {} to acknowledge\n", options_.name,
                   machines_->directory.slowest_sharer());
  }
  return text;
}

namespace {

// Calls by compute threads: fetch, store, prefetch.
bool is_under_way(CopyState state) {
  return state == CopyState::Fetching || state == CopyState::Refreshing;
}

}  // namespace

void Space::fetch(Handle handle, std::byte* out) {
  if (handle.value() < local_handles()) return memory_.values.load(handle.index(), out);
  if (!fetch_unlocked(handle, out)) fetch_locked(handle, out);
}

/// Reads a copy that is current, or stale within the threshold, without the lock.
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
  // mutant: unlocked-read-asks-for-no-refresh
  if (policy_.refresh) queue_refresh(met);
}

void Space::queue_refresh(MetIndex met) {
  follow(met);  // before it is queued, so that drain_refreshes finds the measurement
  // Most stale copies are read several times before the queue is drained.
  if (!memory_.refresh_queue.contains(met.value()) && memory_.refresh_queue.add(met.value()))
    mark_pending();
}

void Space::follow(MetIndex met) {
  std::uint64_t none = 0;
  if (followed_.load(std::memory_order_relaxed) != none) return;
  if (!followed_.compare_exchange_strong(none, kBeginsToFollow, std::memory_order_acq_rel)) return;
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
  machines_->copies.was_read(place->place);
  if (age > 0 && policy_.refresh) queue_refresh(met);
  return age;
}

/// Locked.
Access Space::meet_copy(MetIndex met) {
  const SlotIndex slot = need_slot(met);
  const Access access = machines_->cache.fetch(slot);
  if (bounded() && !is_hit(access)) machines_->copies.expect(slot);
  return access;
}

/// A read under the lock, mostly a miss.
void Space::fetch_locked(Handle handle, std::byte* out) {
  const MetIndex met = met_of(handle);
  Waiter waiter{.met_index = met, .out = out};
  bool waited = false;
  while (true) {
    {
      const std::lock_guard locked(node_.lock());
      if (waiter.served) return;
      const Access access = waited ? machines_->cache.classify(need_slot(met)) : meet_copy(met);
      // The first outcome is the one that is counted.
      if (!waited) waiter.met = access;
      if (is_hit(access)) {
        if (waited) std::erase(waiters_, &waiter);
        return read_copy(waiter, access);
      }
      if (node_.failed()) return fail_waiter(waiter);
      // The copy was evicted or invalidated again since it arrived, so this thread must request it
      // again.
      if (waited) request_copy(met);
      if (!waited && policy_.paced && access == Access::StaleMiss) request_outdated();
      waiter.recheck.store(false, std::memory_order_relaxed);
      machines_->cache.flush(node_.outbox());
      node_.ship();
      if (!waited) {
        node_.count_blocked_fetch();
        waiters_.push_back(&waiter);
      }
      waited = true;
    }
    const bool keeps_times = node_.keeps_times();
    const Instant from = keeps_times ? node_.transport().now() : Instant();
    node_.wait_until(
        [&] { return waiter.recheck.load(std::memory_order_acquire) || node_.failed(); });
    if (keeps_times) node_.note_blocked(from, node_.transport().now());
  }
}

/// Locked. A node that ran behind finds many copies too old; one message to each home requests them all.
void Space::request_outdated() {
  memory_.marks.each_raised(local_count(), local_count() + met_count(), [&](std::size_t place) {
    const SlotIndex slot = slot_of(MetIndex(static_cast<std::uint32_t>(place - local_count())));
    if (slot != SlotIndex::none() && machines_->cache.classify(slot) == Access::StaleMiss)
      machines_->cache.prefetch(slot);
  });
}

/// Locked. The node has failed: returns zeros, since no value will arrive.
void Space::fail_waiter(Waiter& waiter) {
  std::erase(waiters_, &waiter);
  std::fill_n(waiter.out, value_bytes_, std::byte{0});
}

/// Locked. Serves waiting threads as soon as the copy arrives. Otherwise a newer version could be
/// known by the time the thread runs, and for an object that is written all the time the thread
/// would never get a value.
void Space::serve_waiters() {
  std::erase_if(waiters_, [this](Waiter* waiter) {
    const SlotIndex slot = slot_of(waiter->met_index);
    bool under_way = false;
    if (slot != SlotIndex::none()) {
      const Access access = machines_->cache.classify(slot);
      waiter->served = is_hit(access);
      if (waiter->served) read_copy(*waiter, access);
      under_way = is_under_way(machines_->cache.state(slot));
    }
    const bool served = waiter->served;
    if (served || !under_way) waiter->recheck.store(true, std::memory_order_release);
    return served;
  });
}

/// Locked. `access`: the outcome now; waiter.met: the outcome that is counted.
void Space::read_copy(Waiter& waiter, Access access) {
  const SlotIndex slot = slot_of(waiter.met_index);
  if (waiter.met == Access::StaleHit) {
    use_stale(waiter.met_index, machines_->cache.staleness(slot));
  } else {
    counters_.add(waiter.met);
    // A miss may be served with a value that is stale within the threshold; this counts for
    // termination.
    if (access == Access::StaleHit) late_stale_uses_.fetch_add(1, std::memory_order_relaxed);
  }
  if (bounded()) machines_->copies.was_read(machines_->copies.place_of(slot));
  memory_.values.load(place_of(slot), waiter.out);
}

std::string Space::misplaced_store(Handle handle) const {
  const ObjectId id = object(handle);
  return format(
      "DSM_STORE: node {} stores object {} of node {}; only the home of an object stores to it",
      node_.self(), id.local().value(), id.home());
}

void Space::store(Handle handle, ValueView value) {
  LEEWAY_REQUIRE((handle.value() < local_handles() || !policy_.optimizations.collocation),
                 misplaced_store(handle));
  if (handle.value() >= local_handles()) return store_remote(handle, value);
  if (!plain_stores()) return store_waiting(handle, value);
  memory_.values.store(handle.index(), value);
  note_store(LocalIndex(handle.value()));
}

void Space::note_store(LocalIndex object) {
  // The value is written before the version is announced, so a copy is never older than its
  // version.
  std::atomic_ref(memory_.write_counts[object.index()]).fetch_add(1, std::memory_order_acq_rel);
  // mutant: a-store-wakes-no-thread
  if (memory_.written.add(object.value())) mark_pending();
}

void Space::hand_over(std::span<const LocalIndex> stored) {
  const std::lock_guard locked(node_.lock());
  machines_->directory.wrote(stored);
  drain_refreshes();
  machines_->directory.flush(node_.outbox());
  machines_->cache.flush(node_.outbox());
  node_.ship();
}

void Space::mark_pending() {
  if (memory_.pending.raise()) node_.kick();
}

/// A store in a mode whose writes wait.
void Space::store_waiting(Handle handle, ValueView value) {
  AckNumber last{0};
  {
    const std::lock_guard locked(node_.lock());
    memory_.values.store(handle.index(), value);
    machines_->directory.wrote(LocalIndex(handle.value()));
    machines_->directory.flush(node_.outbox());
    last = machines_->directory.last_ack();
    node_.ship();
  }
  node_.wait_until([&] {
    const std::lock_guard locked(node_.lock());
    return machines_->directory.all_acked(last) || node_.failed();
  });
}

/// Without work collocation, the single writer need not be the home (ASPIRE §4.2, write message).
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
    machines_->effects.clear();
    const SlotIndex slot = need_slot(met_of(handle));
    if (bounded()) machines_->copies.expect(slot);
    machines_->cache.write(slot, value, ack, node_.outbox(), machines_->effects);
    apply(machines_->effects);
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
    if (may_prefetch(met)) request_copy(met);  // best effort
  }
  machines_->cache.flush(node_.outbox());
  node_.ship();
}

void Space::announce(std::span<const NextRead> reads, std::optional<std::uint32_t> from,
                     std::optional<std::uint32_t> to) {
  LEEWAY_CHECK(options_.eviction == Eviction::Known);
  const std::lock_guard locked(node_.lock());
  for (const NextRead& read : reads)
    machines_->copies.set_next_read(met_of(read.object), read.position);
  machines_->copies.move_reader(from, to);
}

/// Locked. Requests the object unless it has a usable copy or a read in flight.
void Space::request_copy(MetIndex met) {
  const SlotIndex slot = need_slot(met);
  machines_->cache.prefetch(slot);
  if (bounded() && !is_hit(machines_->cache.classify(slot))) machines_->copies.expect(slot);
}

void Space::wait_for_reads(std::span<const Handle> handles) {
  // Waits by the numbers of the newest reads: a home answers in order, and later reads have greater
  // numbers. `in_flight` would include the reads of other threads and might never be 0.
  std::vector<std::pair<NodeId, RequestNumber>> awaited;
  {
    const std::lock_guard locked(node_.lock());
    machines_->cache.flush(node_.outbox(), Flush::All);  // a read has no number before it is sent
    node_.ship();
    std::vector<bool> homes(node_.node_count(), false);
    for (const Handle handle : handles) {
      if (handle.value() < local_handles()) continue;
      const SlotIndex slot = slot_of(met_of(handle));
      if (slot == SlotIndex::none()) continue;
      if (!is_under_way(machines_->cache.state(slot))) continue;
      const NodeId home = machines_->cache.object(slot).home();
      if (homes[home.index()]) continue;
      homes[home.index()] = true;
      awaited.emplace_back(home, machines_->cache.newest_read(home));
    }
  }
  node_.wait_until([&] {
    const std::lock_guard locked(node_.lock());
    std::erase_if(awaited, [&](const auto& each) {
      return machines_->cache.answered(each.first, each.second);
    });
    // mutant: wait-for-reads-waits-for-all-reads
    return awaited.empty() || node_.failed();
  });
}

void Space::fetch_current(std::span<const Handle> handles, std::byte* out) {
  const std::size_t at_once = bounded() ? 1 : handles.size();
  for (std::size_t at = 0; at < handles.size(); at += at_once) {
    const auto some = handles.subspan(at, at_once);
    const bool local = std::all_of(some.begin(), some.end(),
                                   [&](Handle each) { return each.value() < local_handles(); });
    if (!local) renew(some);
    for (const Handle handle : some) {
      fetch(handle, out);
      out += value_bytes_;
    }
  }
}

void Space::renew(std::span<const Handle> handles) {
  // Their answers may be older than this call.
  // mutant: a-fetch-that-insists-takes-an-earlier-answer
  wait_for_reads(handles);
  {
    const std::lock_guard locked(node_.lock());
    if (node_.failed()) return;
    for (const Handle handle : handles) {
      if (handle.value() < local_handles()) continue;
      const SlotIndex slot = need_slot(met_of(handle));
      if (bounded()) machines_->copies.expect(slot);
      machines_->cache.renew(slot);
    }
  }
  node_.count_blocked_fetch();
  wait_for_reads(handles);
}

namespace {

// Handling of messages: applies the effects of the protocol machines to memory.

/// Installs values in an unbounded cache.
void install_all(std::span<const Install> installs, SpaceMemory& memory, std::size_t local) {
  constexpr std::size_t kAhead = 8;
  for (std::size_t i = 0; i < installs.size(); ++i) {
    if (i + kAhead < installs.size()) {  // prefetches scattered copies
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
  machines_->effects.clear();
  bool understood = false;
  switch (kind) {
    case MessageKind::Link:
      understood = machines_->directory.on_link(from, in);
      if (const auto object = machines_->directory.asked_beyond())
        node_.fail_later(no_such_object(from, *object));
      break;
    case MessageKind::Read:
      drain_writes();  // so that the reply carries the newest version
      understood = machines_->directory.on_read(from, in, out);
      break;
    case MessageKind::Reply:
      understood = machines_->cache.on_reply(from, in, machines_->effects);
      break;
    case MessageKind::Invalidate:
      understood = machines_->cache.on_invalidate(from, in, out, machines_->effects);
      break;
    case MessageKind::Ack:
      understood = machines_->directory.on_ack(from, in, out);
      if (policy_.paced && machines_->directory.needs_flush()) mark_pending();
      break;
    case MessageKind::Evict:
      understood = machines_->directory.on_evict(from, in);
      break;
    case MessageKind::Write:
      understood = machines_->directory.on_write(from, in, out);
      if (machines_->directory.needs_flush()) mark_pending();
      break;
    case MessageKind::WriteAck: {
      const AckNumber number(in.varint());
      remote_writes_.erase(number);
      understood = true;
      break;
    }
    case MessageKind::Decline:
      understood = machines_->directory.on_decline(from, in);
      break;
    case MessageKind::Collective:
      break;
  }
  apply(machines_->effects);
  if (machines_->directory.overfull()) {
    node_.fail_later(environment_error(
        options_.name,
        format("more than {} copies of the objects of node {} are held by other nodes",
               Directory::kMostCopies, self_),
        "use more nodes, or a partition with fewer replicas"));
  }
  return understood && !in.failed();
}

/// The error for a request of an object that does not exist. Only the home knows its number of
/// objects.
Error Space::no_such_object(NodeId requester, LocalIndex object) const {
  return input_error(options_.name,
                     format("node {} asked for object {} of node {}, which has {}", requester,
                            object, self_, local_count()),
                     "use object numbers below the local_objects of their home");
}

void Space::apply(const CacheEffects& effects) {
  if (bounded()) {
    for (const Install& install : effects.installs) {
      for (std::uint32_t i = 0; i < install.slots.count; ++i)
        put_copy(install.slots[i], install.value(i));
    }
    for (const SlotRange& slots : effects.current) publish_bounded(slots);
    for (const SlotRange& slots : effects.changed) publish_bounded(slots);
    for (const SlotRange& slots : effects.restored) publish_bounded(slots, false);
  } else {
    install_all(effects.installs, memory_, local_count());
    for (const SlotRange& slots : effects.current) publish_row(slots, true);
    for (const SlotRange& slots : effects.changed) publish_row(slots, false);
    for (const SlotRange& slots : effects.restored) publish_row(slots, false);
  }
  for (const SlotIndex slot : effects.watched) publish(slot, true);
  if (!waiters_.empty()) serve_waiters();
  if (machines_->cache.needs_flush()) mark_pending();
}

void Space::put_copy(SlotIndex slot, ValueView value) {
  if (machines_->cache.held(slot) == kNoVersion)
    return;  // evicted for another object of the same message
  if (machines_->copies.place_of(slot) != Lru::kNone) {
    machines_->copies.stop_expecting(slot);  // a refresh or a push does not count as use
  } else if (!machines_->copies.expected(slot)) {
    return forget(slot);  // evicted during its refresh
  } else {
    if (machines_->copies.full()) forget(machines_->copies.first_to_go());
    machines_->copies.put(slot);
  }
  memory_.values.store(place_of(slot), value);
  memory_.held.give(met_of(slot), machines_->copies.place_of(slot));
}

/// ASPIRE §4.2: a full cache evicts its least recently used object. Ours: or the one that is read last from now.
void Space::forget(SlotIndex slot) {
  // If the copy is stale, its next read returns a newer value, and no further invalidation reports
  // that.
  // mutant: a-stale-copy-goes-unheard
  const bool is_news =
      !options_.invalidate_evicted || machines_->cache.classify(slot) == Access::StaleHit;
  if (const std::uint32_t place = machines_->copies.place_of(slot); place != Lru::kNone)
    memory_.held.take(met_of(slot), place);
  machines_->copies.remove(slot);
  if (options_.invalidate_evicted) {
    machines_->cache.drop(slot);
  } else {
    machines_->cache.evict(slot);
  }
  publish_bounded({slot, 1}, is_news);
}

/// Locked. The state of a slot as a CopyMark.
[[gnu::always_inline]] inline std::uint8_t Space::age_to_publish(SlotIndex slot) const {
  const Access access = machines_->cache.classify(slot);
  if (access == Access::CurrentHit) return 0;
  if (access != Access::StaleHit) return kUnusable;
  return static_cast<std::uint8_t>(
      std::min<std::uint64_t>(machines_->cache.staleness(slot), kMostAge));
}

/// The value must be written before.
void Space::publish(SlotIndex slot, bool keep_slow, bool is_news) {
  const MetIndex met = met_of(slot);
  const std::uint8_t age = age_to_publish(slot);
  memory_.marks.publish(mark_place(met), age, keep_slow);
  if (options_.note_changes && is_news) memory_.changed.add(met.value());
  if ((age == 0 || age == kUnusable) && follows(met)) stop_following(age == 0);
}

void Space::publish_row(const SlotRange& slots, bool current) {
  const std::size_t first = mark_place(met_of(slots.first));
  if (current) {
    memory_.marks.publish_row(first, slots.count, [](std::uint32_t) { return std::uint8_t{0}; });
  } else {
    // mutant: invalidation-leaves-the-mark
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

void Space::publish_bounded(const SlotRange& slots, bool is_news) {
  for (std::uint32_t i = 0; i < slots.count; ++i) {
    // The reply could not be used; a waiting thread requests the object again.
    if (machines_->cache.state(slots[i]) == CopyState::Absent)
      machines_->copies.stop_expecting(slots[i]);
    publish(slots[i], true, is_news);
  }
}

void Space::flush(Outbox& out, Flush what) {
  memory_.pending.lower();
  drain_writes();
  drain_refreshes();
  machines_->directory.flush(out, what);
  machines_->cache.flush(out, what);
}

void Space::flush_kept(Outbox& out) {
  machines_->directory.flush(out);
  machines_->cache.flush(out);
}

void Space::expire(Outbox& out, bool is_news) {
  if (memory_.marks.all_current()) return;
  memory_.marks.each_raised(local_count(), local_count() + met_count(), [&](std::size_t place) {
    const MetIndex met(static_cast<std::uint32_t>(place - local_count()));
    const SlotIndex slot = slot_of(met);
    if (slot == SlotIndex::none() || !machines_->cache.expire(slot)) return;
    const bool held = machines_->cache.held(slot) != kNoVersion;
    publish(slot, false, is_news && held);
    if (policy_.refresh && held) machines_->cache.refresh(slot);
  });
  machines_->cache.flush(out);
}

void Space::drain_writes() {
  drained_.clear();
  drained_times_.clear();
  memory_.written.drain([&](std::uint32_t object) {
    const std::uint32_t stores =
        std::atomic_ref(memory_.write_counts[object]).exchange(0, std::memory_order_acq_rel);
    if (stores == 0) return;
    drained_.emplace_back(object);
    // mutant: stores-between-flushes-count-once
    drained_times_.push_back(stores);
  });
  machines_->directory.wrote(drained_, drained_times_);
}

void Space::drain_refreshes() {
  memory_.refresh_queue.drain([&](std::uint32_t met) {
    const SlotIndex slot = slot_of(MetIndex(met));
    const bool is_here = slot != SlotIndex::none() && machines_->cache.held(slot) != kNoVersion;
    if (is_here) machines_->cache.refresh(slot);
    // The copy was evicted or has become current since the hit.
    if (follows(MetIndex(met)) && (!is_here || machines_->cache.staleness(slot) == 0))
      stop_following(is_here);
  });
}

}  // namespace leeway
