// What a step of the sharer's machine wants done to its node's memory, and what it may ask of it.
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

/// Slots in a row.
struct SlotRun {
  SlotIndex first{0};
  std::uint32_t count = 0;

  [[nodiscard]] SlotIndex operator[](std::uint32_t i) const { return SlotIndex(first.value() + i); }
  [[nodiscard]] bool ends_before(SlotIndex slot) const {
    return first.value() + count == slot.value();
  }
};

/// Values for slots in a row, which lie one behind the other inside the event's bytes.
struct Install {
  SlotRun slots;
  ValueView values;

  [[nodiscard]] ValueView value(std::uint32_t i) const {
    const std::size_t bytes = values.size() / slots.count;
    return values.subspan(i * bytes, bytes);
  }
};

/// What a step wants done to the node's memory, in order.
struct CacheEffects {
  std::vector<Install> installs;
  std::vector<SlotRun> current;   ///< slots whose copies are current now
  std::vector<SlotRun> changed;   ///< others whose classification may have changed
  std::vector<SlotRun> restored;  ///< dropped copies that are back, and no newer than was known
  std::vector<SlotIndex>
      watched;  ///< of these, nobody asked for the installs: remember whether they get read

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
  /// Values that lie one behind the other, and are current.
  void install_current(const SlotRun& slots, ValueView values) {
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
  static void add(std::vector<SlotRun>& runs, SlotIndex slot) {
    if (!runs.empty() && runs.back().ends_before(slot)) {
      ++runs.back().count;
    } else {
      runs.push_back({slot, 1});
    }
  }
};

/// Lets the machine ask whether a pushed value has been read since it was installed.
class ReadMarks {
 public:
  virtual ~ReadMarks() = default;
  [[nodiscard]] virtual bool unread(SlotIndex slot) const = 0;
};

// The sharer's side of one space (ASPIRE §4, Figure 3): for every remote object this node has met, the
// version it holds, the newest it has heard of, and whether a read is under way. A pure machine: events
// in, messages and effects out. One caller at a time.
//
// Invariants: held <= known; a copy's version never goes back; at most one read of an object is under
// way where requests are flattened; every Evict has a greater number than any Read sent before it.
//
// Limits: an object has at most kMostReads reads gathered or under way (1 where requests are flattened), and
// at most one eviction and one declined push gathered. So what waits for a home that is held back is bounded
// by the objects met.

/// Figure 3's states, and whether a read is under way in each.
enum class CopyState { Absent, Fetching, Shared, Stale, Refreshing };

class Cache {
 public:
  /// Reads of one object gathered or under way; further ones merge with these even without flattening.
  static constexpr std::uint16_t kMostReads = 0xFFFF;

  Cache(SpaceId space, NodeId self, std::uint32_t nodes, const Policy& policy,
        std::uint32_t value_bytes, const ReadMarks* marks);

  /// A slot for an object met for the first time; the caller remembers which. Requires another node as
  /// its home (checked).
  SlotIndex meet(ObjectId id);
  /// A slot for an object of this node, whose copy the caller keeps current: it has no link, and nothing is ever asked.
  SlotIndex meet_own(ObjectId id);
  /// Whether nothing of the slot's object is here, on its way or still to be said of it, so that another may
  /// have the slot.
  [[nodiscard]] bool forgettable(SlotIndex slot) const {
    const Entry& entry = entries_[slot.index()];
    return entry.held == kNoVersion && entry.in_flight == 0 && !entry.declined;
  }
  /// Gives a slot to another object, and its link with it; nothing is kept of the one before. Requires a
  /// forgettable slot and work collocation (checked): who stores away from home counts versions by itself, and
  /// must not forget them.
  void meet_in(SlotIndex slot, ObjectId id);
  [[nodiscard]] std::uint32_t slot_count() const {
    return static_cast<std::uint32_t>(entries_.size());
  }

  // Events of this node.

