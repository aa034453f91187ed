// Divide and Partition (AsyTick, Table 1) for space: a box is divided into one partition a worker, and each
// partition into pieces of equal size. Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "leeway/base/box.h"
#include "leeway/base/result.h"
#include "leeway/runtime/piece/layout.h"

namespace leeway::piece {

/// Refuses no pieces, and more than memory holds.
Status admit_pieces(std::uint32_t workers, std::uint32_t pieces_a_worker);

/// Divide(S) and Partition(P): a grid of equal partitions, one a worker, and of equal pieces within each; both as
/// square as their number allows.
struct PieceGrid {
  GridShape parts;
  GridShape within;

  [[nodiscard]] GridShape whole() const {
    return {parts.columns * within.columns, parts.rows * within.rows};
  }
};
[[nodiscard]] PieceGrid piece_grid(double aspect, std::uint32_t workers,
                                   std::uint32_t pieces_a_worker);

/// The pieces of a divided space, and who lies where. A place outside the space belongs to the piece at
/// the border next to it.
class SpacePieces {
 public:
  /// `influence`: how far apart things may be, and still affect each other within a tick (R + V). An Input
  /// error for no pieces, no workers, or a space that is none.
  static Result<SpacePieces> make(const Box& space, std::uint32_t workers,
                                  std::uint32_t pieces_a_worker, double influence);

  [[nodiscard]] const PieceLayout& layout() const { return layout_; }
  [[nodiscard]] PieceId at(double x, double y) const;
  [[nodiscard]] const Box& region(PieceId piece) const { return regions_[piece.index()]; }
  /// Whether something at (x, y) is no farther than `distance` from the piece's region. Pieces at the
  /// border reach beyond it without end.
  [[nodiscard]] bool near(PieceId piece, double x, double y, double distance) const {
    const Box& open = open_[piece.index()];
    return x >= open.left - distance && x <= open.right + distance && y >= open.bottom - distance &&
           y <= open.top + distance;
  }

 private:
  void join(double influence, std::vector<NodeId> homes);

  Box space_;
  GridShape shape_;  // of all pieces
  std::vector<Box> regions_;
  std::vector<Box> open_;
  PieceLayout layout_;
};

}  // namespace leeway::piece
