// Axis-parallel boxes in the plane, ways to divide an area into boxes (grid, quadtree), and an index of tuples by square
// cells for neighbourhood queries.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "base/check.h"
#include "base/result.h"

namespace leeway {

struct Point {
  double x = 0, y = 0;
};

/// An axis-parallel box that includes its lower edges and excludes its upper edges, so adjacent boxes share no point. Edges
/// may be infinite.
struct Box {
  double left = 0, bottom = 0, right = 0, top = 0;

  [[nodiscard]] static Box everywhere() {
    constexpr double kFar = std::numeric_limits<double>::infinity();
    return {-kFar, -kFar, kFar, kFar};
  }
  [[nodiscard]] double width() const { return right - left; }
  [[nodiscard]] double height() const { return top - bottom; }
  [[nodiscard]] bool empty() const { return !(left < right && bottom < top); }
  [[nodiscard]] bool holds(Point place) const {
    // Without branches, because it is evaluated for every tuple several times in each tick.
    return ((place.x >= left) & (place.x < right) & (place.y >= bottom) & (place.y < top)) != 0;
  }
  /// True if the box contains the position of the tuple.
  template <class Tuple>
  [[nodiscard]] bool contains(const Tuple& tuple) const {
    return holds({tuple.x, tuple.y});
  }
  /// Grown by `by` on every side; an empty box stays empty. Requires by >= 0.
  [[nodiscard]] Box grown(double by) const {
    return empty() ? *this : Box{left - by, bottom - by, right + by, top + by};
  }
  /// Shrunk by `by` on every side; the result may be empty.
  [[nodiscard]] Box shrunk(double by) const {
    return empty() ? *this : Box{left + by, bottom + by, right - by, top - by};
  }
  /// The points that are in both boxes.
  [[nodiscard]] Box common(const Box& other) const {
    return {std::max(left, other.left), std::max(bottom, other.bottom),
            std::min(right, other.right), std::min(top, other.top)};
  }
  /// The smallest box that contains both.
  [[nodiscard]] Box united(const Box& other) const {
    if (empty()) return other;
    if (other.empty()) return *this;
    return {std::min(left, other.left), std::min(bottom, other.bottom),
            std::max(right, other.right), std::max(top, other.top)};
  }
  /// True if no point is in both boxes: DISJOINT.
  [[nodiscard]] bool disjoint(const Box& other) const {
    return empty() || other.empty() || right <= other.left || other.right <= left ||
           top <= other.bottom || other.top <= bottom;
  }
  [[nodiscard]] std::string describe() const;

  friend bool operator==(const Box&, const Box&) = default;
};

/// A grid of equal boxes.
struct GridShape {
  std::uint32_t columns = 1;
  std::uint32_t rows = 1;
};
/// The grid shape in which `count` equal boxes are as square as possible, for an area that is `aspect` times as wide as
/// high. Of two equally good shapes, the one with fewer rows.
[[nodiscard]] GridShape grid_shape(double aspect, std::uint32_t count);

/// Divides a finite area into equal boxes, in row order.
[[nodiscard]] std::vector<Box> cut_box(const Box& area, const GridShape& shape);
/// Extends the outer boxes of such a grid to infinity, so that the boxes tile the plane.
void open_rim(const GridShape& shape, std::vector<Box>& boxes);

/// `count` boxes of equal size, as square as possible, that tile `area`; the outer boxes extend to infinity, so the boxes
/// tile the plane.
[[nodiscard]] std::vector<Box> grid_boxes(const Box& area, std::uint32_t count);

/// The leaves of a tree over the places, with exactly `count` leaves. Boxes are halved alternately by x and by y, such that
/// each half has places in proportion to its number of leaves. The leaves tile the plane.
[[nodiscard]] std::vector<Box> quadtree_boxes(std::span<const Point> places, std::uint32_t count);

/// Finds the tuples near a position: copies of the tuples are sorted into square cells, and a query visits nine cells. Cells
/// are aligned to the origin and visited in a fixed order, the tuples of a cell in the order of their ids. So a sum over the
/// visible tuples has the same bits however large a part of the state the table holds. Tuples have finite `x` and `y`, and
/// an `id`.
template <class Tuple>
class CellIndex {
 public:
  /// `side` is the maximum distance of a query. Requires side > 0.
  void fill(std::span<const Tuple> tuples, double side) {
    LEEWAY_CHECK(side > 0);
    per_side_ = 1 / side;
    size_for(tuples);
    start_.assign(static_cast<std::size_t>(columns_ * rows_) + 1, 0);
    for (const Tuple& tuple : tuples) ++start_[slot_of(tuple) + 1];
    for (std::size_t i = 1; i < start_.size(); ++i) start_[i] += start_[i - 1];
    sorted_.resize(tuples.size());
    // Filling advances each cell's start to the start of the next cell; shift the starts back afterwards.
    for (const Tuple& tuple : tuples) sorted_[start_[slot_of(tuple)]++] = tuple;
    for (std::size_t i = start_.size() - 1; i > 0; --i) start_[i] = start_[i - 1];
    start_[0] = 0;
    for (std::size_t i = 0; i + 1 < start_.size(); ++i) sort_by_id(start_[i], start_[i + 1]);
  }

