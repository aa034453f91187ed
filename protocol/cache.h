// Cache: the sharer's side of the DSM protocol for one space. CacheEffects: the changes of the
// node's memory that a step of the cache requires. Values themselves are stored by the node (dsm/).
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "base/array.h"
#include "protocol/ids.h"
#include "protocol/message.h"
#include "protocol/outbox.h"
#include "protocol/policy.h"

namespace leeway {

/// Consecutive slots.
struct SlotRange {
  SlotIndex first{0};
  std::uint32_t count = 0;

  [[nodiscard]] SlotIndex operator[](std::uint32_t i) const { return SlotIndex(first.value() + i); }
  [[nodiscard]] bool ends_before(SlotIndex slot) const {
    return first.value() + count == slot.value();
  }
};

/// Values for consecutive slots; adjacent in the bytes of the event.
struct Install {
  SlotRange slots;
  ValueView values;

  [[nodiscard]] ValueView value(std::uint32_t i) const {
    const std::size_t bytes = values.size() / slots.count;
    return values.subspan(i * bytes, bytes);
  }
};

/// Changes to the node's memory that a step requires, in order.
struct CacheEffects {
  std::vector<Install> installs;
  std::vector<SlotRange> current;  ///< slots whose copies are now current
  std::vector<SlotRange> changed;  ///< other slots whose classification may have changed
  /// Slots whose copies have arrived at the version known before: after they were dropped, or once more.
  std::vector<SlotRange> restored;
  std::vector<SlotIndex> watched;  ///< slots with pushed values: record whether they are read

  void install(SlotIndex slot, ValueView value) {
    if (!installs.empty()) {
      Install& last = installs.back();
      if (last.slots.ends_before(slot) && last.values.data() + last.values.size() == value.data()) {
        ++last.slots.count;
        last.values = {last.values.data(), last.values.size() + value.size()};
        return;
      }
    }
    installs.push_back({{slot, 1}, value});
  }
  void change(SlotIndex slot) { add(changed, slot); }
  void restore(SlotIndex slot) { add(restored, slot); }
  /// Installs adjacent values, which are current.
  void install_current(const SlotRange& slots, ValueView values) {
    installs.push_back({slots, values});
    current.push_back(slots);
  }
  void clear() {
    installs.clear();
    current.clear();
    changed.clear();
    restored.clear();
    watched.clear();
  }

 private:
  static void add(std::vector<SlotRange>& runs, SlotIndex slot) {
    if (!runs.empty() && runs.back().ends_before(slot)) {
      ++runs.back().count;
    } else {
      runs.push_back({slot, 1});
    }
  }
};

/// Reports whether a pushed value has been read since it was installed.
class ReadMarks {
 public:
  virtual ~ReadMarks() = default;
  [[nodiscard]] virtual bool unread(SlotIndex slot) const = 0;
};

/// The states of ASPIRE's Figure 3, each with and without a read in flight.
enum class CopyState { Absent, Fetching, Shared, Stale, Refreshing };

/// The sharer's side of one space (ASPIRE §4, Figure 3): for every known remote object, the version
/// held, the newest version known, and whether a read is in flight. A pure state machine: events
/// in, messages and effects out. One caller at a time.
///
/// Invariants: held <= known; a copy's version never decreases; with flattening, at most one read
/// of an object is in flight; every Evict has a greater number than any Read sent before it.
///
/// Limits: an object has at most kMostReads reads pending or in flight (1 with flattening), and at
/// most one pending eviction and one pending decline. So the memory for a home that is held is
/// bounded by the number of known objects.
class Cache {
 public:
  /// Limit of the reads of one object that are pending or in flight; further ones merge even
  /// without flattening.
  static constexpr std::uint16_t kMostReads = 0xFFFF;

  Cache(SpaceId space, NodeId self, std::uint32_t nodes, const Policy& policy,
        std::uint32_t value_bytes, const ReadMarks* marks);

