// Which pieces there are, which worker's partition holds each at first, and which pieces need each
// other's information. Need goes both ways: a piece that reads another is told of its progress in
// return, so that nobody gets more than one tick ahead of whom it concerns. Immutable; shared by all
// workers.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "leeway/runtime/piece/ids.h"

namespace leeway::piece {

class PieceLayout {
 public:
  PieceLayout() = default;
  /// `homes`: each piece's worker. `needs`: whose information each piece reads; itself and the way back
  /// are added.
  PieceLayout(std::vector<NodeId> homes, std::span<const std::vector<PieceId>> needs);

  [[nodiscard]] std::uint32_t count() const { return static_cast<std::uint32_t>(homes_.size()); }
  [[nodiscard]] std::span<const NodeId> homes() const { return homes_; }
  /// The pieces that `piece` exchanges information with each tick, itself among them, ascending.
  [[nodiscard]] std::span<const PieceId> around(PieceId piece) const {
    return std::span(around_).subspan(first_[piece.index()],
                                      first_[piece.index() + 1] - first_[piece.index()]);
  }

 private:
  std::vector<NodeId> homes_;
  std::vector<std::size_t> first_;
  std::vector<PieceId> around_;
};

/// D(P) of each piece that `owners` give to `self`: how many pieces lie between it and the boundary of
/// the partition, 0 for one that another worker needs. Others' pieces: 0.
[[nodiscard]] std::vector<std::uint32_t> boundary_distances(const PieceLayout& layout,
                                                            std::span<const NodeId> owners,
                                                            NodeId self);

}  // namespace leeway::piece
