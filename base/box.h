// An axis-parallel box in the plane that holds its lower edges and not its upper ones, so that boxes side by
// side share no place; and how an area is cut into boxes. Edges may be infinite. Plain data.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "base/check.h"
#include "leeway/result.h"

namespace leeway {

struct Point {
  double x = 0, y = 0;
};

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
    // Whole sentences of comparisons, no branches: it is asked of every tuple, several times a tick.
    return ((place.x >= left) & (place.x < right) & (place.y >= bottom) & (place.y < top)) != 0;
  }
  /// Whether it selects a tuple that has a place.
  template <class Tuple>
  [[nodiscard]] bool contains(const Tuple& tuple) const {
    return holds({tuple.x, tuple.y});
  }
  /// Wider by `by` on every side; an empty box stays empty. Requires by >= 0.
  [[nodiscard]] Box grown(double by) const {
    return empty() ? *this : Box{left - by, bottom - by, right + by, top + by};
  }
  /// Narrower by `by` on every side, perhaps empty.
  [[nodiscard]] Box shrunk(double by) const {
    return empty() ? *this : Box{left + by, bottom + by, right - by, top - by};
  }
  /// Whether no place lies in both: DISJOINT.
  [[nodiscard]] bool disjoint(const Box& other) const {
    return empty() || other.empty() || right <= other.left || other.right <= left ||
           top <= other.bottom || other.top <= bottom;
  }
  [[nodiscard]] std::string describe() const;

  friend bool operator==(const Box&, const Box&) = default;
};

/// How many columns and rows equal boxes stand in.
struct GridShape {
  std::uint32_t columns = 1;
  std::uint32_t rows = 1;
};
/// The shape in which `count` equal boxes are as square as their number allows, where the area is `aspect` times as
/// wide as it is high; of two shapes as good, the one with fewer rows.
[[nodiscard]] GridShape grid_shape(double aspect, std::uint32_t count);

/// A finite area cut into equal boxes, row by row.
[[nodiscard]] std::vector<Box> cut_box(const Box& area, const GridShape& shape);
/// The boxes at the rim of such a grid reach to infinity from then on: they tile the plane.
void open_rim(const GridShape& shape, std::vector<Box>& boxes);

/// `count` boxes of equal size, as square as they come, that tile `area`; those at its rim reach to
/// infinity, so they tile the plane.
[[nodiscard]] std::vector<Box> grid_boxes(const Box& area, std::uint32_t count);

/// A quadtree over the places with exactly `count` leaves: quarters that hold about equally many places
/// for each leaf to come out of them, halves where fewer than four are due. They tile the plane.
[[nodiscard]] std::vector<Box> quadtree_boxes(std::span<const Point> places, std::uint32_t count);

// Finds the tuples near a place: those of a table sorted into square cells, each looked up by nine cells. The
// cells are anchored at the origin and visited in one order, the tuples of a cell in the order of their ids;
// so however much of the state a table holds, whoever sums over what is in sight gets the same bits.

/// Keeps copies of the tuples, cell by cell. Tuples have `id`, `x` and `y`, finite.
template <class Tuple>
class CellIndex {
 public:
  /// Requires side > 0: nothing farther than that from a place need be found.
  void fill(std::span<const Tuple> tuples, double side) {
    LEEWAY_CHECK(side > 0);
    per_side_ = 1 / side;
    size_for(tuples);
    start_.assign(static_cast<std::size_t>(columns_ * rows_) + 1, 0);
    for (const Tuple& tuple : tuples) ++start_[slot_of(tuple) + 1];
    for (std::size_t i = 1; i < start_.size(); ++i) start_[i] += start_[i - 1];
    sorted_.resize(tuples.size());
    // Filling from each cell's start moves it to the next one's: one back afterwards.
    for (const Tuple& tuple : tuples) sorted_[start_[slot_of(tuple)]++] = tuple;
    for (std::size_t i = start_.size() - 1; i > 0; --i) start_[i] = start_[i - 1];
    start_[0] = 0;
    for (std::size_t i = 0; i + 1 < start_.size(); ++i) sort_by_id(start_[i], start_[i + 1]);
  }

  /// Calls `visit` with every tuple at most `side` from (x, y), and with some that are farther.
  template <class Visit>
  void around(double x, double y, Visit&& visit) const {
    if (sorted_.empty()) return;
    const std::int64_t column = cell(x);
    const std::int64_t row = cell(y);
    for (std::int64_t r = row - 1; r <= row + 1; ++r) {
      const std::size_t first = slot_at(column - 1, r);
      const std::size_t last = slot_at(column + 1, r);
      if (first < last) {  // three slots side by side: one run of tuples
        for (std::uint32_t i = start_[first]; i < start_[last + 1]; ++i) visit(sorted_[i]);
        continue;
      }
      for (std::int64_t c = column - 1; c <= column + 1; ++c) {  // round the torus
        const std::size_t slot = slot_at(c, r);
        for (std::uint32_t i = start_[slot]; i < start_[slot + 1]; ++i) visit(sorted_[i]);
      }
    }
  }

 private:
  [[nodiscard]] std::int64_t cell(double value) const {
    constexpr double kFar = 4e15;  // beyond this, neighbouring doubles are no longer cells apart
    const double floor = std::floor(value * per_side_);
    if (!(floor > -kFar)) return -static_cast<std::int64_t>(kFar);
    return static_cast<std::int64_t>(std::min(floor, kFar));
  }
  /// Cells share slots where the plane is larger than the slots' torus. What else lies in a slot is out of
  /// sight, and does not come between those that are in sight.
  [[nodiscard]] std::size_t slot_at(std::int64_t column, std::int64_t row) const {
    return static_cast<std::size_t>((row & (rows_ - 1)) * columns_ + (column & (columns_ - 1)));
  }
  [[nodiscard]] std::size_t slot_of(const Tuple& tuple) const {
    return slot_at(cell(tuple.x), cell(tuple.y));
  }

  /// A torus of powers of two about as large as what the tuples span, and not much larger than they
  /// are many; at least 4 each way, so that nine cells have nine slots.
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
