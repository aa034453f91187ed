// The sharer's side of one space (ASPIRE §4, Figure 3): for every remote object this node has met, the
// version it holds, the newest it has heard of, and whether a read is under way. A pure machine: events
// in, messages and effects out. One caller at a time.
//
// Invariants: held <= known; a copy's version never goes back; at most one read of an object is under
// way where requests are flattened; every Evict has a greater number than any Read sent before it.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "leeway/base/large_vector.h"
#include "leeway/protocol/ids.h"
#include "leeway/protocol/message.h"
#include "leeway/protocol/mutant.h"
#include "leeway/protocol/outbox.h"
#include "leeway/protocol/policy.h"

namespace leeway {

/// What a fetch met (ASPIRE §4.1).
enum class Access { CurrentHit, StaleHit, StaleMiss, CacheMiss };

[[nodiscard]] constexpr bool is_hit(Access access) {
  return access == Access::CurrentHit || access == Access::StaleHit;
}

/// Figure 3's states, and whether a read is under way in each.
enum class CopyState { Absent, Fetching, Shared, Stale, Refreshing };

struct Install {
  const std::byte* bytes = nullptr;  ///< inside the event's bytes
  std::uint32_t size = 0;
  SlotIndex slot{0};

  [[nodiscard]] ValueView value() const { return {bytes, size}; }
};

/// What a step wants done to the node's memory, in order.
struct CacheEffects {
  std::vector<Install> installs;
  std::vector<SlotIndex> changed;  ///< slots whose classification may have changed
  std::vector<SlotIndex>
      watched;  ///< of these, nobody asked for the installs: remember whether they get read

  void reserve(std::size_t objects) {
    installs.reserve(objects);
    changed.reserve(objects);
  }
  void clear() {
    installs.clear();
    changed.clear();
    watched.clear();
  }
};

/// Lets the machine ask whether a pushed value has been read since it was installed.
class ReadMarks {
 public:
  virtual ~ReadMarks() = default;
  [[nodiscard]] virtual bool unread(SlotIndex slot) const = 0;
};

struct CacheCounts {
  std::uint64_t invalidations = 0;  ///< objects named by Invalidate messages
  std::uint64_t pushes = 0;         ///< values that came unasked
  std::uint64_t replies = 0;        ///< values that were asked for
  std::uint64_t reads = 0;          ///< objects asked for because a thread waits
  std::uint64_t refreshes = 0;      ///< objects asked for behind the computation's back
  std::uint64_t evictions = 0;
  std::uint64_t late_replies = 0;  ///< answers to no outstanding request, dropped
};

class Cache {
 public:
  Cache(SpaceId space, NodeId self, std::uint32_t nodes, const Policy& policy, ValueShape shape,
        const ReadMarks* marks);

  /// A slot for an object met for the first time; the caller remembers which. Requires another node as
  /// its home (checked).
  SlotIndex meet(ObjectId id);
  [[nodiscard]] std::uint32_t slot_count() const {
    return static_cast<std::uint32_t>(entries_.size());
  }

  // Events of this node.

  /// A thread needs the object: classifies the access; on a miss a read goes out with the next flush,
  /// on a stale hit a refresh, if the policy says so.
  Access fetch(SlotIndex slot);
  /// A stale hit was served elsewhere; ask for the current value unless a read is under way.
  void refresh(SlotIndex slot);
  void refresh(std::span<const SlotIndex> slots);
  /// Prefetch: asks for the object unless a usable copy is here or on its way.
  void want(SlotIndex slot);
  /// Drops the copy. Requires one, and no read under way (checked).
  void evict(SlotIndex slot);
  /// This node is the object's single writer, but not its home: the copy becomes the new version and a
  /// Write goes out at once. With `ack` not 0 the home answers once all sharers have obeyed.
  void write(SlotIndex slot, ValueView value, AckNumber ack, Outbox& out, CacheEffects& effects);
  /// Sends what has gathered: evictions, links, reads, declined pushes.
  void flush(Outbox& out);
  [[nodiscard]] bool needs_flush() const { return !touched_.empty(); }

