// Space: one named set of objects as one node sees it. SpaceMemory: the part of a space that
// compute threads access without the node's lock.
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
#include "dsm/copy_marks.h"
#include "dsm/id_index.h"
#include "dsm/space_options.h"
#include "dsm/value_store.h"
#include "protocol/ids.h"
#include "protocol/policy.h"

namespace leeway {

class ByteReader;
class ByteWriter;
class Cache;
class Directory;
class Outbox;
struct CacheEffects;
struct SlotRange;
enum class Flush;

/// Values, marks and queues that compute threads access without the node's lock.
struct SpaceMemory {
  static Result<SpaceMemory> make(const SpaceOptions& options, std::uint32_t value_bytes);
  [[nodiscard]] std::size_t bytes() const;

  ValueStore values;
  HeldPlaces held;  ///< only if the cache is bounded; else every copy has a fixed place
  CopyMarks marks;  ///< per handle; always 0 for local objects
  Array<std::uint32_t> write_count_memory;
  std::uint32_t* write_counts = nullptr;  ///< per local object: stores since the last flush
  IndexQueue written;                     ///< local objects stored to since the last flush
  IndexQueue refresh_queue;               ///< remote objects found stale since the last flush
  IndexQueue changed;   ///< remote objects published since the last take_changed, if note_changes
  PendingFlag pending;  ///< `written`, `refresh_queue` or a machine may have something to flush
};

/// One named set of objects as one node sees it, untyped: the local objects, and the cache of
/// remote ones. Connects the protocol machines (Directory, Cache) with memory: where values are
/// stored, which reads need no lock, and what a thread waits for. Dsm<T> is its typed interface.
/// Owned by the node.
///
/// Threads: any thread of the node may call the functions. Those marked "Locked" require the node's
/// lock.
///
/// After the node has failed (Node::failed) nothing here blocks any more, and values read are
/// undefined.
class Space final {
 public:
  static Result<std::unique_ptr<Space>> make(Node& node, SpaceId id, const SpaceOptions& options,
                                             std::uint32_t value_bytes);
  /// Node::open_space.
  static Result<Space*> open(Node& node, const SpaceOptions& options, std::uint32_t value_bytes,
                             const char* type);
  ~Space();
  Space(const Space&) = delete;
  Space& operator=(const Space&) = delete;

  [[nodiscard]] Node& node() { return node_; }
  /// Node::fence.
  void fence();
  [[nodiscard]] const std::string& name() const { return options_.name; }
  [[nodiscard]] const Policy& policy() const { return policy_; }
  [[nodiscard]] std::uint32_t local_count() const { return options_.local_objects; }
  /// Handles below this are local objects, those from there on copies.
  [[nodiscard]] std::uint32_t local_handles() const {
    return options_.serves_only ? 0 : local_count();
  }
  /// Limit of the number of registered remote objects.
  [[nodiscard]] std::uint32_t met_limit() const { return options_.remote_objects; }
  /// Number of registered remote objects. Locked.
  [[nodiscard]] std::uint32_t met_count() const;
  [[nodiscard]] SpaceStats stats() const;

  /// The handle of an object, which is registered if necessary. With replication, a newly
  /// registered object is requested immediately.
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
  /// Like `resolve`, for callers that cannot return an error: the node fails with it, and if that
  /// returns, the result is Handle::none().
  [[nodiscard]] Handle meet(ObjectId id);

  /// Copies the value out; blocks on a miss.
  void fetch(Handle handle, std::byte* out);
  void store(Handle handle, ValueView value);
  /// Requests the objects without a usable copy; does not wait.
  void prefetch(std::span<const Handle> handles);
  /// For Eviction::Known: when remote objects will be read next, and how far a reading thread is in the order of
  /// reads: `from` none: it begins; `to` none: it ends.
  void announce(std::span<const NextRead> reads, std::optional<std::uint32_t> from,
                std::optional<std::uint32_t> to);
  /// Whether the cache evicts by announced reads.
  [[nodiscard]] bool is_announced() const {
    return bounded() && options_.eviction == Eviction::Known;
  }
  /// Waits for the reads of these objects that have been requested so far, not for later ones.
  void wait_for_reads(std::span<const Handle> handles);
  /// Asks the homes for the present values of these objects, whether copies are current or not, waits for the
  /// answers, and copies the values out, one after the other.
  void fetch_current(std::span<const Handle> handles, std::byte* out);

