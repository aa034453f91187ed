// One named set of objects as one node sees it, untyped: those that live here, and the cache of those
// that live elsewhere. Binds the protocol's machines to memory: which values lie where, which reads need
// no lock, what waits for what. Dsm<T> is its typed face.
//
// Threads: everything but open and close may be called by any thread of the node. What is marked
// "locked" needs the node's lock.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "leeway/dsm/counters.h"
#include "leeway/dsm/id_index.h"
#include "leeway/dsm/index_queue.h"
#include "leeway/dsm/record.h"
#include "leeway/dsm/value_store.h"
#include "leeway/protocol/cache.h"
#include "leeway/protocol/directory.h"
#include "leeway/protocol/lru.h"

namespace leeway {

class Node;

/// An object as this node addresses it: below the count of local objects its home is here, from there
/// on it is a cache slot. Resolved once; costs nothing to follow.
using Handle = Id<struct HandleTag, std::uint32_t>;

struct SpaceOptions {
  std::string name = "objects";
  std::uint32_t local_objects = 0;         ///< how many of them have this node as their home
  std::uint32_t remote_objects = 1 << 20;  ///< how many others this node will ever meet
  std::uint32_t cache_capacity = 0;  ///< copies held at once, exact LRU beyond; 0: all that are met
  std::optional<Policy> policy;      ///< this space's own; the node's when absent
  bool note_changes = false;         ///< keep account of copies that changed, for take_changed
};
inline constexpr std::uint32_t kLeastCacheCapacity = 16;

struct SpaceStats {
  AccessCounts accesses;
  CacheCounts cache;
  DirectoryCounts directory;
  std::size_t bytes = 0;
};

class Space final : private HomeValues, private ReadMarks {
 public:
  static Result<std::unique_ptr<Space>> make(Node& node, SpaceId id, const SpaceOptions& options,
                                             ValueShape shape);
  ~Space() override = default;

  [[nodiscard]] const std::string& name() const { return options_.name; }
  [[nodiscard]] ValueShape shape() const { return shape_; }
  [[nodiscard]] const Policy& policy() const { return policy_; }
  [[nodiscard]] std::uint32_t local_count() const { return options_.local_objects; }
  /// How many remote objects it can meet.
  [[nodiscard]] std::uint32_t slot_limit() const { return options_.remote_objects; }
  [[nodiscard]] SpaceStats stats() const;

  /// The handle of an object, which is met if it is not yet known. Under the replication of the policy
  /// an object that is met is asked for at once.
  Result<Handle> resolve(ObjectId id);
  [[nodiscard]] ObjectId object(Handle handle) const;
  [[nodiscard]] std::optional<Handle> find(ObjectId id) const {
    if (id.home() == self_) {
      if (id.local().value() >= local_count()) return std::nullopt;
      return Handle(id.local().value());
    }
    const auto slot = ids_.find(id);
    if (!slot) return std::nullopt;
    return Handle(local_count() + slot->value());
  }

  /// Copies the value out and returns its size; blocks on a miss. `thread` names the caller in records.
  std::uint32_t fetch(Handle handle, std::byte* out);
  void store(Handle handle, ValueView value);
  /// Asks for whatever of these is not usable; does not wait.
  void prefetch(std::span<const Handle> handles);
  /// Waits until none of the reads asked for so far is under way.
  void wait_for_reads();

  // The typed fast path (Dsm<T>) looks straight into these.

  [[nodiscard]] const ValueStore& values() const { return values_; }
  [[nodiscard]] ValueStore& values() { return values_; }
  /// One mark a handle: 0 where a read need only load the value, else it takes the slow path.
  [[nodiscard]] const std::atomic<std::uint8_t>* marks() const { return marks_; }
  /// Reads of handles below this are plain; 0 while watched.
  [[nodiscard]] std::uint32_t plain_limit() const { return watched_ ? 0 : local_count(); }
  [[nodiscard]] bool plain_stores() const {
    return !watched_ && policy_.writes == Writes::Continue;
  }
  [[nodiscard]] AccessCounters& counters() { return counters_; }
  /// After a plain store of a local object put its value in place.
  void note_store(LocalIndex object);
  /// A slot's age: 0 current, kUnusable no copy or one beyond the threshold, else its staleness.
  [[nodiscard]] std::uint8_t age(SlotIndex slot) const {
    const std::uint8_t mark = mark_of(slot).load(std::memory_order_acquire);
    return mark == kLookFirst ? std::uint8_t{0} : mark;
  }
  static constexpr std::uint8_t kUnusable = 255;
  static constexpr std::uint8_t kLookFirst =
      254;                                       ///< a mark only: current, but the slow path is due
  static constexpr std::uint8_t kMostAge = 253;  ///< stands for itself and everything usable beyond
  /// Ages from 1 up to here may be used without a lock; 0 where every slow read needs it.
  [[nodiscard]] std::uint8_t most_unlocked_age() const {
    if (watched_ || bounded()) return 0;
    return policy_.threshold > kMostAge ? kMostAge - 1 : kMostAge;
  }
  /// Calls `take(slot)` for every copy that a value or an invalidation has reached since the last call.
  /// Requires note_changes. One thread at a time.
  template <class Take>
  void take_changed(Take&& take) {
    changed_.drain([&](std::uint32_t slot) { take(SlotIndex(slot)); });
  }
  /// What a sweep gathered: stores whose values are in place, and slots it found stale.
  void hand_over(std::span<const LocalIndex> stored, std::span<const SlotIndex> stale);

