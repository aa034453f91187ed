// Who has which piece where load moves without barriers: no tick is agreed on from which a new map holds;
// a piece changes hands between two of its own ticks, whenever that is, and takes nothing along but what it
// diffuses to itself. So a worker knows which pieces it has, and believes of others what it heard last:
// whoever is asked for a piece it gave away passes the question on. One worker's own.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

#include "leeway/runtime/piece/layout.h"
#include "leeway/runtime/piece/progress.h"

namespace leeway::piece {

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

}  // namespace leeway::piece