  /// For a bounded cache: copies the value out if a usable copy exists, and returns its age; else
  /// kUnusable. Does not take the node's lock. A stale copy is queued for a refresh.
  [[nodiscard]] std::uint8_t read_held(Handle handle, std::byte* out);
  [[nodiscard]] bool bounded() const { return options_.cache_capacity > 0; }
  /// Limit of the copies held; 0: no limit.
  [[nodiscard]] std::uint32_t cache_capacity() const { return options_.cache_capacity; }

  /// A copy's age. 0: current; kUnusable: no copy, or older than the threshold; else its staleness.
  [[nodiscard]] std::uint8_t age(MetIndex met) const { return mark_of(met).age(); }
  static constexpr std::uint8_t kUnusable = CopyMark::kUnusable;
  static constexpr std::uint8_t kMostAge = CopyMark::kMostAge;
  /// Calls `take(index)` for every remote object whose copy has received a value or an invalidation
  /// since the last call. Requires note_changes. One thread at a time.
  template <class Take>
  void take_changed(Take&& take) {
    memory_.changed.drain([&](std::uint32_t met) { take(MetIndex(met)); });
  }

  // Called by the node. Locked.

  [[nodiscard]] bool on_message(MessageKind kind, NodeId from, ByteReader& in, Outbox& out);
  /// Sends invalidations for written objects and requests stale ones.
  void flush(Outbox& out, Flush what);
  /// Sends the messages that were kept for held peers.
  void flush_kept(Outbox& out);
  /// As `acquire`, and the copies count as changed, so that vertices that read them are visited.
  void expire_stale(Outbox& out) { expire(out, true); }
  /// Copies that are not current are not used any more (Cache::expire). A mode that refreshes requests their
  /// values, otherwise each is requested when it is read.
  void acquire(Outbox& out) { expire(out, false); }
  [[nodiscard]] bool idle() const { return !memory_.pending.raised(); }
  /// Stale values used so far, for the termination rule. Needs no lock.
  [[nodiscard]] std::uint64_t stale_uses() const {
    if (policy_.end != RunEnd::Current) return 0;
    return counters_.total().stale_hits + late_stale_uses_.load(std::memory_order_relaxed);
  }
  [[nodiscard]] std::string describe_waits() const;
  [[nodiscard]] const Directory& directory() const;
  [[nodiscard]] const Cache& cache() const;

 private:
  // The typed fast paths access the members directly.
  template <class T>
    requires std::is_trivially_copyable_v<T> && (sizeof(T) <= kMaxValueBytes)
  friend class Dsm;
  template <class T>
  friend class View;

  [[nodiscard]] AccessCounters& counters() { return counters_; }
  /// Handles below this are read without a mark.
  [[nodiscard]] std::uint32_t plain_limit() const { return local_handles(); }
  /// Whether a group of reads may be treated as simultaneous, before messages that arrive
  /// meanwhile. Not if writers wait for acknowledgements that the old value is no longer read.
  [[nodiscard]] bool reads_together() const { return !bounded() && plain_stores(); }
  [[nodiscard]] bool plain_stores() const { return policy_.writes == Writes::Continue; }
  /// Copies of at most this age may be read without the lock.
  [[nodiscard]] std::uint8_t most_unlocked_age() const;
  /// Called after a plain store of a local object has written the value.
  void note_store(LocalIndex object);
  /// A stale copy was used: requests the current value when a thread next moves messages.
  void queue_refresh(MetIndex met);
  /// Sends invalidations for objects that a sweep has stored, and requests stale ones.
  void hand_over(std::span<const LocalIndex> stored);

  Space(Node& node, SpaceId id, const SpaceOptions& options, std::uint32_t value_bytes);

  /// The protocol machines.
  struct Machines;
  // Called by them. Locked.
  void append(std::span<const LocalIndex> objects, ByteWriter& out) const;
  void put(LocalIndex object, ValueView value);
  [[nodiscard]] bool unread(SlotIndex slot) const;

  /// With serves_only: a copy of a local object.
  Handle mirror(ObjectId id);