  // Driven by the node. Locked.

  [[nodiscard]] bool on_message(MessageKind kind, NodeId from, ByteReader& in, Outbox& out);
  /// Announces what was written and asks for what was found stale.
  void flush(Outbox& out);
  /// Asks for the current value of every stale copy.
  void refresh_all(Outbox& out);
  [[nodiscard]] bool idle() const { return !pending_.load(std::memory_order_relaxed); }
  /// Stale values used so far, for the termination rule. Needs no lock.
  [[nodiscard]] std::uint64_t stale_uses() const {
    return counters_.total().stale_hits + late_stale_uses_.load(std::memory_order_relaxed);
  }
  [[nodiscard]] std::string what_is_awaited() const;
  [[nodiscard]] const Directory& directory() const { return directory_; }
  [[nodiscard]] const Cache& cache() const { return cache_; }

 private:
  Space(Node& node, SpaceId id, const SpaceOptions& options, ValueShape shape);
  Status allocate();

  void append(std::span<const LocalIndex> objects, ByteWriter& out) const override;
  void put(LocalIndex object, ValueView value) override;
  [[nodiscard]] bool unread(SlotIndex slot) const override;
  [[nodiscard]] SlotIndex slot_of(Handle handle) const {
    return SlotIndex(handle.value() - local_count());
  }
  /// Written under the lock, but for readers who find kLookFirst and clear it.
  [[nodiscard]] std::atomic<std::uint8_t>& mark_of(SlotIndex slot) const {
    return marks_[local_count() + slot.index()];
  }
  [[nodiscard]] std::size_t place_of(SlotIndex slot) const;
  [[nodiscard]] bool bounded() const { return options_.cache_capacity > 0; }
  /// Locked. A bounded cache keeps half its places for what is being used.
  [[nodiscard]] bool may_ask_ahead() const {
    return !bounded() || cache_.in_flight() < options_.cache_capacity / 2;
  }
  std::optional<std::uint32_t> fetch_unlocked(Handle handle, std::byte* out);
  std::uint32_t fetch_locked(Handle handle, std::byte* out);
  std::uint32_t read_own(Handle handle, std::byte* out);
  /// A thread that reads a copy, maybe waiting for it.
  struct Waiter {
    SlotIndex slot{0};
    std::byte* out = nullptr;
    std::uint32_t thread = 0;
    Access met = Access::CurrentHit;
    std::uint32_t size = 0;
    bool served = false;
  };
  void read_copy(Waiter& waiter, Access access);
  void serve_waiters();
  void use_stale(SlotIndex slot, std::uint64_t staleness);
  void store_waiting(Handle handle, ValueView value);
  void store_remote(Handle handle, ValueView value);
  void apply(const CacheEffects& effects);
  /// `keep_slow`: readers go the slow way even if the copy is current.
  void publish(SlotIndex slot, bool keep_slow);
  void publish(std::span<const SlotIndex> slots, bool keep_slow);
  [[nodiscard]] std::uint8_t age_to_publish(SlotIndex slot) const;
  void put_copy(const Install& install);
  std::uint32_t make_room();
  void drain_writes();
  void drain_refreshes();
  void mark_pending();
  void record(RecordKind kind, ObjectId object, Version version, std::uint64_t value = 0,
              Access access = Access::CurrentHit, NodeId peer = NodeId(0),
              std::optional<std::uint32_t> thread = std::nullopt);
  /// Which of this process's threads speaks, in records.
  [[nodiscard]] static std::uint32_t thread_number();
  void record_journal();

  Node& node_;
  const NodeId self_;
  SpaceId id_;
  SpaceOptions options_;
  ValueShape shape_;
  Policy policy_;
  bool watched_ = false;
  ValueStore values_;
  Array<std::uint8_t> mark_memory_;  // per handle: 0, a copy's staleness, kLookFirst or kUnusable
  std::atomic<std::uint8_t>* marks_ = nullptr;
  Array<std::uint32_t> write_count_memory_;  // per local object: stores since the last flush
  std::atomic<std::uint32_t>* write_counts_ = nullptr;
  IndexQueue written_;                // local objects stored to since the last flush
  IndexQueue refresh_queue_;          // slots found stale since the last flush
  IndexQueue changed_;                // slots published since somebody last looked, if anybody does
  std::atomic<bool> pending_{false};  // either queue may hold something
  Directory directory_;
  Cache cache_;
  Lru recency_;
  std::vector<std::uint32_t> place_of_slot_;  // bounded: where a copy lies; Lru::kNone: nowhere
  std::vector<SlotIndex> slot_at_place_;
  std::vector<std::uint32_t> free_places_;
  AckNumber next_remote_write_{1};
  std::set<AckNumber> remote_writes_;  // not yet acknowledged
  IdIndex ids_;
  AccessCounters counters_;
  std::atomic<std::uint64_t> late_stale_uses_{0};
  std::vector<Waiter*> waiters_;  // on their threads' stacks
  CacheEffects effects_;
  std::vector<SharerChange> journal_;
  std::vector<std::byte> scratch_;
};

}  // namespace leeway