  /// Adds a slot for an object. Call it once per object; its home must be another node (checked).
  SlotIndex meet(ObjectId id);
  /// Adds a slot for an object of this node. The caller keeps the copy current; it has no link and
  /// sends no messages.
  SlotIndex meet_own(ObjectId id);
  /// Whether the slot's object has no copy, no read in flight and no pending decline, so that the
  /// slot can be reused.
  [[nodiscard]] bool forgettable(SlotIndex slot) const {
    const CacheEntry& entry = entries_[slot.index()];
    return entry.held == kNoVersion && entry.in_flight == 0 && !entry.declined;
  }
  /// Reuses a slot and its link for another object. Requires a forgettable slot and work
  /// collocation (checked), because a remote writer counts an object's versions itself and must not
  /// forget them.
  void meet_in(SlotIndex slot, ObjectId id);
  [[nodiscard]] std::uint32_t slot_count() const {
    return static_cast<std::uint32_t>(entries_.size());
  }

  // Local events.

  /// Classifies a thread's access. On a miss, a Read is sent with the next flush; on a stale hit, a
  /// refresh if the policy requires it.
  Access fetch(SlotIndex slot);
  /// A stale hit was served without `fetch`: requests the current value unless a read is in flight.
  void refresh(SlotIndex slot);
  /// Requests the object unless it has a usable copy or a read in flight.
  void prefetch(SlotIndex slot);
  /// Removes the copy and notifies the home. Requires a copy (checked). With a read in flight the
  /// home is not notified, because the reply brings a new copy.
  void evict(SlotIndex slot);
  /// Removes the copy; the home continues to send invalidations. Values that it pushes are
  /// declined.
  void drop(SlotIndex slot);
  /// A store by this node, which is the object's single writer but not its home: the copy becomes
  /// the new version and a Write is sent immediately. If `ack` is not 0, the home answers after all
  /// sharers have acknowledged.
  void write(SlotIndex slot, ValueView value, AckNumber ack, Outbox& out, CacheEffects& effects);
  /// An acquire: a copy that is not current must not be used, whatever the threshold, until a value arrives
  /// that is as new as the newest known version. Returns whether the copy is not current.
  bool expire(SlotIndex slot);
  /// Requests the object even if its copy is current, unless a read of it is in flight.
  void renew(SlotIndex slot);
  /// Sends the pending evictions, links, reads and declines.
  void flush(Outbox& out, Flush what = Flush::Ready);
  [[nodiscard]] bool needs_flush() const { return !touched_.empty(); }
  /// The newest Read sent to a home. `answered` reports whether it and all before it are answered.
  [[nodiscard]] RequestNumber newest_read(NodeId home) const {
    return RequestNumber(homes_[home.index()].next_request.value() - 1);
  }
  [[nodiscard]] bool answered(NodeId home, RequestNumber through) const {
    const auto& outstanding = homes_[home.index()].outstanding;
    return outstanding.empty() || outstanding.front().number > through;
  }

  // Messages from a home. False: the message is malformed.

  [[nodiscard]] bool on_reply(NodeId from, ByteReader& in, CacheEffects& effects);
  [[nodiscard]] bool on_invalidate(NodeId from, ByteReader& in, Outbox& out, CacheEffects& effects);

  // State of a slot.

  [[nodiscard]] Access classify(SlotIndex slot) const;
  [[nodiscard]] CopyState state(SlotIndex slot) const;
  [[nodiscard]] std::uint64_t staleness(SlotIndex slot) const {
    const CacheEntry& entry = entries_[slot.index()];
    return entry.known.value() - entry.held.value();
  }
  [[nodiscard]] Version held(SlotIndex slot) const { return entries_[slot.index()].held; }
  [[nodiscard]] Version known(SlotIndex slot) const { return entries_[slot.index()].known; }
  [[nodiscard]] ObjectId object(SlotIndex slot) const { return objects_[slot.index()]; }
  /// Reads that are pending or in flight.
  [[nodiscard]] std::uint64_t in_flight() const { return in_flight_; }
  [[nodiscard]] const CacheCounts& counts() const { return counts_; }
  [[nodiscard]] std::size_t bytes() const;

