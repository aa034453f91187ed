// What the threads of a node touch of a space without its lock: the values, what is known of each copy, and what was
// stored or found stale since the node last looked.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/array.h"
#include "dsm/bounded_copies.h"
#include "dsm/copy_marks.h"
#include "dsm/id_index.h"
#include "dsm/space_options.h"
#include "dsm/value_store.h"
#include "protocol/cache.h"
#include "protocol/directory.h"

namespace leeway {

struct SpaceMemory {
  static Result<SpaceMemory> make(const SpaceOptions& options, std::uint32_t value_bytes);
  [[nodiscard]] std::size_t bytes() const;

  ValueStore values;
  HeldPlaces held;  ///< of a bounded cache; else every copy has a place of its own
  CopyMarks marks;  ///< per handle; always 0 where the object lives here
  Array<std::uint32_t> write_count_memory;
  std::uint32_t* write_counts = nullptr;  ///< per local object: stores since the last flush
  IndexQueue written;                     ///< local objects stored to since the last flush
  IndexQueue refresh_queue;               ///< met objects found stale since the last flush
  IndexQueue changed;   ///< met objects published since somebody last looked, if anybody does
  PendingFlag pending;  ///< `written`, `refresh_queue` or a machine may hold something to flush
};

// One named set of objects as one node sees it, untyped: those that live here, and the cache of those
// that live elsewhere. Binds the protocol's machines to memory: which values lie where, which reads need
// no lock, what waits for what. Dsm<T> is its typed face.
//
// Threads: everything but open and close may be called by any thread of the node. What is marked
// "locked" needs the node's lock.
//
// Once the node has failed (Node::failed) nothing here blocks any more, and what is read means nothing.
class BoundedCopies;

class Space final {
 public:
  static Result<std::unique_ptr<Space>> make(Node& node, SpaceId id, const SpaceOptions& options,
                                             std::uint32_t value_bytes);
  ~Space();
  Space(const Space&) = delete;
  Space& operator=(const Space&) = delete;

  [[nodiscard]] const std::string& name() const { return options_.name; }
  [[nodiscard]] const Policy& policy() const { return policy_; }
  [[nodiscard]] std::uint32_t local_count() const { return options_.local_objects; }
  /// Handles below this are of objects that live here, those from there on of copies.
  [[nodiscard]] std::uint32_t local_handles() const {
    return options_.serves_only ? 0 : local_count();
  }
  /// How many remote objects it can meet.
  [[nodiscard]] std::uint32_t met_limit() const { return options_.remote_objects; }
  /// How many it has met. Locked.
  [[nodiscard]] std::uint32_t met_count() const;
  [[nodiscard]] SpaceStats stats() const;

  /// The handle of an object, which is met if it is not yet known. Under the replication of the policy
  /// an object that is met is asked for at once.
  Result<Handle> resolve(ObjectId id);
  [[nodiscard]] ObjectId object(Handle handle) const;
  [[nodiscard]] std::optional<Handle> find(ObjectId id) const {
    if (id.home() == self_) {
      if (id.local().value() >= local_handles()) return std::nullopt;
      return Handle(id.local().value());
    }
    const auto met = ids_.find(id);
    if (!met) return std::nullopt;
    return Handle(local_handles() + met->value());
  }
  /// As `resolve`, for a caller that has no way to return an error: the node fails with it, and if that
  /// returns there is no handle.
  [[nodiscard]] Handle meet(ObjectId id);

  /// Copies the value out; blocks on a miss.
  void fetch(Handle handle, std::byte* out);
  void store(Handle handle, ValueView value);
  /// Asks for whatever of these is not usable; does not wait.
  void prefetch(std::span<const Handle> handles);
  /// Waits for the reads of these that have been asked for so far, and not for later ones, whoever asks.
  void wait_for_reads(std::span<const Handle> handles);

  /// Bounded: copies the value out if a copy is here that may be read, and returns the copy's age; else kUnusable. Takes
  /// no lock of the node. A stale copy is queued to be refreshed.
  [[nodiscard]] std::uint8_t read_held(Handle handle, std::byte* out);
  [[nodiscard]] bool bounded() const { return options_.cache_capacity > 0; }
  /// Copies held at once; 0: all that are met.
  [[nodiscard]] std::uint32_t cache_capacity() const { return options_.cache_capacity; }