  /// Calls `visit` for every tuple at most `side` from (x, y), and for some that are farther.
  template <class Visit>
  void around(double x, double y, Visit&& visit) const {
    if (sorted_.empty()) return;
    const std::int64_t column = cell(x);
    const std::int64_t row = cell(y);
    for (std::int64_t r = row - 1; r <= row + 1; ++r) {
      const std::size_t first = slot_at(column - 1, r);
      const std::size_t last = slot_at(column + 1, r);
      if (first < last) {  // three adjacent slots: one contiguous range of tuples
        for (std::uint32_t i = start_[first]; i < start_[last + 1]; ++i) visit(sorted_[i]);
        continue;
      }
      for (std::int64_t c = column - 1; c <= column + 1; ++c) {  // the slots wrap around the torus
        const std::size_t slot = slot_at(c, r);
        for (std::uint32_t i = start_[slot]; i < start_[slot + 1]; ++i) visit(sorted_[i]);
      }
    }
  }

 private:
  [[nodiscard]] std::int64_t cell(double value) const {
    constexpr double kFar = 4e15;  // beyond this, adjacent doubles are more than a cell apart
    const double floor = std::floor(value * per_side_);
    if (!(floor > -kFar)) return -static_cast<std::int64_t>(kFar);
    return static_cast<std::int64_t>(std::min(floor, kFar));
  }
  /// Cells that are congruent on the torus of slots share a slot. The tuples of other cells in a slot are farther away than
  /// `side`, and do not change the relative order of the near ones.
  [[nodiscard]] std::size_t slot_at(std::int64_t column, std::int64_t row) const {
    return static_cast<std::size_t>((row & (rows_ - 1)) * columns_ + (column & (columns_ - 1)));
  }
  [[nodiscard]] std::size_t slot_of(const Tuple& tuple) const {
    return slot_at(cell(tuple.x), cell(tuple.y));
  }

  /// Chooses the size of the torus: powers of two, about the extent of the tuples, and a number of slots not much larger
  /// than the number of tuples; at least 4 in each direction, so that nine cells have nine slots.
  void size_for(std::span<const Tuple> tuples) {
    double wide = 1;
    double high = 1;
    if (!tuples.empty()) {
      const auto [left, right] = std::minmax_element(
          tuples.begin(), tuples.end(), [](const Tuple& a, const Tuple& b) { return a.x < b.x; });
      const auto [low, top] = std::minmax_element(
          tuples.begin(), tuples.end(), [](const Tuple& a, const Tuple& b) { return a.y < b.y; });
      wide = (right->x - left->x) * per_side_ + 1;
      high = (top->y - low->y) * per_side_ + 1;
    }
    const double most = 2.0 * static_cast<double>(tuples.size()) + 16;
    columns_ = rows_ = 4;
    while (static_cast<double>(columns_) < wide || static_cast<double>(rows_) < high) {
      if (static_cast<double>(columns_ * rows_) > most) break;
      const bool wider = wide / static_cast<double>(columns_) >= high / static_cast<double>(rows_);
      (wider ? columns_ : rows_) *= 2;
    }
  }

  void sort_by_id(std::uint32_t from, std::uint32_t to) {
    const auto less = [](const Tuple& a, const Tuple& b) { return a.id < b.id; };
    const auto begin = sorted_.begin() + from;
    const auto end = sorted_.begin() + to;
    if (!std::is_sorted(begin, end, less)) std::sort(begin, end, less);
  }

  double per_side_ = 1;
  std::int64_t columns_ = 4, rows_ = 4;
  std::vector<std::uint32_t> start_;
  std::vector<Tuple> sorted_;
};

}  // namespace leeway
