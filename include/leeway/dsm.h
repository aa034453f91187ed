// The shared memory as a program uses it: fetch and store of typed objects. ASPIRE's DSM-FETCH and
// DSM-STORE are Dsm::fetch and Dsm::store.
#pragma once

#include <span>
#include <type_traits>
#include <vector>

#include "dsm/node.h"
#include "dsm/view.h"

namespace leeway {

/// Objects with one home and one writer each; a read may return a copy up to the configured threshold of
/// versions old. Orders one object's writes, never two objects' against each other. Thread-safe. A light
/// handle: the node owns the objects and outlives it.
template <class T>
  requires std::is_trivially_copyable_v<T> && (sizeof(T) <= kMaxValueBytes)
class Dsm {
 public:
  /// Collective: every node opens the same spaces in the same order.
  static Result<Dsm> open(Node& node, const SpaceOptions& options) {
    LEEWAY_ASSIGN(Space * space, node.open_space(options, sizeof(T)));
    return Dsm(node, *space);
  }

  /// The handle by which this node reads the object from now on; cheap to keep, free to use.
  [[nodiscard]] Result<Handle> resolve(ObjectId id) { return space_->resolve(id); }
  [[nodiscard]] ObjectId object(Handle handle) const { return space_->object(handle); }

  /// Blocks only on a cache miss or a stale miss. Never older than this thread has seen before.
  [[nodiscard]] T fetch(Handle object) {
    if (object.value() < space_->plain_limit())
      return space_->memory_.values.template load_as<T>(object.index());
    const std::size_t place = space_->place_behind(object);
    if (space_->memory_.marks.at(place).load() != 0) return fetch_slow(object);
    space_->counters().add(Access::CurrentHit);
    return space_->memory_.values.template load_as<T>(place);
  }
  /// By id, for code outside the sweep. An id that no space of this cluster made, or one more than
  /// `remote_objects`, is an error of the node (NodeOptions::on_failure).
  [[nodiscard]] T fetch(ObjectId id) {
    const Handle handle = handle_of(id);
    if (handle == Handle::none()) [[unlikely]]
      return T{};  // the node has failed
    return fetch(handle);
  }

  /// Gives a local object its first value, before anybody reads it: nobody hears of it.
  void set_initial(LocalIndex object, const T& value) {
    space_->memory_.values.template store_as<T>(object.index(), value);
  }
  /// What memory holds of the object now, whether current or not: counted as no fetch, and it asks for
  /// nothing. Requires of a remote object that a copy is here, and where the cache is bounded the node's lock.
  [[nodiscard]] T peek(Handle object) const {
    return space_->memory_.values.template load_as<T>(space_->place_of(object));
  }

  /// Returns at once, whatever the sharers do, unless the mode is strict; this node's next fetch sees
  /// `value`. Requires: this node is the object's home, unless work collocation is off (checked).
  void store(Handle object, const T& value) {
    if (object.value() < space_->local_handles() && space_->plain_stores()) {
      space_->memory_.values.template store_as<T>(object.index(), value);
      space_->note_store(LocalIndex(object.value()));
      return;
    }
    space_->store(object, std::as_bytes(std::span(&value, 1)));
  }

  /// Asks for all that is missing among these in as few messages as possible; does not wait.
  void prefetch(std::span<const Handle> objects) { space_->prefetch(objects); }
  /// By id, for code outside the sweep; ids as for `fetch`.
  void prefetch(std::span<const ObjectId> ids) {
    std::vector<Handle> handles;
    for (const ObjectId id : ids) {
      if (const Handle handle = handle_of(id); handle != Handle::none()) handles.push_back(handle);
    }
    space_->prefetch(handles);
  }
  /// Prefetch and wait: fills the cache before the first iteration (ASPIRE §4.3, replication).
  void replicate(std::span<const Handle> objects) {
    space_->prefetch(objects);
    space_->wait_for_reads(objects);
  }

  /// One thread's fast way to read many objects; see View.
  [[nodiscard]] View<T> view() { return View<T>(*this); }

  [[nodiscard]] std::uint32_t local_count() const { return space_->local_count(); }
  [[nodiscard]] SpaceStats stats() const { return space_->stats(); }
  [[nodiscard]] Node& node() { return *node_; }
  [[nodiscard]] Space& space() { return *space_; }

 private:
  friend class View<T>;
  Dsm(Node& node, Space& space) : node_(&node), space_(&space) {}

  /// By value and not in an optional: one on the stack, where `meet` may write it, keeps the loads of several
  /// fetches from overlapping.
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

  Node* node_;
  Space* space_;
};

}  // namespace leeway

// ASPIRE's own names, for whoever reads the paper beside the code.
#define DSM_FETCH(dsm, object) ((dsm).fetch(object))
#define DSM_STORE(dsm, object, value) ((dsm).store(object, value))
