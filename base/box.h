// An axis-parallel box in the plane that holds its lower edges and not its upper ones, so that boxes side by
// side share no place; and how an area is cut into boxes. Edges may be infinite. Plain data.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "leeway/base/result.h"

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

}  // namespace leeway
