// Directory: the home's side of the DSM protocol for one space. HomeValues: its access to the
// values, which the node stores (dsm/).
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <vector>

#include "base/array.h"
#include "protocol/ids.h"
#include "protocol/message.h"
#include "protocol/outbox.h"
#include "protocol/policy.h"

namespace leeway {

/// Access to the values of this node's objects. A store writes the value before the directory
/// increments the version, so a value appended here is never older than the version that the
/// directory has read before.
class HomeValues {
 public:
  virtual ~HomeValues() = default;
  /// Appends the values of these objects, in order.
  virtual void append(std::span<const LocalIndex> objects, ByteWriter& out) const = 0;
  /// Applies the store of a Write message.
  virtual void put(LocalIndex object, ValueView value) = 0;
};

/// The home's side of one space (ASPIRE §4, Figure 4): for every object of this node, its version,
/// its sharers, and the newest version announced to each sharer. A pure state machine: events in,
/// messages and effects out. One caller at a time.
///
/// Invariants: a node that holds a copy is in the directory, or its Evict is in flight; a flushed
/// Invalidate carries the newest version, so merging several into one loses nothing.
///
/// A sweep stores nearly all objects of a range. Then the lists of sharers are not walked. Instead,
/// each sharer's links are scanned in that range, and versions not yet announced are sent. This
/// requires that the sharer's links are in the order of the objects, as they are if the sharer
/// registered the objects in order.
///
/// Limits: for each sharer, one invalidation per shared object and disjoint ranges are pending;
/// without flattening, one invalidation per write, until kMostUnmerged are pending, beyond which
/// they merge too. Unacknowledged Invalidates and unanswered Writes belong to waiting stores, so
/// there are at most threads times sharers. `most_copies` limits the copies held by other nodes.
class Directory {
 public:
  /// Without flattening: number of pending invalidations of one sharer beyond which they merge.
  static constexpr std::size_t kMostUnmerged = std::size_t{1} << 16;
  /// Elements of the sharers' lists are numbered in 32 bits, from 1.
  static constexpr std::uint64_t kMostCopies = 0xFFFF'FFFEu;

  Directory(SpaceId space, NodeId self, std::uint32_t nodes, std::uint32_t objects,
            const Policy& policy, std::uint32_t value_bytes, HomeValues& values,
            std::uint64_t most_copies = kMostCopies);

  // Local events.

  /// Reports `times` stores of an object whose value is already written; `flush` notifies the
  /// sharers.
  void wrote(LocalIndex object, std::uint64_t times = 1);
  /// Reports stores of several objects, one of each if `times` is empty. Fast if the objects are
  /// ascending and dense.
  void wrote(std::span<const LocalIndex> objects, std::span<const std::uint32_t> times = {});
  /// Sends the pending invalidations. Modes whose writes wait require acknowledgements, and send
  /// even to held peers.
  void flush(Outbox& out, Flush what = Flush::Ready);
  [[nodiscard]] bool needs_flush() const { return !touched_.empty(); }

  // Messages from a sharer or writer. False: the message is malformed.

  [[nodiscard]] bool on_link(NodeId from, ByteReader& in);
  [[nodiscard]] bool on_read(NodeId from, ByteReader& in, Outbox& out);
  [[nodiscard]] bool on_evict(NodeId from, ByteReader& in);
  [[nodiscard]] bool on_ack(NodeId from, ByteReader& in, Outbox& out);
  [[nodiscard]] bool on_decline(NodeId from, ByteReader& in);
  [[nodiscard]] bool on_write(NodeId from, ByteReader& in, Outbox& out);

  /// Number of the last Invalidate. After its flush, a waiting writer waits for
  /// all_acked(last_ack()).
  [[nodiscard]] AckNumber last_ack() const { return last_ack_; }
  [[nodiscard]] bool all_acked(AckNumber through) const;
  /// A sharer with an unacknowledged Invalidate, for messages about waiting writers; none if all
  /// are acknowledged.
  [[nodiscard]] NodeId slowest_sharer() const;

  // State.

  [[nodiscard]] Version version(LocalIndex object) const { return versions_[object.index()]; }
  [[nodiscard]] bool shares(NodeId node, LocalIndex object) const;
  [[nodiscard]] std::vector<NodeId> sharers(LocalIndex object) const;
  [[nodiscard]] std::uint32_t object_count() const {
    return static_cast<std::uint32_t>(versions_.size());
  }
  [[nodiscard]] const DirectoryCounts& counts() const { return counts_; }
  /// A Read or Write exceeded `most_copies`. It was not executed, and its sender would wait
  /// forever, so the job cannot continue.
  [[nodiscard]] bool overfull() const { return overfull_; }
  /// The object index in the last refused Link that does not exist here.
  [[nodiscard]] std::optional<LocalIndex> asked_beyond() const { return link_.beyond; }
  [[nodiscard]] std::size_t bytes() const;

