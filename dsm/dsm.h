// Dsm: the shared memory as a program uses it, with fetch and store of typed objects (ASPIRE's
// DSM-FETCH and DSM-STORE).
#pragma once

#include <span>
#include <type_traits>
#include <typeinfo>
#include <vector>

#include "base/check.h"
#include "base/format.h"
#include "dsm/view.h"

namespace leeway {

/// A typed view of a space of objects; each object has one home and one writer. A read may return a copy that is up
/// to the policy's threshold of versions old. Writes to one object are ordered; writes to different objects are not.
/// Thread-safe. A small handle: the node owns the objects and must outlive it.
template <class T>
  requires std::is_trivially_copyable_v<T> && (sizeof(T) <= kMaxValueBytes)
class Dsm {
 public:
  /// Collective: all nodes open the same spaces in the same order.
  static Result<Dsm> open(Node& node, const SpaceOptions& options) {
    LEEWAY_ASSIGN(Space * space, Space::open(node, options, sizeof(T), typeid(T).name()));
    return Dsm(*space);
  }

  /// The handle by which this node accesses the object; a 32-bit number that needs no lookup.
  [[nodiscard]] Result<Handle> resolve(ObjectId id) { return space_->resolve(id); }
  [[nodiscard]] ObjectId object(Handle handle) const { return space_->object(handle); }

  /// Blocks only on a cache miss or a stale miss. Never returns an older version than before to the
  /// same thread.
  [[nodiscard]] T fetch(Handle object) {
    if (object.value() < space_->plain_limit())
      return space_->memory_.values.template load_as<T>(object.index());
    const std::size_t place = space_->place_behind(object);
    LEEWAY_REQUIRE(place < space_->memory_.marks.handles(),
                   format("DSM_FETCH: this space has no object with handle {}", object.value()));
    if (space_->memory_.marks.at(place).load() != 0) return fetch_slow(object);
    space_->counters().add(Access::CurrentHit);
    return space_->memory_.values.template load_as<T>(place);
  }
  /// By id, for code outside inner loops. It is an error of the node (NodeOptions::on_failure) if
  /// no space has this id or if more than `remote_objects` remote objects are used.
  [[nodiscard]] T fetch(ObjectId id) {
    // mutant: find-before-resolve
    const Handle handle = handle_of(id);
    // mutant: find-before-resolve
    if (handle == Handle::none()) [[unlikely]]
      return T{};  // the node has failed
    return fetch(handle);
  }

  /// The value that the object's home has now: asks it even if a copy is current, and waits for the answer.
  /// Returns every store that had been published there when this was called.
  [[nodiscard]] T fetch_current(Handle object) {
    T value;
    space_->fetch_current({&object, 1}, reinterpret_cast<std::byte*>(&value));
    return value;
  }
  /// By id; ids as for `fetch`.
  [[nodiscard]] T fetch_current(ObjectId id) {
    const Handle handle = handle_of(id);
    return handle == Handle::none() ? T{} : fetch_current(handle);
  }
  /// Collective: a read of this space after it returns every value that any node has stored before it.
  void fence() { space_->fence(); }

  /// Sets the initial value of a local object, before any node reads it; sends no invalidation.
  void set_initial(LocalIndex object, const T& value) {
    LEEWAY_REQUIRE(object.value() < space_->local_count(),
                   format("set_initial: object {} of a node that has {}", object.value(),
                          space_->local_count()));
    space_->memory_.values.template store_as<T>(object.index(), value);
  }
  /// The value in memory, current or not; not counted as a fetch, and requests nothing. A remote
  /// object must have a copy; if the cache is bounded, the caller must hold the node's lock.
  [[nodiscard]] T peek(Handle object) const {
    return space_->memory_.values.template load_as<T>(space_->place_of(object));
  }

  /// Returns without waiting for the sharers, unless writes of the mode wait; this node's next
  /// fetch returns `value`. Requires that this node is the object's home, unless work collocation
  /// is off (checked).
  void store(Handle object, const T& value) {
    if (object.value() < space_->local_handles() && space_->plain_stores()) {
      space_->memory_.values.template store_as<T>(object.index(), value);
      space_->note_store(LocalIndex(object.value()));
      return;
    }
    space_->store(object, std::as_bytes(std::span(&value, 1)));
  }

  /// Requests the objects without a usable copy in as few messages as possible; does not wait.
  void prefetch(std::span<const Handle> objects) { space_->prefetch(objects); }
  /// By id, for code outside inner loops; ids as for `fetch`.
  void prefetch(std::span<const ObjectId> ids) {
    std::vector<Handle> handles;
    for (const ObjectId id : ids) {
      if (const Handle handle = handle_of(id); handle != Handle::none()) handles.push_back(handle);
    }
    space_->prefetch(handles);
  }
  /// Prefetches and waits for the copies: fills the cache before the first iteration (ASPIRE §4.3, replication).
  void replicate(std::span<const Handle> objects) {
    space_->prefetch(objects);
    space_->wait_for_reads(objects);
  }

  /// A fast path for one thread that reads many objects; see View.
  [[nodiscard]] View<T> view() { return View<T>(*this); }

  [[nodiscard]] std::uint32_t local_count() const { return space_->local_count(); }
  [[nodiscard]] SpaceStats stats() const { return space_->stats(); }
  [[nodiscard]] Node& node() { return space_->node(); }
  [[nodiscard]] Space& space() { return *space_; }

 private:
  friend class View<T>;
  explicit Dsm(Space& space) : space_(&space) {}

  /// Returned by value instead of in an optional: an optional on the stack, which `meet` might
  /// write, prevents the loads of several fetches from overlapping.
  [[nodiscard]] Handle handle_of(ObjectId id) {
    if (const auto known = space_->find(id)) [[likely]]
      return *known;
    return space_->meet(id);
  }

  [[nodiscard]] [[gnu::noinline]] T fetch_slow(Handle object) {
    T value;
    space_->fetch(object, reinterpret_cast<std::byte*>(&value));
    return value;
  }

  Space* space_;
};

}  // namespace leeway

// The names in ASPIRE's paper.
#define DSM_FETCH(dsm, object) ((dsm).fetch(object))
#define DSM_STORE(dsm, object, ...) ((dsm).store(object, __VA_ARGS__))
