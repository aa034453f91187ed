// Divide and Partition (AsyTick, Table 1) for space: a rectangle is divided into one partition a worker,
// and each partition into pieces of equal size. Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "leeway/base/result.h"
#include "leeway/runtime/piece/layout.h"

namespace leeway::piece {

/// Refuses no pieces, and more than memory holds.
Status admit_pieces(std::uint32_t workers, std::uint32_t pieces_a_worker);

struct Rectangle {
  double left = 0;
  double bottom = 0;
  double right = 0;
  double top = 0;

  [[nodiscard]] double width() const { return right - left; }
  [[nodiscard]] double height() const { return top - bottom; }
};

/// Divide(S): `workers` equal partitions that cover the space, row by row, as square as their number
/// allows.
[[nodiscard]] std::vector<Rectangle> divide(const Rectangle& space, std::uint32_t workers);
/// Partition(P): the same of one partition.
[[nodiscard]] std::vector<Rectangle> partition(const Rectangle& part, std::uint32_t pieces);

/// How many columns and rows `count` equal rectangles of `space` stand in.
struct Arrangement {
  std::uint32_t columns = 1;
  std::uint32_t rows = 1;
};
[[nodiscard]] Arrangement arrangement(const Rectangle& space, std::uint32_t count);

/// The pieces of a divided space, and who lies where. A place outside the space belongs to the piece at
/// the border next to it.
class SpacePieces {
 public:
  /// `influence`: how far apart things may be, and still affect each other within a tick (R + V). An Input
  /// error for no pieces, no workers, or a space that is none.
  static Result<SpacePieces> make(const Rectangle& space, std::uint32_t workers,
                                  std::uint32_t pieces_a_worker, double influence);

  [[nodiscard]] const PieceLayout& layout() const { return layout_; }
  [[nodiscard]] PieceId at(double x, double y) const;
  [[nodiscard]] const Rectangle& region(PieceId piece) const { return regions_[piece.index()]; }
  /// Whether something at (x, y) is no farther than `distance` from the piece's region. Pieces at the
  /// border reach beyond it without end.
  [[nodiscard]] bool near(PieceId piece, double x, double y, double distance) const {
    const Rectangle& open = open_[piece.index()];
    return x >= open.left - distance && x <= open.right + distance && y >= open.bottom - distance &&
           y <= open.top + distance;
  }

 private:
  void lay_out(std::uint32_t workers, std::uint32_t pieces_a_worker);
  void join(double influence, std::vector<NodeId> homes);

  Rectangle space_;
  std::uint32_t columns_ = 1;  // of all pieces
  std::uint32_t rows_ = 1;
  std::vector<Rectangle> regions_;
  std::vector<Rectangle> open_;
  PieceLayout layout_;
};

}  // namespace leeway::piece
