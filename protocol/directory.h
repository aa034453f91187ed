// The home's side of one space (ASPIRE §4, Figure 4): the version of every object that lives here, who
// shares it, and what each sharer has been told. A pure machine: events in, messages and effects out.
// One caller at a time. Values stay with the shell, which lends them through HomeValues.
//
// Invariants: whoever holds a copy is in the directory (or its Evict is under way); a flushed Invalidate
// always carries the newest version, so merging many into one loses nothing.
//
// A sweep stores nearly all objects of a stretch. Then no list of sharers is walked: each sharer's links are scanned
// where they may name such an object, and what it has not heard of is sent. That needs links in the order of the
// objects, as a sharer gives them that meets objects in order.
//
// Limits: pending for a sharer is one invalidation per object it shares, and stretches that do not overlap; without flattening one per write,
// until kMostUnmerged are pending, from where on they merge too. Unacknowledged Invalidates and unanswered
// Writes are those of stores that wait, so there are no more than threads times sharers. Copies held
// elsewhere are limited by `most_copies`.
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

/// The values that live at this node. A value appended here is never older than the version the
/// directory reads beforehand, because a store puts the value in place first.
class HomeValues {
 public:
  virtual ~HomeValues() = default;
  /// Appends the values of these objects, in order.
  virtual void append(std::span<const LocalIndex> objects, ByteWriter& out) const = 0;
  /// A store that came in a Write message.
  virtual void put(LocalIndex object, ValueView value) = 0;
};

class Directory {
 public:
  /// Without flattening: pending invalidations of one sharer from where on they merge all the same.
  static constexpr std::size_t kMostUnmerged = std::size_t{1} << 16;
  /// Elements of the sharers' lists are numbered in 32 bits, from 1.
  static constexpr std::uint64_t kMostCopies = 0xFFFF'FFFEu;

  Directory(SpaceId space, NodeId self, std::uint32_t nodes, std::uint32_t objects,
            const Policy& policy, std::uint32_t value_bytes, HomeValues& values,
            std::uint64_t most_copies = kMostCopies);

  // Events of this node.

  /// `times` stores of an object whose value is already in place; sharers hear of it with `flush`.
  void wrote(LocalIndex object, std::uint64_t times = 1);
  /// So many stores of each, one where `times` is empty; fast where the objects are most of a stretch, in order.
  void wrote(std::span<const LocalIndex> objects, std::span<const std::uint32_t> times = {});
  /// Sends the gathered invalidations; those of waiting modes ask for acknowledgements, and are sent even
  /// to peers that are held back.
  void flush(Outbox& out, Flush what = Flush::Ready);
  [[nodiscard]] bool needs_flush() const { return !touched_.empty(); }

  // Messages from a sharer or writer. A false return means bytes that no correct peer sends.

  [[nodiscard]] bool on_link(NodeId from, ByteReader& in);
  [[nodiscard]] bool on_read(NodeId from, ByteReader& in, Outbox& out);
  [[nodiscard]] bool on_evict(NodeId from, ByteReader& in);
  [[nodiscard]] bool on_ack(NodeId from, ByteReader& in, Outbox& out);
  [[nodiscard]] bool on_decline(NodeId from, ByteReader& in);
  [[nodiscard]] bool on_write(NodeId from, ByteReader& in, Outbox& out);

  /// A writer waits until `all_acked` up to the number taken here, right after its flush.
  [[nodiscard]] AckNumber last_ack() const { return last_ack_; }
  [[nodiscard]] bool all_acked(AckNumber through) const;
  /// An unacknowledged Invalidate's addressee, for saying what a writer waits for; none if all are in.
  [[nodiscard]] NodeId slowest_sharer() const;

  // What is known.

  [[nodiscard]] Version version(LocalIndex object) const { return versions_[object.index()]; }
  [[nodiscard]] bool shares(NodeId node, LocalIndex object) const;
  [[nodiscard]] std::vector<NodeId> sharers(LocalIndex object) const;
  [[nodiscard]] std::uint32_t object_count() const {
    return static_cast<std::uint32_t>(versions_.size());
  }
  [[nodiscard]] const DirectoryCounts& counts() const { return counts_; }
  /// A Read or Write came for which there is no room in the sharers' lists. It was not obeyed, and its
  /// sender will wait for ever: the job cannot go on.
  [[nodiscard]] bool overfull() const { return overfull_; }
  /// The object that the Link just refused asked for and that does not live here.
  [[nodiscard]] std::optional<LocalIndex> asked_beyond() const { return link_.beyond; }
  [[nodiscard]] std::size_t bytes() const;