  [[nodiscard]] MetIndex met_of(Handle handle) const {
    return MetIndex(handle.value() - local_handles());
  }
  /// Index of a handle in marks, and in an unbounded space also in values.
  [[nodiscard]] std::size_t place_behind(Handle handle) const {
    return std::size_t{handle.value()} + local_count() - local_handles();
  }
  [[nodiscard]] std::size_t mark_place(MetIndex met) const { return local_count() + met.index(); }
  [[nodiscard]] CopyMark mark_of(MetIndex met) const { return memory_.marks.at(mark_place(met)); }
  /// Locked. None only if the cache is bounded and the object has no slot.
  [[nodiscard]] SlotIndex slot_of(MetIndex met) const;
  /// Locked. Assigns a slot to an object that the program will read or store.
  [[nodiscard]] SlotIndex need_slot(MetIndex met);
  /// Locked.
  [[nodiscard]] MetIndex met_of(SlotIndex slot) const;
  [[nodiscard]] std::size_t place_of(SlotIndex slot) const;
  /// The place of an object's value; a remote object must have a copy. Locked if bounded.
  [[nodiscard]] std::size_t place_of(Handle handle) const;
  [[nodiscard]] bool fetch_unlocked(Handle handle, std::byte* out);
  void fetch_locked(Handle handle, std::byte* out);
  struct Waiter;
  /// Requests the present values, whether copies are current or not, and waits for the answers. A bounded cache may
  /// have evicted some of the copies afterwards.
  void renew(std::span<const Handle> handles);
  /// Locked. Classifies an access and requests what is missing.
  Access meet_copy(MetIndex met);
  void request_copy(MetIndex met);
  void request_outdated();
  /// Locked. In a bounded cache, objects without a place are prefetched only while half of the
  /// places are left.
  [[nodiscard]] bool may_prefetch(MetIndex met) const;
  void read_copy(Waiter& waiter, Access access);
  void serve_waiters();
  void fail_waiter(Waiter& waiter);
  void use_stale(MetIndex met, std::uint64_t staleness);
  void store_waiting(Handle handle, ValueView value);
  /// What a user's program did that stores to an object of another node.
  [[nodiscard]] std::string misplaced_store(Handle handle) const;
  void store_remote(Handle handle, ValueView value);
  [[nodiscard]] Error no_such_object(NodeId requester, LocalIndex object) const;
  void apply(const CacheEffects& effects);
  /// Locked. Updates the mark of a slot. `keep_slow`: see CopyMark::publish. `is_news`: report in
  /// take_changed.
  void publish(SlotIndex slot, bool keep_slow, bool is_news = true);
  /// Unbounded. `current`: all of these copies are current.
  void publish_row(const SlotRange& slots, bool current);
  void publish_bounded(const SlotRange& slots, bool is_news = true);
  [[nodiscard]] std::uint8_t age_to_publish(SlotIndex slot) const;
  void put_copy(SlotIndex slot, ValueView value);
  void forget(SlotIndex slot);
  void drain_writes();
  /// `is_news`: the copies count as changed.
  void expire(Outbox& out, bool is_news);
  void drain_refreshes();
  void mark_pending();
  /// Starts to measure the time from this stale hit to the current copy, unless another measurement
  /// runs.
  void follow(MetIndex met);
  /// Locked. Ends the measurement; `arrived`: its copy is current.
  void stop_following(bool arrived);
  /// Locked. Whether the measurement is about this copy.
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
  std::unique_ptr<Machines> machines_;
  std::vector<LocalIndex> drained_;
  std::vector<std::uint32_t> drained_times_;
  AckNumber next_remote_write_{1};
  std::set<AckNumber> remote_writes_;  // not yet acknowledged
  IdIndex ids_;
  AccessCounters counters_;
  std::atomic<std::uint64_t> late_stale_uses_{0};
  static constexpr std::uint64_t kFollowing = 2;  // plus the copy's number
  static constexpr std::uint64_t kBeginsToFollow = 1;
  std::atomic<std::uint64_t> followed_{0};  // 0: no measurement
  Instant followed_since_;
  RefreshTimes refresh_times_;
  std::vector<Waiter*> waiters_;  // on their threads' stacks
  /// With serves_only: copies of local objects, by local object; none if not registered.
  std::vector<SlotIndex> mirrors_;
};

}  // namespace leeway
