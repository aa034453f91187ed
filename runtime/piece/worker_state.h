// The state of a worker and of the master without barriers: the master's view of all pieces (MasterProgress), a
// worker's pieces (Holdings), arrived information (SynchronizationTable) and the scheduler's queue (ReadyQueue).
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

/// A worker's report on one of its pieces.
struct PieceProgress {
  PieceId piece{0};
  TickId tick{0};                 ///< its current tick
  std::uint64_t nanoseconds = 0;  ///< computing time of ticks finished since the last report
  std::uint32_t ticks = 0;        ///< number of those ticks
  std::uint64_t under_way = 0;    ///< nanoseconds already spent on its current tick
};

/// The master's view of all pieces, if load is balanced without barriers: each piece's tick and the times of its
/// ticks. From this follows which worker would be last to reach a tick somewhat beyond the first worker's, and which
/// pieces it should give to other workers. Not thread-safe.
class MasterProgress {
 public:
  struct Move {
    PieceId piece{0};
    NodeId from{0};
    NodeId to{0};
  };

  MasterProgress(const PieceOptions& options, const PieceLayout& layout, std::uint32_t workers);

  void take(NodeId worker, std::span<const PieceProgress> report, Instant now);
  /// The pieces to move, if every worker has reported since the last call; else none.
  [[nodiscard]] std::vector<Move> moves(Instant now);

 private:
  struct KnownOwner {
    NodeId owner{0};   // owner, or the worker that was ordered to take it
    NodeId holder{0};  // the worker that reported it last
    TickId tick{0};
    std::uint64_t under_way = 0;
  };
  /// The work left until all pieces are at the same tick.
  struct Outlook {
    std::vector<NodeId> owners;
    std::vector<std::uint64_t> loads;        // by piece, beyond its current tick
    std::vector<std::uint64_t> fixed_loads;  // by worker: load that cannot be moved
  };
  [[nodiscard]] TickId target() const;
  [[nodiscard]] Outlook outlook(Instant now) const;

  const PieceLayout& layout_;
  std::uint32_t ticks_;
  std::vector<KnownOwner> pieces_;
  Forecast forecast_;
  std::vector<Instant> last_report_;  // by worker: time of its last report
  std::uint32_t reports_ = 0;
};

// The owners of pieces, if load is balanced without barriers. There is no common tick at which a new map becomes
// valid. A piece changes its owner between two of its ticks, and takes along only the information that it diffuses to
// itself. A worker therefore knows which pieces it has, and for other pieces the owner in the newest information
// received. A worker that receives information for a piece that it gave away forwards it. Not thread-safe.
class Holdings {
 public:
  /// The initial partition, all pieces before tick 0.
  Holdings(const PieceLayout& layout, NodeId self);

  /// The owner, as far as this worker knows; `self` also if the piece is on its way here.
  [[nodiscard]] NodeId owner(PieceId piece) const { return locations_[piece.index()].owner; }
  [[nodiscard]] bool here(PieceId piece) const {
    return locations_[piece.index()].whereabouts == Whereabouts::Here;
  }
  /// The piece was here and has not come back.
  [[nodiscard]] bool gone(PieceId piece) const {
    return locations_[piece.index()].whereabouts == Whereabouts::Gone;
  }
  /// The current tick of a piece that is here.
  [[nodiscard]] TickId tick(PieceId piece) const { return locations_[piece.index()].tick; }
  /// D(P) in the initial partition (§4.2.2); a piece from another worker counts as boundary.
  [[nodiscard]] std::uint32_t distance(PieceId piece) const { return distance_[piece.index()]; }
  /// Whether all pieces here are beyond `tick`.
  [[nodiscard]] bool beyond(TickId tick) const { return at_.empty() || at_.begin()->first > tick; }
  [[nodiscard]] TickId first() const { return at_.empty() ? TickId(0) : at_.begin()->first; }

  /// Notes that `owner` had `piece` when it diffused before `tick`; ignored if newer information exists.
  void note_owner(PieceId piece, NodeId owner, TickId tick);
  /// Whether the piece can arrive here with its state before `tick`: it is not here, and was not here at that tick.
  [[nodiscard]] bool may_take(PieceId piece, TickId tick) const;
  void take(PieceId piece, TickId tick);
  void advance(PieceId piece, TickId next);
  void give(PieceId piece, NodeId to, TickId next);

  /// Orders that the piece be given to `to` as soon as possible, even if it has not arrived here yet.
  void order(PieceId piece, NodeId to);
  [[nodiscard]] std::optional<NodeId> ordered(PieceId piece) const;