 private:
  /// State of one sharer's copy of one object, as needed for invalidations.
  struct Copy {
    LocalIndex object{0};
    bool present : 1 = false;        // the sharer is in d^o
    bool queued : 1 = false;         // an invalidation is pending
    bool push : 1 = false;           // its invalidations carry values
    Version announced = kNoVersion;  // the newest version sent to the sharer, with or without value
  };
  /// How the sharer reads the object.
  struct Habit {
    std::uint8_t streak = 0;  // consecutive versions that it has read
    // The streak after which values are pushed; grows when they are declined.
    std::uint8_t needed = 0;
    EvictNumber joined{0};         // the pair's newest Evict number at its last Read
    Version fetched = kNoVersion;  // the newest version that it requested
  };
  /// Objects from `first` to `last`, inclusive.
  struct ObjectRange {
    LocalIndex first{0};
    LocalIndex last{0};
  };
  struct Sharer {
    LargeVector<Copy> copies;        // by link index
    LargeVector<Habit> habits;       // by link index
    std::vector<LinkIndex> pending;  // links with `queued`
    std::vector<ObjectRange>
        stored;             // ranges to scan for unannounced versions; disjoint, ascending
    bool ascending = true;  // links are in the order of their objects
    bool touched = false;
    std::uint32_t unanswered = 0;  // if paced: Invalidates that the sharer has not acknowledged
  };
  /// One element of an object's list of sharers.
  struct SharerOf {
    NodeId node{0};
    LinkIndex link{0};
    std::uint32_t next = 0;  // into sharers_of_; 0 ends the list
  };
  struct RemoteWrite {
    AckNumber through{0};  // our Invalidates up to this number must be acknowledged
    NodeId writer{0};
    AckNumber answer{0};  // the number that the writer waits for
  };

  /// Handles the object at index `at` of read_.
  void read_one(NodeId from, Sharer& sharer, std::size_t at, EvictNumber evicted);
  /// Whether `copies` more copies fit below most_copies_; otherwise sets overfull_.
  [[nodiscard]] bool has_room_for(std::size_t copies);
  void add_sharer(NodeId node, LinkIndex link, LocalIndex object);
  void remove_sharer(NodeId node, LinkIndex link, LocalIndex object);
  void gather(NodeId node, LinkIndex link);
  void touch(NodeId node);
  void disorder(Sharer& sharer);
  void fetch_ahead(std::span<const LocalIndex> objects) const;
  [[nodiscard]] bool is_dense(std::span<const LocalIndex> objects) const;
  void wrote_range(std::span<const LocalIndex> objects, std::span<const std::uint32_t> times);
  void add_stored(NodeId node, ObjectRange stored);
  void wrote_by(LocalIndex object, std::uint64_t times, NodeId writer);
  void flush_sharer(NodeId id, Sharer& sharer, Outbox& out);
  void flush_pending(NodeId id, Sharer& sharer, Outbox& out);
  void flush_range(NodeId id, Sharer& sharer, ObjectRange stored, Outbox& out);
  /// Invalidations of one flush to one sharer: either those with values or those without.
  struct Gathered {
    std::vector<LinkIndex> links;
    std::vector<LocalIndex> objects;
    std::vector<std::uint64_t> versions;

    void make_room(std::size_t most) {
      links.resize(most);
      objects.resize(most);
      versions.resize(most);
    }
    void put(std::size_t at, LinkIndex link, std::uint64_t version, LocalIndex object) {
      links[at] = link;
      objects[at] = object;
      versions[at] = version;
    }
    void cut(std::size_t count) { make_room(count); }
  };
  /// Puts unannounced versions into invalidated_ or pushed_, and marks them as announced.
  template <class Next>
  void gather_news(Sharer& sharer, std::size_t most, Next&& next);
  void send_news(NodeId id, Outbox& out);
  void send_invalidations(NodeId id, const Gathered& gathered, bool push, Outbox& out);
  void answer_remote_writes(Outbox& out);
  void judge_reader(Copy& copy, Habit& habit) const;

  SpaceId space_;
  NodeId self_;
  Policy policy_;
  std::uint32_t value_bytes_;
  HomeValues& values_;
  std::size_t per_message_;
  LargeVector<Version> versions_;
  LargeVector<std::uint32_t> first_sharer_;  // into sharers_of_, by object; 0: no sharer
  LargeVector<SharerOf> sharers_of_;
  std::uint32_t free_ = 0;     // unused elements of sharers_of_, chained
  std::uint64_t most_copies_;  // limit of the elements of sharers_of_ in use
  std::uint64_t copies_ = 0;   // elements in use
  bool overfull_ = false;
  std::vector<Sharer> sharers_;   // by node
  std::uint32_t disordered_ = 0;  // sharers whose links are not ascending
  std::vector<NodeId> touched_;   // sharers with pending invalidations
  AckNumber last_ack_{0};
  struct Unacked {
    AckNumber number{0};
    NodeId sharer{0};
    friend auto operator<=>(const Unacked&, const Unacked&) = default;
  };
  std::set<Unacked> unacked_;
  std::vector<RemoteWrite> remote_writes_;
  DirectoryCounts counts_;
  // Scratch, kept for its memory.
  ReadMessage read_;
  EvictMessage evict_;
  LinkMessage link_;
  WriteMessage write_;
  Gathered invalidated_;
  Gathered pushed_;
  std::vector<LocalIndex> objects_;
  std::vector<std::uint64_t> numbers_;
};

}  // namespace leeway