 private:
  /// What one sharer has of one object, as far as an invalidation looks.
  struct Copy {
    LocalIndex object{0};
    bool present : 1 = false;    // in d^o
    bool queued : 1 = false;     // an invalidation has gathered
    bool push : 1 = false;       // values ride on its invalidations
    Version heard = kNoVersion;  // the newest it was told of or given
  };
  /// How it reads.
  struct Habit {
    std::uint8_t streak = 0;     // versions in a row it read each of
    std::uint8_t needed = 0;     // the streak that earns pushes; grows when they are declined
    EvictNumber joined{0};       // the pair's newest Evict when it last read
    Version given = kNoVersion;  // the newest value it asked for
  };
  /// Objects from `first` to `last`.
  struct ObjectRun {
    LocalIndex first{0};
    LocalIndex last{0};
  };
  struct Sharer {
    LargeVector<Copy> copies;        // by link index
    LargeVector<Habit> habits;       // by link index
    std::vector<LinkIndex> pending;  // links with `queued`
    std::vector<ObjectRun> stored;   // where it may not have heard of most; disjoint, ascending
    bool ascending = true;           // links are in the order of their objects
    bool touched = false;
  };
  /// One element of an object's list of sharers.
  struct SharerOf {
    NodeId node{0};
    LinkIndex link{0};
    std::uint32_t next = 0;  // into sharers_of_; 0 ends the list
  };
  struct RemoteWrite {
    AckNumber wanted{0};  // our invalidations up to here must be acknowledged
    NodeId writer{0};
    AckNumber answer{0};  // the writer's own number
  };

  /// The one that stands at `at` in read_.
  void read_one(NodeId from, Sharer& sharer, std::size_t at, EvictNumber evicted);
  /// Whether so many more copies can be kept account of; if not, `overfull` from now on.
  [[nodiscard]] bool has_room_for(std::size_t copies);
  void add_sharer(NodeId node, LinkIndex link, LocalIndex object);
  void remove_sharer(NodeId node, LinkIndex link, LocalIndex object);
  void gather(NodeId node, LinkIndex link);
  void touch(NodeId node);
  void disorder(Sharer& sharer);
  void fetch_ahead(std::span<const LocalIndex> objects) const;
  [[nodiscard]] bool makes_stretch(std::span<const LocalIndex> objects) const;
  void wrote_stretch(std::span<const LocalIndex> objects, std::span<const std::uint32_t> times);
  void add_stored(NodeId node, ObjectRun stored);
  void wrote_by(LocalIndex object, std::uint64_t times, NodeId writer);
  void flush_sharer(NodeId id, Sharer& sharer, Outbox& out);
  void flush_pending(NodeId id, Sharer& sharer, Outbox& out);
  void flush_stretch(NodeId id, Sharer& sharer, ObjectRun stored, Outbox& out);
  /// Invalidations of one flush to one sharer, of those that carry values or of those that do not.
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
  /// Puts what the sharer has not heard of into told_ or pushed_, and remembers it as heard.
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
  LargeVector<std::uint32_t> first_sharer_;  // into sharers_of_, by object; 0: nobody
  LargeVector<SharerOf> sharers_of_;
  std::uint32_t free_ = 0;     // unused elements of sharers_of_, chained
  std::uint64_t most_copies_;  // elements of sharers_of_ in use at once
  std::uint64_t copies_ = 0;   // in use
  bool overfull_ = false;
  std::vector<Sharer> sharers_;   // by node
  std::uint32_t disordered_ = 0;  // sharers whose links are not ascending
  std::vector<NodeId> touched_;   // sharers with invalidations gathered
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
  Gathered told_;
  Gathered pushed_;
  std::vector<LocalIndex> objects_;
  std::vector<std::uint64_t> numbers_;
};

}  // namespace leeway