  /// Adds computing time of this worker to a tick of a piece.
  void spend(PieceId piece, TickId tick, std::uint64_t nanoseconds);
  /// The computing times since the last report, and the tick of every piece here.
  [[nodiscard]] std::vector<PieceProgress> report();

 private:
  enum class Whereabouts : std::uint8_t { Elsewhere, Here, Gone };
  struct Location {
    NodeId owner{0};
    TickId tick{0};  // the newest tick known
    Whereabouts whereabouts = Whereabouts::Elsewhere;
    TickId given{0};  // if it is gone: its tick when it left
  };
  struct Spent {
    std::uint64_t finished = 0;  // in ticks finished since the last report
    std::uint32_t ticks = 0;
    std::uint64_t under_way = 0;
    std::uint64_t ahead = 0;  // in the tick after the current one
  };
  void leave(TickId tick);

  const PieceLayout& layout_;
  NodeId self_;
  std::vector<Location> locations_;
  std::vector<std::uint32_t> distance_;
  std::map<TickId, std::uint32_t> at_;  // number of pieces here, by current tick
  std::unordered_map<std::uint32_t, NodeId> orders_;
  std::unordered_map<std::uint32_t, Spent> spent_;
};

// The synchronization table (AsyTick §4.2.1): for each piece and tick in progress at a worker, which of the needed
// pieces have arrived. Not thread-safe.
class SynchronizationTable {
 public:
  explicit SynchronizationTable(const PieceLayout& layout)
      : layout_(layout), next_(layout.count(), TickId(0)) {}

  /// Notes that `piece` has received the information of `from` for `tick`. False if `from` was noted before, or the piece
  /// has finished the tick. Requires that `from` is needed (checked).
  [[nodiscard]] bool note(PieceId piece, TickId tick, PieceId from);
  /// Barrier(P): whether all needed pieces have arrived.
  [[nodiscard]] bool barrier(PieceId piece, TickId tick) const;
  /// The needed pieces that have not arrived.
  [[nodiscard]] std::vector<PieceId> missing(PieceId piece, TickId tick) const;
  /// Call when the piece has finished this tick.
  void forget(PieceId piece, TickId tick) {
    rows_.erase(key(piece, tick));
    next_[piece.index()] = tick.next();
  }

 private:
  struct SynchronizationRow {
    std::uint32_t in = 0;
    std::vector<bool> from;  // by index in layout.around
  };
  static std::uint64_t key(PieceId piece, TickId tick) {
    return std::uint64_t{piece.value()} << 32U | tick.value();
  }

  const PieceLayout& layout_;
  std::unordered_map<std::uint64_t, SynchronizationRow> rows_;
  std::vector<TickId> next_;  // by piece: the tick after the last one finished here
};

// A worker's scheduler (AsyTick §4.2.2): the arrived information to process, least Pri(P) = α·D(P) + β·N(P) first,
// ties in the order of pieces; or in order of arrival, if the scheduler is off. All information for one piece and
// tick is taken together, so its task is woken once. Information for ticks from the gate on waits until the gate
// moves. Not thread-safe.

/// Information for a piece at a tick.
struct PieceArrival {
  PieceId piece{0};
  TickId tick{0};
  Diffused diffused;
  NodeId sender{0};  ///< the worker from which it has arrived
};

class ReadyQueue {
 public:
  /// `gate`: the first tick that may not be processed yet.
  ReadyQueue(const PieceOptions& options, TickId gate)
      : by_priority_(options.scheduler), alpha_(options.alpha), beta_(options.beta), gate_(gate) {}

  /// `distance`: D(P).
  void push(PieceArrival arrival, std::uint32_t distance);
  [[nodiscard]] bool empty() const { return turns_.empty(); }
  PieceArrival pop();
  /// Permits all ticks before `gate`.
  void move_gate(TickId gate);
  [[nodiscard]] TickId gate() const { return gate_; }
  /// Removes and returns the information for `piece`, which this worker will no longer process.
  [[nodiscard]] std::vector<PieceArrival> take_out(PieceId piece);
  void clear();

 private:
  /// A piece's task at a tick, with information to process.
  struct ReadyPiece {
    double priority;
    bool by_piece;        // order ties by piece
    std::uint64_t order;  // sequence number of its first arrival
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
  /// By piece and tick; no queue is empty.
  std::unordered_map<std::uint64_t, std::deque<PieceArrival>> open_;
  std::map<TickId, std::vector<Closed>> closed_;
};

}  // namespace leeway::piece
