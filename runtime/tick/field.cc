#include "runtime/tick/field.h"

#include <algorithm>

#include "base/box.h"
#include "base/check.h"
#include "base/format.h"

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
  // Prefer more rows to more columns: a part of a row is then contiguous in a message.
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

namespace {

/// Bounds are zigzag varints, so that small negative numbers are short too.
void write_bound(std::int64_t bound, ByteWriter& out) {
  const auto bits = static_cast<std::uint64_t>(bound);
  out.varint((bits << 1U) ^ (bound < 0 ? ~std::uint64_t{0} : 0));
}

std::int64_t read_bound(ByteReader& in) {
  const std::uint64_t bits = in.varint();
  return static_cast<std::int64_t>((bits >> 1U) ^ (~(bits & 1U) + 1));
}

/// Copies rows with the given strides. A single column has a separate loop, because a call of memcpy for each cell
/// would cost more than the copy.
void copy_rows(const std::byte* from, std::size_t from_stride, std::byte* to, std::size_t to_stride,
               std::size_t row_bytes, std::int64_t rows) {
  if (row_bytes == sizeof(double)) {
    for (std::int64_t row = 0; row < rows; ++row, from += from_stride, to += to_stride)
      std::memcpy(to, from, sizeof(double));
    return;
  }
  for (std::int64_t row = 0; row < rows; ++row, from += from_stride, to += to_stride)
    std::memcpy(to, from, row_bytes);
}

bool holds_all(const IndexRange& outer, const IndexRange& inner) {
  return outer.common(inner) == inner;
}

}  // namespace

void Field::write_range(const IndexRange& range, ByteWriter& out) const {
  write_bound(range.left, out);
  write_bound(range.top, out);
  write_bound(range.right, out);
  write_bound(range.bottom, out);
  const auto width = static_cast<std::size_t>(range.columns());
  const std::size_t row_bytes = width * sizeof(double);
  if (range.rows() == 1) return out.raw(std::as_bytes(std::span(at(range.left, range.top), width)));
  std::byte* const to = out.extend(row_bytes * static_cast<std::size_t>(range.rows()));
  copy_rows(reinterpret_cast<const std::byte*>(at(range.left, range.top)), stride_bytes(), to,
            row_bytes, row_bytes, range.rows());
}

void Field::encode(const Selection& border, const Query& requested, ByteWriter& out) const {
  std::uint64_t count = 0;
  for (const IndexRange& range : border.ranges()) count += range.disjoint(requested) ? 0 : 1;
  out.varint(count);
  for (const IndexRange& range : border.ranges()) {
    if (!range.disjoint(requested)) write_range(range.common(requested), out);
  }
}

void Field::encode_own(ByteWriter& out) const {
  out.varint(own_.empty() ? 0 : 1);
  if (!own_.empty()) write_range(own_, out);
}

bool Field::decode(ByteReader& in) {
  for (std::uint64_t left = in.varint(); left > 0 && !in.failed(); --left) {
    IndexRange range;
    range.left = read_bound(in);
    range.top = read_bound(in);
    range.right = read_bound(in);
    range.bottom = read_bound(in);
    if (range.empty() || !holds_all(held_, range)) return false;
    const auto bytes = in.raw(range.cells() * sizeof(double));
    if (in.failed()) return false;
    const std::size_t row_bytes = static_cast<std::size_t>(range.columns()) * sizeof(double);
    copy_rows(bytes.data(), row_bytes, reinterpret_cast<std::byte*>(at(range.left, range.top)),
              stride_bytes(), row_bytes, range.rows());
  }
  return !in.failed();
}

void Field::copy(const Query& query, Field& other) const {
  const IndexRange range = query.common(held_).common(other.held_);
  for (std::int64_t row = range.top; row < range.bottom && !range.empty(); ++row) {
    std::memcpy(other.at(range.left, row), at(range.left, row),
                static_cast<std::size_t>(range.columns()) * sizeof(double));
  }
}

std::optional<std::string> Field::stray(const Selection& border, const Query& own,
                                        std::span<const Query> others) const {
  (void)border, (void)own, (void)others;  // cells do not move
  return std::nullopt;
}

std::optional<std::string> Field::misplaced(std::span<const Query> parts) const {
  std::uint64_t covered = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    covered += parts[i].common(held_).cells();
    for (std::size_t j = 0; j < i; ++j) {
      if (parts[i].disjoint(parts[j])) continue;
      return format("{} are in parts {} and {}", parts[i].common(parts[j]).describe(), j, i);
    }
  }
  if (covered == held_.cells()) return std::nullopt;
  return format("{} of {} cells are in no part", held_.cells() - covered, held_.cells());
}

std::optional<std::string> Field::difference(const Field& a, const Field& b) {
  if (!(a.held_ == b.held_)) return a.held_.describe() + " against " + b.held_.describe();
  for (std::int64_t row = a.held_.top; row < a.held_.bottom; ++row) {
    for (std::int64_t column = a.held_.left; column < a.held_.right; ++column) {
      const double first = *a.at(column, row);
      const double second = *b.at(column, row);
      if (std::memcmp(&first, &second, sizeof first) == 0) continue;
      return format("column {}, row {}: {} against {}", column, row, first, second);
    }
  }
  return std::nullopt;
}

void Field::poison() {
  std::fill(values_.begin(), values_.end(), std::numeric_limits<double>::quiet_NaN());
}

}  // namespace leeway::tick