  // Messages from a home. A false return means bytes that no correct peer sends.

  [[nodiscard]] bool on_reply(NodeId from, ByteReader& in, CacheEffects& effects);
  [[nodiscard]] bool on_invalidate(NodeId from, ByteReader& in, Outbox& out, CacheEffects& effects);

  // What is known of a slot.

  [[nodiscard]] Access classify(SlotIndex slot) const;
  [[nodiscard]] CopyState state(SlotIndex slot) const;
  [[nodiscard]] std::uint64_t staleness(SlotIndex slot) const {
    const Entry& entry = entries_[slot.index()];
    return entry.known.value() - entry.held.value();
  }
  [[nodiscard]] Version held(SlotIndex slot) const { return entries_[slot.index()].held; }
  [[nodiscard]] Version known(SlotIndex slot) const { return entries_[slot.index()].known; }
  [[nodiscard]] ObjectId object(SlotIndex slot) const { return entries_[slot.index()].object; }
  /// Reads sent or gathered and not answered.
  [[nodiscard]] std::uint64_t in_flight() const { return in_flight_; }
  [[nodiscard]] const CacheCounts& counts() const { return counts_; }
  [[nodiscard]] std::size_t bytes() const;

 private:
  struct Entry {
    ObjectId object;
    Version held = kNoVersion;
    Version known = kNoVersion;
    LinkIndex link{0};
    std::uint16_t in_flight = 0;     // reads sent or gathered, not answered
    std::uint8_t unread_pushes = 0;  // in a row
  };
  /// Everything agreed or under way with one home.
  struct Home {
    LargeVector<SlotIndex> slot_of;  // by link index
    std::uint32_t links_sent = 0;
    std::vector<LinkIndex> wanted;    // gathered reads
    std::vector<LinkIndex> evicted;   // gathered evictions
    std::vector<LinkIndex> declined;  // gathered declined pushes
    bool touched = false;
    EvictNumber evict_number{0};
    RequestNumber next_request{1};
    struct Request {
      RequestNumber number{0};
      std::vector<LinkIndex> links;
    };
    std::deque<Request> outstanding;
  };

  void refresh_one(SlotIndex slot);
  void request(Entry& entry);
  void touch(NodeId home);
  void flush_home(NodeId id, Home& home, Outbox& out);
  void send_links(NodeId id, Home& home, Outbox& out);
  void send_reads(NodeId id, Home& home, Outbox& out);
  void send_evictions(NodeId id, Home& home, Outbox& out);
  void send_declines(NodeId id, Home& home, Outbox& out);
  bool install(Entry& entry, SlotIndex slot, Version version, ValueView value,
               CacheEffects& effects);
  [[nodiscard]] static bool watched(const Entry& entry);
  void judge_push(Home& home, Entry& entry, SlotIndex slot);

  SpaceId space_;
  NodeId self_;
  Policy policy_;
  ValueShape shape_;
  const ReadMarks* marks_;
  std::size_t per_message_;  // objects a Read or Invalidate names at most
  LargeVector<Entry> entries_;
  std::vector<Home> homes_;
  std::vector<NodeId> touched_;  // homes with something to send
  std::uint64_t in_flight_ = 0;
  CacheCounts counts_;
  ReplyMessage reply_;            // scratch, kept for its memory
  InvalidateMessage invalidate_;  // scratch
};

inline Access Cache::classify(SlotIndex slot) const {
  const Entry& entry = entries_[slot.index()];
  LEEWAY_CHECK(entry.held <= entry.known);  // a copy never outruns its home
  if (entry.held == kNoVersion) return Access::CacheMiss;
  if (entry.held == entry.known) return Access::CurrentHit;
  const std::uint64_t allowed = policy_.threshold + (LEEWAY_MUTANT(ThresholdOffByOne) ? 1 : 0);
  return staleness(slot) <= allowed ? Access::StaleHit : Access::StaleMiss;
}

/// Objects one message may name so that their values fit a frame of the usual size.
[[nodiscard]] std::size_t objects_per_message(const Policy& policy, ValueShape shape);

}  // namespace leeway
