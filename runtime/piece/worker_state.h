// What the coordinating worker is told where load moves without barriers: how far each piece has come and
// what its ticks took. From that follows who would come last to a tick somewhat beyond the first worker's,
// and which pieces it is to hand to whom. One worker's own.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/clock.h"
#include "leeway/piece.h"
#include "runtime/piece/ownership.h"

namespace leeway::piece {

struct PieceProgress {
  PieceId piece{0};
  TickId tick{0};                 ///< that it works on
  std::uint64_t nanoseconds = 0;  ///< that ticks took which are over, since it was told of last
  std::uint32_t ticks = 0;        ///< as many
  std::uint64_t under_way = 0;    ///< nanoseconds, of its tick
};

class MasterProgress {
 public:
  struct Move {
    PieceId piece{0};
    NodeId from{0};
    NodeId to{0};
  };

  MasterProgress(const PieceOptions& options, const PieceLayout& layout, std::uint32_t workers);

  void take(NodeId worker, std::span<const PieceProgress> report, Instant now);
  /// What is to move, when as many reports have come in as there are workers since it was last asked.
  [[nodiscard]] std::vector<Move> moves(Instant now);

 private:
  struct KnownOwner {
    NodeId owner{0};   // who has it or was told to take it
    NodeId holder{0};  // who told of it last
    TickId tick{0};
    std::uint64_t under_way = 0;
  };
  /// What there is to do until all are at the same tick.
  struct Outlook {
    std::vector<NodeId> owners;
    std::vector<std::uint64_t> loads;     // by piece, beyond the tick under way
    std::vector<std::uint64_t> standing;  // by worker, what cannot be moved
  };
  [[nodiscard]] TickId target() const;
  [[nodiscard]] Outlook outlook(Instant now) const;

  const PieceLayout& layout_;
  std::uint32_t ticks_;
  std::vector<KnownOwner> pieces_;
  Forecast forecast_;
  std::vector<Instant> told_;  // by worker, its last report
  std::uint32_t reports_ = 0;
};

// Who has which piece where load moves without barriers: no tick is agreed on from which a new map holds;
// a piece changes hands between two of its own ticks, whenever that is, and takes nothing along but what it
// diffuses to itself. So a worker knows which pieces it has, and believes of others what it heard last:
// whoever is asked for a piece it gave away passes the question on. One worker's own.
class Holdings {
 public:
  /// As the space is divided at first, all pieces before tick 0.
  Holdings(const PieceLayout& layout, NodeId self);

  /// Who has it, as far as is known; `self` also where it is on its way here.
  [[nodiscard]] NodeId owner(PieceId piece) const { return locations_[piece.index()].owner; }
  [[nodiscard]] bool here(PieceId piece) const {
    return locations_[piece.index()].whereabouts == Whereabouts::Here;
  }
  /// It was here and has not come back.
  [[nodiscard]] bool gone(PieceId piece) const {
    return locations_[piece.index()].whereabouts == Whereabouts::Gone;
  }
  /// The tick that a piece that is here works on.
  [[nodiscard]] TickId tick(PieceId piece) const { return locations_[piece.index()].tick; }
  /// D(P): of the partition as it was at first (§4.2.2); a piece from elsewhere lies on the boundary.
  [[nodiscard]] std::uint32_t distance(PieceId piece) const { return distance_[piece.index()]; }
  /// Whether everything here is beyond `tick`.
  [[nodiscard]] bool beyond(TickId tick) const { return at_.empty() || at_.begin()->first > tick; }
  [[nodiscard]] TickId first() const { return at_.empty() ? TickId(0) : at_.begin()->first; }

  /// What `owner` diffused before `tick` says that it has `piece`; older news is passed over.
  void hear(PieceId piece, NodeId owner, TickId tick);
  void take(PieceId piece, TickId tick);
  void advance(PieceId piece, TickId next);
  void give(PieceId piece, NodeId to, TickId next);

  /// The piece is to be given to `to` when it can be, be it here yet or not.
  void order(PieceId piece, NodeId to);
  [[nodiscard]] std::optional<NodeId> ordered(PieceId piece) const;

  /// So much of this worker's time went into a tick of a piece.
  void spend(PieceId piece, TickId tick, std::uint64_t nanoseconds);
  /// What has been spent since the last report, and where every piece here is.
  [[nodiscard]] std::vector<PieceProgress> report();