  /// A copy's age: 0 current, kUnusable no copy or one beyond the threshold, else its staleness.
  [[nodiscard]] std::uint8_t age(MetIndex met) const { return mark_of(met).age(); }
  static constexpr std::uint8_t kUnusable = CopyMark::kUnusable;
  static constexpr std::uint8_t kMostAge = CopyMark::kMostAge;
  /// Calls `take(slot)` for every copy that a value or an invalidation has reached since the last call.
  /// Requires note_changes. One thread at a time.
  template <class Take>
  void take_changed(Take&& take) {
    memory_.changed.drain([&](std::uint32_t met) { take(MetIndex(met)); });
  }

  // Driven by the node. Locked.

  [[nodiscard]] bool on_message(MessageKind kind, NodeId from, ByteReader& in, Outbox& out);
  /// Announces what was written and asks for what was found stale.
  void flush(Outbox& out, Flush what);
  /// Sends what was kept for peers that were held back.
  void flush_kept(Outbox& out);
  /// Asks for the current value of every stale copy.
  void refresh_all(Outbox& out);
  [[nodiscard]] bool idle() const { return !memory_.pending.raised(); }
  /// Stale values used so far, for the termination rule. Needs no lock.
  [[nodiscard]] std::uint64_t stale_uses() const {
    return counters_.total().stale_hits + late_stale_uses_.load(std::memory_order_relaxed);
  }
  [[nodiscard]] std::string what_is_awaited() const;
  [[nodiscard]] const Directory& directory() const { return directory_; }
  [[nodiscard]] const Cache& cache() const { return cache_; }
  /// The version of the copy that is here.
  [[nodiscard]] Version held(MetIndex met) const;

 private:
  // The typed fast path looks straight into what is below.
  template <class T>
    requires std::is_trivially_copyable_v<T> && (sizeof(T) <= kMaxValueBytes)
  friend class Dsm;
  template <class T>
  friend class View;

  [[nodiscard]] AccessCounters& counters() { return counters_; }
  /// Reads of handles below this are plain.
  [[nodiscard]] std::uint32_t plain_limit() const { return local_handles(); }
  /// Many reads may begin together: what arrives meanwhile is as if it came after them. Not where a writer waits for
  /// word that nobody reads what was.
  [[nodiscard]] bool reads_together() const { return !bounded() && plain_stores(); }
  [[nodiscard]] bool plain_stores() const { return policy_.writes == Writes::Continue; }
  /// Ages from 1 up to here may be used without a lock; 0 where every slow read needs it.
  [[nodiscard]] std::uint8_t most_unlocked_age() const;
  /// After a plain store of a local object put its value in place.
  void note_store(LocalIndex object);
  /// A stale copy was used: asks for the current value as soon as somebody moves messages.
  void queue_refresh(MetIndex met);
  /// Announces what a sweep stored, whose values are in place, and asks for what was found stale.
  void hand_over(std::span<const LocalIndex> stored);

  Space(Node& node, SpaceId id, const SpaceOptions& options, std::uint32_t value_bytes);
  /// Of a space that serves only: a copy of an object that lives here.
  Handle mirror(ObjectId id);

  [[nodiscard]] MetIndex met_of(Handle handle) const {
    return MetIndex(handle.value() - local_handles());
  }
  /// Of an unbounded space, among values; of any, among marks.
  [[nodiscard]] std::size_t place_behind(Handle handle) const {
    return std::size_t{handle.value()} + local_count() - local_handles();
  }
  [[nodiscard]] std::size_t mark_place(MetIndex met) const { return local_count() + met.index(); }
  [[nodiscard]] CopyMark mark_of(MetIndex met) const { return memory_.marks.at(mark_place(met)); }
  /// Locked. None if it has none, which is so only where the cache is bounded.
  [[nodiscard]] SlotIndex slot_of(MetIndex met) const;
  /// Locked. Of an object that the program is going to read or store.
  [[nodiscard]] SlotIndex need_slot(MetIndex met);
  /// Locked. None if its object has lost it.
  [[nodiscard]] MetIndex met_of(SlotIndex slot) const;
  [[nodiscard]] std::size_t place_of(SlotIndex slot) const;
  /// Where the value of an object lies, of which there is a copy if it lives elsewhere. Locked if bounded.
  [[nodiscard]] std::size_t place_of(Handle handle) const;
  [[nodiscard]] bool fetch_unlocked(Handle handle, std::byte* out);
  void fetch_locked(Handle handle, std::byte* out);
  struct Machines;
  struct Waiter;
  /// Asks for what it lacks and says what it met.
  Access meet_copy(MetIndex met);
  void want(MetIndex met);
  /// Locked. What has no place in a bounded cache is asked for ahead only while half of the places are left.
  [[nodiscard]] bool may_ask_ahead(MetIndex met) const;
  void read_copy(Waiter& waiter, Access access);
  void serve_waiters();
  void give_up(Waiter& waiter);
  void use_stale(MetIndex met, std::uint64_t staleness);
  void store_waiting(Handle handle, ValueView value);
  void store_remote(Handle handle, ValueView value);
  [[nodiscard]] Error no_such_object(NodeId asking, LocalIndex object) const;
  void apply(const CacheEffects& effects);
  /// `keep_slow`: readers go the slow way even if the copy is current. `is_news`: whoever waits for changes is to know.
  void publish(SlotIndex slot, bool keep_slow, bool is_news = true);
  /// Unbounded. `current`: all of them are known to be.
  void publish_row(const SlotRun& slots, bool current);
  void publish_bounded(const SlotRun& slots, bool is_news = true);
  [[nodiscard]] std::uint8_t age_to_publish(SlotIndex slot) const;
  void put_copy(SlotIndex slot, ValueView value);
  void forget(SlotIndex slot);
  void drain_writes();
  void drain_refreshes();
  void mark_pending();
  /// Takes the time from this stale hit to the current copy, unless another one is being followed.
  void follow(MetIndex met);
  /// Locked. Ends that.
  void stop_following(bool arrived);
  /// Locked. Whether it is the copy that is being followed.
  [[nodiscard]] bool follows(MetIndex met) const {
    return followed_.load(std::memory_order_acquire) == kFollowing + met.value();
  }

