#include "leeway/dsm/space.h"

#include <utility>

#include "leeway/base/check.h"
#include "leeway/base/format.h"
#include "leeway/dsm/node.h"

namespace leeway {

namespace {

template <class T>
std::atomic<T>* as_atomics(Array<T>& memory) {
  return reinterpret_cast<std::atomic<T>*>(memory.mutable_span().data());
}

}  // namespace

std::uint32_t Space::thread_number() {
  static std::atomic<std::uint32_t> next{0};
  thread_local const std::uint32_t mine = next.fetch_add(1);
  return mine;
}

Space::Space(Node& node, SpaceId id, const SpaceOptions& options, ValueShape shape)
    : node_(node),
      self_(node.self()),
      id_(id),
      options_(options),
      shape_(shape),
      policy_(options.policy.value_or(node.options().policy)),
      watched_(node.options().recorder != nullptr),
      directory_(id, node.self(), node.node_count(), options.local_objects, policy_, shape, *this),
      cache_(id, node.self(), node.node_count(), policy_, shape, this),
      recency_(options.cache_capacity),
      ids_(node.node_count()),
      scratch_(shape.bytes) {
  if (watched_) directory_.keep_journal(&journal_);
}

Result<std::unique_ptr<Space>> Space::make(Node& node, SpaceId id, const SpaceOptions& options,
                                           ValueShape shape) {
  if (options.cache_capacity > 0 && options.cache_capacity < kLeastCacheCapacity) {
    return fail(input_error(options.name,
                            format("a cache of {} objects is too small", options.cache_capacity),
                            format("give it at least {}, or 0 for no bound", kLeastCacheCapacity)));
  }
  if (shape.bytes == 0 || shape.bytes > kMaxValueBytes) {
    return fail(input_error(options.name,
                            format("objects of {} bytes are not possible", shape.bytes),
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
  LEEWAY_ASSIGN(mark_memory_, Array<std::uint8_t>::make(handles + 1));
  LEEWAY_ASSIGN(write_count_memory_, Array<std::uint32_t>::make(local_count() + std::size_t{1}));
  LEEWAY_ASSIGN(written_, IndexQueue::make(local_count()));
  LEEWAY_ASSIGN(refresh_queue_, IndexQueue::make(slots));
  if (options_.note_changes) {
    LEEWAY_ASSIGN(changed_, IndexQueue::make(slots));
  }
  marks_ = as_atomics(mark_memory_);
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
  stats.bytes = values_.bytes() + mark_memory_.bytes() + write_count_memory_.bytes() +
                written_.bytes() + refresh_queue_.bytes() + changed_.bytes() + directory_.bytes() +
                cache_.bytes() + ids_.bytes();
  return stats;
}

Result<Handle> Space::resolve(ObjectId id) {
  if (id.home().value() >= node_.node_count()) {
    return fail(
        input_error(options_.name,
                    format("object {} has no home among {} nodes", id.value(), node_.node_count()),
                    "use ids made by the spaces of this cluster"));
  }
  if (id.home() == node_.self()) {
    if (id.local().value() < local_count()) return Handle(id.local().value());
    return fail(
        input_error(options_.name,
                    format("object {} is beyond the {} that live here", id.local(), local_count()),
                    "open the space with more local objects"));
  }
  if (const auto slot = ids_.find(id)) return Handle(local_count() + slot->value());
  const std::lock_guard locked(node_.lock());
  if (const auto slot = ids_.find(id)) return Handle(local_count() + slot->value());
  if (cache_.slot_count() == options_.remote_objects) {
    return fail(input_error(options_.name,
                            format("more than {} remote objects were met", options_.remote_objects),
                            "open the space with a greater remote_objects"));
  }
  const SlotIndex slot = cache_.meet(id);
  if (bounded()) place_of_slot_.push_back(Lru::kNone);
  publish(slot, bounded() || watched_);
  LEEWAY_TRY(ids_.insert(id, slot));
  // ASPIRE §4.3, replication: what will be read is here before it is read.
  if (policy_.optimizations.replication && may_ask_ahead()) {
    cache_.want(slot);
    mark_pending();
  }
  return Handle(local_count() + slot.value());
}

ObjectId Space::object(Handle handle) const {
  if (handle.value() < local_count()) return {node_.self(), LocalIndex(handle.value())};
  const std::lock_guard locked(node_.lock());
  return cache_.object(slot_of(handle));
}

std::size_t Space::place_of(SlotIndex slot) const {
  const std::uint32_t copy = bounded() ? place_of_slot_[slot.index()] : slot.value();
  LEEWAY_CHECK(copy != Lru::kNone, "slot", slot);
  return std::size_t{local_count()} + copy;
}

void Space::append(std::span<const LocalIndex> objects, ByteWriter& out) const {
  if (values_.compact()) {
    values_.gather(objects, out.extend(objects.size() * shape_.bytes));
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
  if (!watched_) return;
  record(RecordKind::Write, {node_.self(), object}, directory_.version(object).next(),
         hash_value(value));
}

bool Space::unread(SlotIndex slot) const {
  return mark_of(slot).load(std::memory_order_relaxed) == kLookFirst && !watched_ && !bounded();
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
                   Access access, NodeId peer, std::optional<std::uint32_t> thread) {
  if (!watched_) return;
  node_.options().recorder->record({.at = node_.transport().now(),
                                    .node = node_.self(),
                                    .kind = kind,
                                    .space = id_,
                                    .object = object,
                                    .version = version,
                                    .value = value,
                                    .access = access,
                                    .peer = peer,
                                    .thread = thread.value_or(thread_number())});
}

void Space::record_journal() {
  for (const SharerChange& change : journal_) {
    record(change.joined ? RecordKind::Joined : RecordKind::Left, {node_.self(), change.object},
           directory_.version(change.object), 0, Access::CurrentHit, change.node);
  }
  journal_.clear();
}

}  // namespace leeway