 private:
  enum class Whereabouts : std::uint8_t { Elsewhere, Here, Gone };
  struct Location {
    NodeId owner{0};
    TickId tick{0};  // the newest heard of
    Whereabouts whereabouts = Whereabouts::Elsewhere;
  };
  struct Spent {
    std::uint64_t finished = 0;  // in ticks that are over, since the last report
    std::uint32_t ticks = 0;
    std::uint64_t under_way = 0;
    std::uint64_t ahead = 0;  // in the tick after the one under way
  };
  void leave(TickId tick);

  const PieceLayout& layout_;
  NodeId self_;
  std::vector<Location> locations_;
  std::vector<std::uint32_t> distance_;
  std::map<TickId, std::uint32_t> at_;  // how many pieces here work on each tick
  std::unordered_map<std::uint32_t, NodeId> orders_;
  std::unordered_map<std::uint32_t, Spent> spent_;
};

// The synchronization table (AsyTick §4.2.1): for each piece at each tick that is under way at a worker,
// which of the pieces it needs are in. One worker's own.
class SynchronizationTable {
 public:
  explicit SynchronizationTable(const PieceLayout& layout) : layout_(layout) {}

  /// Notes that `piece` has processed what `from` diffused for `tick`. Requires: not noted before
  /// (checked), and `from` is needed.
  void note(PieceId piece, TickId tick, PieceId from);
  /// Barrier(P): whether all are in.
  [[nodiscard]] bool barrier(PieceId piece, TickId tick) const;
  /// The pieces that are not in yet.
  [[nodiscard]] std::vector<PieceId> missing(PieceId piece, TickId tick) const;
  /// The piece is through with this tick.
  void forget(PieceId piece, TickId tick) { rows_.erase(key(piece, tick)); }

 private:
  struct SynchronizationRow {
    std::uint32_t in = 0;
    std::vector<bool> from;  // by place in layout.around
  };
  static std::uint64_t key(PieceId piece, TickId tick) {
    return std::uint64_t{piece.value()} << 32U | tick.value();
  }

  const PieceLayout& layout_;
  std::unordered_map<std::uint64_t, SynchronizationRow> rows_;
};

// A worker's scheduler (AsyTick §4.2.2): what has arrived and waits to be processed, least Pri(P) =
// α·D(P) + β·N(P) first, equals always in the order of pieces; or in order of arrival where it is switched
// off. What waits for one piece at one tick is taken together: its task is woken once. What lies beyond the
// gate's tick waits until the gate moves. One worker's own.

/// Information for a piece at a tick.
struct PieceArrival {
  PieceId piece{0};
  TickId tick{0};
  Diffused diffused;
};

class ReadyQueue {
 public:
  /// `gate`: the first tick that may not be worked on.
  ReadyQueue(const PieceOptions& options, TickId gate)
      : by_priority_(options.scheduler), alpha_(options.alpha), beta_(options.beta), gate_(gate) {}

  /// `distance`: D(P).
  void push(PieceArrival arrival, std::uint32_t distance);
  [[nodiscard]] bool empty() const { return turns_.empty(); }
  PieceArrival pop();
  /// Lets everything before `gate` be worked on.
  void move_gate(TickId gate);
  [[nodiscard]] TickId gate() const { return gate_; }
  /// What waits for `piece`, which is not to be worked on here any more.
  [[nodiscard]] std::vector<PieceArrival> take_out(PieceId piece);
  void clear();

 private:
  /// A piece's task at a tick, with something to do.
  struct ReadyPiece {
    double priority;
    bool by_piece;        // among equals
    std::uint64_t order;  // of what came first
    PieceId piece{0};
    TickId tick{0};
    bool operator<(const ReadyPiece& other) const {
      if (priority != other.priority) return priority > other.priority;
      if (by_piece && piece != other.piece) return piece > other.piece;
      return order > other.order;
    }
  };
  struct Closed {
    PieceArrival arrival;
    std::uint32_t distance;
  };
  static std::uint64_t key(PieceId piece, TickId tick) {
    return std::uint64_t{piece.value()} << 32U | tick.value();
  }
  void open(PieceArrival arrival, std::uint32_t distance);

  bool by_priority_;
  double alpha_;
  double beta_;
  TickId gate_;
  std::uint64_t order_ = 0;
  std::vector<ReadyPiece> turns_;  // a heap
  std::unordered_map<std::uint64_t, std::deque<PieceArrival>>
      open_;  // by piece and tick, none of them empty
  std::map<TickId, std::vector<Closed>> closed_;
};

}  // namespace leeway::piece
