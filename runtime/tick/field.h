// States of the tick engine on the cells of a matrix: IndexRange, a ready-made query, and Field, a state with a value
// per cell.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/array.h"
#include "base/bytes.h"
#include "base/format.h"

namespace leeway::tick {

struct Cell {
  std::int64_t column = 0;
  std::int64_t row = 0;

  friend bool operator==(const Cell&, const Cell&) = default;
};

/// A query that selects a block of columns and rows of a matrix; upper bounds are exclusive. Bounds are signed, so
/// that a block can be grown beyond the border of the matrix and cut back.
struct IndexRange {
  std::int64_t left = 0, top = 0;      ///< the first column and row
  std::int64_t right = 0, bottom = 0;  ///< one past the last

  [[nodiscard]] bool empty() const { return left >= right || top >= bottom; }
  [[nodiscard]] std::int64_t columns() const { return empty() ? 0 : right - left; }
  [[nodiscard]] std::int64_t rows() const { return empty() ? 0 : bottom - top; }
  [[nodiscard]] std::uint64_t cells() const {
    return static_cast<std::uint64_t>(columns()) * static_cast<std::uint64_t>(rows());
  }
  [[nodiscard]] bool contains(const Cell& cell) const {
    return cell.column >= left && cell.column < right && cell.row >= top && cell.row < bottom;
  }
  [[nodiscard]] bool disjoint(const IndexRange& other) const { return common(other).empty(); }
  [[nodiscard]] IndexRange common(const IndexRange& other) const {
    return {std::max(left, other.left), std::max(top, other.top), std::min(right, other.right),
            std::min(bottom, other.bottom)};
  }
  /// Grown by `by` cells on every side, within `matrix`.
  [[nodiscard]] IndexRange grown(std::int64_t by, const IndexRange& matrix) const {
    if (empty()) return {};
    return IndexRange{left - by, top - by, right + by, bottom + by}.common(matrix);
  }
  /// Shrunk by `by` cells on every side, except at the border of `matrix`, beyond which there are no cells.
  [[nodiscard]] IndexRange shrunk(std::int64_t by, const IndexRange& matrix) const {
    const IndexRange inner = {
        left == matrix.left ? left : left + by, top == matrix.top ? top : top + by,
        right == matrix.right ? right : right - by, bottom == matrix.bottom ? bottom : bottom - by};
    return inner.empty() ? IndexRange{} : inner;
  }
  /// The smallest range that contains both.
  [[nodiscard]] IndexRange hull(const IndexRange& other) const {
    if (empty()) return other;
    if (other.empty()) return *this;
    return {std::min(left, other.left), std::min(top, other.top), std::max(right, other.right),
            std::max(bottom, other.bottom)};
  }
  [[nodiscard]] std::string describe() const;

  friend bool operator==(const IndexRange&, const IndexRange&) = default;
};

/// Appends the cells of `whole` that are not in `hole` to `pieces`, as at most four ranges.
void append_difference(const IndexRange& whole, const IndexRange& hole,
                       std::vector<IndexRange>& pieces);

/// Divides `matrix` into `count` blocks, as square as possible. Some are empty if there are more blocks than rows and
/// columns permit.
[[nodiscard]] std::vector<IndexRange> grid_ranges(const IndexRange& matrix, std::uint32_t count);

// A state of the tick engine: one double for each cell of a block of a matrix, row by row. A tuple's id is its
// position. One version of one process. The engine, not the field, keeps track of which cells have values of this
// version. Used by one thread at a time.
class Field {
 public:
  using Query = IndexRange;

  /// Cells, as disjoint blocks.
  class Selection {
   public:
    [[nodiscard]] std::span<const IndexRange> ranges() const { return ranges_; }
    [[nodiscard]] std::size_t size() const {
      std::size_t cells = 0;
      for (const IndexRange& range : ranges_) cells += range.cells();
      return cells;
    }
    [[nodiscard]] bool empty() const { return ranges_.empty(); }
    /// The `number`-th of `of` bands of rows of each block.
    void slice(std::size_t number, std::size_t of, Selection& found) const {
      found.ranges_.clear();
      const auto i = static_cast<std::int64_t>(number);
      const auto bands = static_cast<std::int64_t>(of);
      for (const IndexRange& range : ranges_) {
        const std::int64_t top = range.top + range.rows() * i / bands;
        const std::int64_t bottom = range.top + range.rows() * (i + 1) / bands;
        if (top < bottom) found.ranges_.push_back({range.left, top, range.right, bottom});
      }
    }

   private:
    friend class Field;
    std::vector<IndexRange> ranges_;
  };

  /// The block of cells for which memory is allocated.
  [[nodiscard]] const IndexRange& held() const { return held_; }
  /// Pointer to a cell, from which its row continues. Requires a held cell; cells outside `held` must not be
  /// accessed.
  [[nodiscard]] double* at(std::int64_t column, std::int64_t row) {
    return values_.data() + place(column, row);
  }
  [[nodiscard]] const double* at(std::int64_t column, std::int64_t row) const {
    return values_.data() + place(column, row);
  }
  [[nodiscard]] std::size_t size() const { return held_.cells(); }

  // The functions that the engine requires of a state.

  void reset(const Query& own, const Query& held) {
    own_ = own;
    held_ = held;
    stride_ = held.columns();
    values_.resize(held.cells());
  }
  void select(const Query& inside, const std::optional<Query>& outside, Selection& found) const {
    found.ranges_.clear();
    append_difference(inside.common(held_), outside.value_or(IndexRange{}), found.ranges_);
  }
  void keep_private(const std::optional<Query>& inner) { private_ = inner; }
  void select_border(Selection& found) const { select(own_, private_, found); }
  void mark_own() {}
  void drop_others() {}
  void encode(const Selection& border, const Query& requested, ByteWriter& out) const;
  void encode_own(ByteWriter& out) const;
  [[nodiscard]] bool decode(ByteReader& in);
  void arrange() {}
  void copy(const Query& query, Field& other) const;
  [[nodiscard]] std::optional<std::string> stray(const Selection& border, const Query& own,
                                                 std::span<const Query> others) const;
  [[nodiscard]] std::optional<std::string> misplaced(std::span<const Query> parts) const;
  /// Compares the cells that both hold; a cell that only one holds is a difference.
  [[nodiscard]] static std::optional<std::string> difference(const Field& a, const Field& b);
  /// Fills the field with NaN, to detect reads of cells outside the context.
  void poison();

 private:
  [[nodiscard]] std::size_t place(std::int64_t column, std::int64_t row) const {
    return static_cast<std::size_t>((row - held_.top) * stride_ + (column - held_.left));
  }
  [[nodiscard]] std::size_t stride_bytes() const {
    return static_cast<std::size_t>(stride_) * sizeof(double);
  }
  void write_range(const IndexRange& range, ByteWriter& out) const;

  IndexRange own_, held_;
  std::optional<IndexRange> private_;
  std::int64_t stride_ = 0;
  LargeVector<double> values_;
};

}  // namespace leeway::tick
