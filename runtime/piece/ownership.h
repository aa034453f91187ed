// Which worker owns each piece at each tick: the partition at first, then a new map from the tick at which
// each redistribution takes effect. Everybody applies the same maps in the same order, so owners agree
// without a word. One worker's own.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <unordered_map>
#include <vector>

#include "leeway/runtime/piece/layout.h"
#include "leeway/runtime/piece/options.h"

namespace leeway::piece {

/// When loads are measured and when what follows from them takes effect.
class BalancePlan {
 public:
  explicit BalancePlan(const Options& options);

  /// The round, from 1, whose measuring ends with `tick`; 0: none.
  [[nodiscard]] std::uint32_t round_measured(TickId tick) const;
  /// The first tick under the map of `round`.
  [[nodiscard]] TickId effective(std::uint32_t round) const;
  /// How many maps one must have to know the owners at `tick`.
  [[nodiscard]] std::uint32_t rounds_before(TickId tick) const;
  /// The round in which the loads of `tick` are measured; 0: none.
  [[nodiscard]] std::uint32_t round_of(TickId tick) const {
    return every_ == 0 ? 0 : tick.value() / every_ + 1;
  }

 private:
  std::uint32_t every_ = 0;  // 0: never
  std::uint32_t lag_ = 0;
  std::uint32_t ticks_ = 0;
};

class Ownership {
 public:
  struct Change {
    PieceId piece{0};
    NodeId owner{0};
  };

  Ownership(const PieceLayout& layout, NodeId self, const Options& options);

  [[nodiscard]] const BalancePlan& plan() const { return plan_; }
  /// Whether the map that holds at `tick` has been learnt.
  [[nodiscard]] bool known(TickId tick) const { return learnt_ >= plan_.rounds_before(tick); }
  /// Requires known(tick), like all that follow.
  [[nodiscard]] NodeId owner(PieceId piece, TickId tick) const {
    return epoch(tick).owners[piece.index()];
  }
  /// This worker's pieces.
  [[nodiscard]] std::span<const PieceId> mine(TickId tick) const { return epoch(tick).mine; }
  /// Those of them that need `piece`.
  [[nodiscard]] std::span<const PieceId> readers(PieceId piece, TickId tick) const;
  /// D(P) of one of them.
  [[nodiscard]] std::uint32_t distance(PieceId piece, TickId tick) const;

  /// The map of the next round, as what it changes.
  void learn(std::span<const Change> changes);
  /// Nothing will be asked any more about ticks before `tick`.
  void forget_before(TickId tick);
  /// The newest map.
  [[nodiscard]] std::span<const NodeId> latest() const { return epochs_.back().owners; }
  [[nodiscard]] std::uint32_t learnt() const { return learnt_; }

 private:
  struct Epoch {
    TickId from{0};
    std::vector<NodeId> owners;
    std::vector<PieceId> mine;
    std::unordered_map<std::uint32_t, std::vector<PieceId>> readers;
    std::unordered_map<std::uint32_t, std::uint32_t> distance;
  };
  [[nodiscard]] const Epoch& epoch(TickId tick) const;
  void begin(TickId from, std::vector<NodeId> owners);

  const PieceLayout& layout_;
  NodeId self_;
  BalancePlan plan_;
  std::uint32_t learnt_ = 0;
  std::deque<Epoch> epochs_;
};

}  // namespace leeway::piece
