// A ready-made query over the cells of a matrix: a block of columns and rows, the upper bounds left out.
// Plain data; places are signed so that a block may be grown past a matrix's rim and cut back.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace leeway::tick {

struct Cell {
  std::int64_t column = 0;
  std::int64_t row = 0;

  friend bool operator==(const Cell&, const Cell&) = default;
};

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
  /// Wider by `by` on every side, within `matrix`.
  [[nodiscard]] IndexRange grown(std::int64_t by, const IndexRange& matrix) const {
    if (empty()) return {};
    return IndexRange{left - by, top - by, right + by, bottom + by}.common(matrix);
  }
  /// Narrower by `by` on every side but those at the rim of `matrix`, past which there is nothing.
  [[nodiscard]] IndexRange shrunk(std::int64_t by, const IndexRange& matrix) const {
    const IndexRange inner = {
        left == matrix.left ? left : left + by, top == matrix.top ? top : top + by,
        right == matrix.right ? right : right - by, bottom == matrix.bottom ? bottom : bottom - by};
    return inner.empty() ? IndexRange{} : inner;
  }
  /// The smallest range that holds both.
  [[nodiscard]] IndexRange hull(const IndexRange& other) const {
    if (empty()) return other;
    if (other.empty()) return *this;
    return {std::min(left, other.left), std::min(top, other.top), std::max(right, other.right),
            std::max(bottom, other.bottom)};
  }
  [[nodiscard]] std::string describe() const;

  friend bool operator==(const IndexRange&, const IndexRange&) = default;
};

/// At most four ranges: what `whole` holds and `hole` does not. Appended to `pieces`.
void append_difference(const IndexRange& whole, const IndexRange& hole,
                       std::vector<IndexRange>& pieces);

/// `count` blocks, as square as they come, that tile `matrix`; some are empty if there are more of them
/// than rows and columns allow.
[[nodiscard]] std::vector<IndexRange> grid_ranges(const IndexRange& matrix, std::uint32_t count);

}  // namespace leeway::tick