 private:
  /// The state that an arriving value accesses. Small, because a sweep over all entries passes
  /// through the processor's caches.
  struct CacheEntry {
    Version held = kNoVersion;
    Version known = kNoVersion;
    LinkIndex link{0};
    std::uint16_t in_flight = 0;     // reads pending or in flight
    std::uint8_t unread_pushes = 0;  // consecutive
    bool declined : 1 = false;       // is in Home::declined
    bool dropped : 1 = false;        // by `drop`, until the next value arrives
    bool expired : 1 = false;        // by `expire`, until held == known
    /// Set until the first Reply: invalidations are about the object that had the link before.
    bool news_to_drop : 1 = false;
  };
  struct OutstandingRead {
    RequestNumber number{0};
    std::vector<LinkIndex> links;
  };
  /// Links, pending messages and outstanding reads of one home.
  struct HomeOfCopies {
    LargeVector<SlotIndex> slot_of;  // by link index; none if the link is free
    std::uint32_t links_sent = 0;
    std::vector<LinkIndex> free;      // links of forgotten objects
    std::vector<LinkIndex> relinked;  // assigned to other objects since the last flush
    std::vector<LinkIndex> reads;     // pending reads
    std::vector<LinkIndex> evicted;   // pending evictions
    std::vector<LinkIndex> declined;  // pending declines
    bool touched = false;
    bool ascending = true;  // slots are in the order of their links
    EvictNumber evict_number{0};
    RequestNumber next_request{1};
    std::deque<OutstandingRead> outstanding;
  };

  [[nodiscard]] HomeOfCopies& home_of(SlotIndex slot) {
    return homes_[object(slot).home().index()];
  }
  /// False if kMostReads reads are in flight.
  bool request(SlotIndex slot);
  void touch(NodeId home);
  void flush_home(NodeId id, HomeOfCopies& home, Outbox& out);
  void send_links(NodeId id, HomeOfCopies& home, Outbox& out);
  void send_relinked(NodeId id, HomeOfCopies& home, Outbox& out);
  void link(SlotIndex slot);
  void send_reads(NodeId id, HomeOfCopies& home, Outbox& out);
  void send_evictions(NodeId id, HomeOfCopies& home, Outbox& out);
  void send_declines(NodeId id, HomeOfCopies& home, Outbox& out);
  [[nodiscard]] bool outdated_by_own_write(const CacheEntry& entry, Version version) const;
  bool install(CacheEntry& entry, SlotIndex slot, Version version, ValueView value,
               CacheEffects& effects);
  void fetch_ahead(const HomeOfCopies& home, std::span<const LinkIndex> links,
                   std::size_t at) const;
  [[nodiscard]] SlotRange run_at(const HomeOfCopies& home, std::span<const LinkIndex> links) const;
  [[nodiscard]] std::uint32_t answer_run(const HomeOfCopies& home, std::size_t at,
                                         std::size_t& retry_from, const OutstandingRead& request,
                                         CacheEffects& effects);
  [[nodiscard]] std::uint32_t push_run(HomeOfCopies& home, std::size_t at, std::size_t& retry_from,
                                       CacheEffects& effects);
  [[nodiscard]] static bool watched(const CacheEntry& entry);
  void judge_push(HomeOfCopies& home, CacheEntry& entry, SlotIndex slot);
  void decline(HomeOfCopies& home, CacheEntry& entry, SlotIndex slot);

  SpaceId space_;
  NodeId self_;
  Policy policy_;
  std::uint32_t value_bytes_;
  const ReadMarks* marks_;
  std::size_t per_message_;          // limit of the objects in a Read or Invalidate
  LargeVector<CacheEntry> entries_;  // by slot
  LargeVector<ObjectId> objects_;    // by slot
  std::vector<HomeOfCopies> homes_;
  std::vector<NodeId> touched_;  // homes with pending messages
  std::uint64_t in_flight_ = 0;
  CacheCounts counts_;
  ReplyMessage reply_;            // scratch, kept for its memory
  InvalidateMessage invalidate_;  // scratch
};

inline Access Cache::classify(SlotIndex slot) const {
  const CacheEntry& entry = entries_[slot.index()];
  LEEWAY_CHECK(entry.held <= entry.known);  // a copy is never newer than its home
  if (entry.held == kNoVersion) return Access::CacheMiss;
  if (entry.held == entry.known) return Access::CurrentHit;
  // mutant: an-acquire-leaves-old-copies
  if (entry.expired) return Access::StaleMiss;
  // mutant: threshold-off-by-one
  return staleness(slot) <= policy_.threshold ? Access::StaleHit : Access::StaleMiss;
}

/// Number of objects per message so that their values fit a frame of the target size.
[[nodiscard]] std::size_t objects_per_message(const Policy& policy, std::uint32_t value_bytes);

}  // namespace leeway
