#include "leeway/runtime/tick/index_range.h"

#include "leeway/base/box.h"
#include "leeway/base/check.h"
#include "leeway/base/format.h"

namespace leeway::tick {

std::string IndexRange::describe() const {
  if (empty()) return "no cells";
  return format("columns {}..{}, rows {}..{}", left, right - 1, top, bottom - 1);
}

void append_difference(const IndexRange& whole, const IndexRange& hole,
                       std::vector<IndexRange>& pieces) {
  const IndexRange cut = whole.common(hole);
  const auto add = [&](const IndexRange& piece) {
    if (!piece.empty()) pieces.push_back(piece);
  };
  if (cut.empty()) {
    add(whole);
    return;
  }
  add({whole.left, whole.top, whole.right, cut.top});
  add({whole.left, cut.top, cut.left, cut.bottom});
  add({cut.right, cut.top, whole.right, cut.bottom});
  add({whole.left, cut.bottom, whole.right, whole.bottom});
}

std::vector<IndexRange> grid_ranges(const IndexRange& matrix, std::uint32_t count) {
  LEEWAY_CHECK(count != 0u);
  const double aspect =
      static_cast<double>(matrix.columns() + 1) / static_cast<double>(matrix.rows() + 1);
  // Turned by a quarter: of two shapes as good, more rows, for what lies along a row leaves in one piece.
  const auto [rows, columns] = grid_shape(1 / aspect, count);
  std::vector<IndexRange> ranges;
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t column = 0; column < columns; ++column) {
      ranges.push_back({matrix.left + matrix.columns() * column / columns,
                        matrix.top + matrix.rows() * row / rows,
                        matrix.left + matrix.columns() * (column + 1) / columns,
                        matrix.top + matrix.rows() * (row + 1) / rows});
    }
  }
  return ranges;
}

}  // namespace leeway::tick