  /// A thread needs the object: classifies the access; on a miss a read goes out with the next flush,
  /// on a stale hit a refresh, if the policy says so.
  Access fetch(SlotIndex slot);
  /// A stale hit was served elsewhere; ask for the current value unless a read is under way.
  void refresh(SlotIndex slot);
  /// Prefetch: asks for the object unless a usable copy is here or on its way.
  void want(SlotIndex slot);
  /// Drops the copy. Requires one (checked). While a read is under way the home is not told, for the answer
  /// brings a copy back.
  void evict(SlotIndex slot);
  /// The same, but the home goes on telling of newer versions. Values that it sends unasked are declined.
  void drop(SlotIndex slot);
  /// This node is the object's single writer, but not its home: the copy becomes the new version and a
  /// Write goes out at once. With `ack` not 0 the home answers once all sharers have obeyed.
  void write(SlotIndex slot, ValueView value, AckNumber ack, Outbox& out, CacheEffects& effects);
  /// Sends what has gathered: evictions, links, reads, declined pushes.
  void flush(Outbox& out, Flush what = Flush::Ready);
  [[nodiscard]] bool needs_flush() const { return !touched_.empty(); }
  /// The newest read sent to that home; for `answered`, which tells whether this and all before it are.
  [[nodiscard]] RequestNumber newest_read(NodeId home) const {
    return RequestNumber(homes_[home.index()].next_request.value() - 1);
  }
  [[nodiscard]] bool answered(NodeId home, RequestNumber through) const {
    const auto& outstanding = homes_[home.index()].outstanding;
    return outstanding.empty() || outstanding.front().number > through;
  }

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
  [[nodiscard]] ObjectId object(SlotIndex slot) const { return objects_[slot.index()]; }
  /// Reads sent or gathered and not answered.
  [[nodiscard]] std::uint64_t in_flight() const { return in_flight_; }
  [[nodiscard]] const CacheCounts& counts() const { return counts_; }
  [[nodiscard]] std::size_t bytes() const;

 private:
  /// What an arriving value touches. Kept small: a sweep's worth of them goes through the processor's caches.
  struct Entry {
    Version held = kNoVersion;
    Version known = kNoVersion;
    LinkIndex link{0};
    std::uint16_t in_flight = 0;     // reads sent or gathered, not answered
    std::uint8_t unread_pushes = 0;  // in a row
    bool declined : 1 = false;       // stands in its home's `declined`
    bool dropped : 1 = false;        // until the next value comes
    bool news_to_drop : 1 =
        false;  // until the first Reply: it is of the object that had the link before
  };
  struct Request {
    RequestNumber number{0};
    std::vector<LinkIndex> links;
  };
  /// Everything agreed or under way with one home.
  struct Home {
    LargeVector<SlotIndex> slot_of;  // by link index; none where the link is free
    std::uint32_t links_sent = 0;
    std::vector<LinkIndex> free;      // links of objects that were forgotten
    std::vector<LinkIndex> relinked;  // given to other objects since the last flush
    std::vector<LinkIndex> wanted;    // gathered reads
    std::vector<LinkIndex> evicted;   // gathered evictions
    std::vector<LinkIndex> declined;  // gathered declined pushes
    bool touched = false;
    bool ascending = true;  // slots lie in the order of their links
    EvictNumber evict_number{0};
    RequestNumber next_request{1};
    std::deque<Request> outstanding;
  };

  [[nodiscard]] Home& home_of(SlotIndex slot) { return homes_[object(slot).home().index()]; }
  /// False if as many are under way as may be.
  bool request(SlotIndex slot);
  void touch(NodeId home);
  void flush_home(NodeId id, Home& home, Outbox& out);
  void send_links(NodeId id, Home& home, Outbox& out);
  void send_relinked(NodeId id, Home& home, Outbox& out);
  void link(SlotIndex slot);
  void send_reads(NodeId id, Home& home, Outbox& out);
  void send_evictions(NodeId id, Home& home, Outbox& out);
  void send_declines(NodeId id, Home& home, Outbox& out);
  [[nodiscard]] bool outdated_by_own_write(const Entry& entry, Version version) const;
  bool install(Entry& entry, SlotIndex slot, Version version, ValueView value,
               CacheEffects& effects);
  void fetch_ahead(const Home& home, std::span<const LinkIndex> links, std::size_t at) const;
  [[nodiscard]] SlotRun run_at(const Home& home, std::span<const LinkIndex> links) const;
  [[nodiscard]] std::uint32_t answer_run(const Home& home, std::size_t at, std::size_t& look_from,
                                         const Request& request, CacheEffects& effects);
  [[nodiscard]] std::uint32_t push_run(Home& home, std::size_t at, std::size_t& look_from,
                                       CacheEffects& effects);
  [[nodiscard]] static bool watched(const Entry& entry);
  void judge_push(Home& home, Entry& entry, SlotIndex slot);
  void decline(Home& home, Entry& entry, SlotIndex slot);

  SpaceId space_;
  NodeId self_;
  Policy policy_;
  std::uint32_t value_bytes_;
  const ReadMarks* marks_;
  std::size_t per_message_;        // objects a Read or Invalidate names at most
  LargeVector<Entry> entries_;     // by slot
  LargeVector<ObjectId> objects_;  // by slot
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
  return staleness(slot) <= policy_.threshold ? Access::StaleHit : Access::StaleMiss;
}

/// Objects one message may name so that their values fit a frame of the usual size.
[[nodiscard]] std::size_t objects_per_message(const Policy& policy, std::uint32_t value_bytes);

}  // namespace leeway
