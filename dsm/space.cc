#include "leeway/dsm/space.h"

#include <utility>

#include "leeway/base/check.h"
#include "leeway/base/format.h"
#include "leeway/dsm/space_machines.h"

namespace leeway {

Space::Space(Node& node, SpaceId id, const SpaceOptions& options, std::uint32_t value_bytes)
    : node_(node),
      self_(node.self()),
      id_(id),
      options_(options),
      value_bytes_(value_bytes),
      policy_(options.policy.value_or(node.options().policy)),
      machines_(std::make_unique<Machines>(*this, node.node_count())),
      directory_(machines_->directory),
      cache_(machines_->cache),
      copies_(machines_->copies),
      effects_(machines_->effects),
      ids_(node.node_count()) {}

Space::~Space() = default;

std::uint8_t Space::most_unlocked_age() const {
  return policy_.threshold > kMostAge ? kMostAge - 1 : kMostAge;
}

std::uint32_t Space::met_count() const { return bounded() ? copies_.count() : cache_.slot_count(); }

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
    return fail(input_error(options.name, "who has handles of copies alone must keep them",
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
  stats.cache = cache_.counts();
  stats.directory = directory_.counts();
  stats.refreshes = refresh_times_;
  stats.bytes =
      memory_.bytes() + directory_.bytes() + cache_.bytes() + copies_.bytes() + ids_.bytes();
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
    if (id.local().value() < local_count())
      return options_.serves_only ? mirror(id) : Handle(id.local().value());
    return fail(
        input_error(options_.name,
                    format("object {} is beyond the {} that live here", id.local(), local_count()),
                    "open the space with more local objects"));
  }
  if (const auto met = ids_.find(id)) return Handle(local_handles() + met->value());
  const std::lock_guard locked(node_.lock());
  if (const auto met = ids_.find(id)) return Handle(local_handles() + met->value());
  if (met_count() == options_.remote_objects) {
    return fail(input_error(options_.name,
                            format("more than {} remote objects were met", options_.remote_objects),
                            "open the space with a greater remote_objects"));
  }
  const MetIndex met = bounded() ? copies_.add(id) : MetIndex(cache_.meet(id).value());
  memory_.marks.publish(mark_place(met), kUnusable, false);
  if (options_.note_changes) memory_.changed.add(met.value());
  LEEWAY_TRY(ids_.insert(id, met));
  // ASPIRE §4.3, replication: what will be read is here before it is read.
  if (policy_.optimizations.replication && may_ask_ahead(met)) {
    want(met);
    mark_pending();
  }
  return Handle(local_handles() + met.value());
}

Handle Space::mirror(ObjectId id) {
  const std::lock_guard locked(node_.lock());
  mirrors_.resize(local_count(), SlotIndex::none());
  SlotIndex& slot = mirrors_[id.local().index()];
  if (slot == SlotIndex::none()) {
    slot = cache_.meet_own(id);
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
  if (bounded()) return copies_.object(met_of(handle));
  return cache_.object(slot_of(met_of(handle)));
}

std::size_t Space::place_of(SlotIndex slot) const {
  const std::uint32_t copy = bounded() ? copies_.place_of(slot) : slot.value();
  LEEWAY_CHECK(copy != Lru::kNone, "slot", slot);
  return std::size_t{local_count()} + copy;
}

bool Space::may_ask_ahead(MetIndex met) const {
  if (!bounded() || copies_.may_ask_ahead()) return true;
  const SlotIndex slot = copies_.slot_of(met);
  return slot != SlotIndex::none() && copies_.place_of(slot) != Lru::kNone;
}

std::size_t Space::place_of(Handle handle) const {
  if (handle.value() < local_handles() || !bounded()) return place_behind(handle);
  const SlotIndex slot = slot_of(met_of(handle));
  LEEWAY_CHECK(slot != SlotIndex::none(), handle);
  return place_of(slot);
}

Version Space::held(MetIndex met) const {
  const SlotIndex slot = slot_of(met);
  return slot == SlotIndex::none() ? kNoVersion : cache_.held(slot);
}

void Space::Machines::append(std::span<const LocalIndex> objects, ByteWriter& out) const {
  owner.memory_.values.gather(objects, out.extend(objects.size() * owner.value_bytes_));
}

void Space::Machines::put(LocalIndex object, ValueView value) {
  owner.memory_.values.store(object.index(), value);
  if (owner.mirrors_.empty()) return;
  const SlotIndex slot = owner.mirrors_[object.index()];
  if (slot == SlotIndex::none()) return;
  owner.memory_.values.store(owner.place_of(slot), value);
  owner.publish(slot, false);
}

bool Space::Machines::unread(SlotIndex slot) const {
  return !owner.bounded() && owner.mark_of(owner.met_of(slot)).unread();
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

}  // namespace leeway