  Node& node_;
  const NodeId self_;
  SpaceId id_;
  SpaceOptions options_;
  std::uint32_t value_bytes_;
  Policy policy_;
  SpaceMemory memory_;
  std::unique_ptr<Machines> machines_;  // the protocol's; what follows is in there
  Directory& directory_;
  Cache& cache_;
  BoundedCopies& copies_;  // if bounded
  CacheEffects& effects_;
  AckNumber next_remote_write_{1};
  std::set<AckNumber> remote_writes_;  // not yet acknowledged
  IdIndex ids_;
  AccessCounters counters_;
  std::atomic<std::uint64_t> late_stale_uses_{0};
  static constexpr std::uint64_t kFollowing = 2;  // and the copy's number
  static constexpr std::uint64_t kBeginsToFollow = 1;
  std::atomic<std::uint64_t> followed_{0};  // 0: none
  Instant followed_since_;
  RefreshTimes refresh_times_;
  std::vector<Waiter*> waiters_;  // on their threads' stacks
  std::vector<SlotIndex>
      mirrors_;  // of a space that serves only, by local object; none where it was not met
};

// What a space consists of behind its header: the protocol's machines for both sides, the account of a bounded cache,
// and the threads that wait for a copy. Under the node's lock.
struct Space::Machines final : HomeValues, ReadMarks {
  Machines(Space& space, std::uint32_t nodes)
      : owner(space),
        directory(space.id_, space.self_, nodes, space.local_count(), space.policy_,
                  space.value_bytes_, *this),
        cache(space.id_, space.self_, nodes, space.policy_, space.value_bytes_, this),
        copies(space.cache_capacity(), space.options_.eviction,
               space.policy_.optimizations.collocation && !space.options_.hear_of_evicted) {}

  void append(std::span<const LocalIndex> objects, ByteWriter& out) const override;
  void put(LocalIndex object, ValueView value) override;
  [[nodiscard]] bool unread(SlotIndex slot) const override;

  Space& owner;
  Directory directory;
  Cache cache;
  BoundedCopies copies;  // if the cache is bounded
  // Scratch, kept for its memory.
  CacheEffects effects;
  struct {
    std::vector<LocalIndex> objects;
    std::vector<std::uint32_t> times;
  } drained;
};

/// A thread that reads a copy, maybe waiting for it.
struct Space::Waiter {
  MetIndex met_index{0};
  std::byte* out = nullptr;
  Access met = Access::CurrentHit;
  bool served = false;
  /// It is served, or no answer to it is under way any more. For the waiting thread, which has not the lock.
  std::atomic<bool> look{false};
};

inline SlotIndex Space::slot_of(MetIndex met) const {
  return bounded() ? copies_.slot_of(met) : SlotIndex(met.value());
}
inline SlotIndex Space::need_slot(MetIndex met) {
  return bounded() ? copies_.need_slot(met, cache_) : SlotIndex(met.value());
}
inline MetIndex Space::met_of(SlotIndex slot) const {
  return bounded() ? copies_.met_of(slot) : MetIndex(slot.value());
}

}  // namespace leeway
