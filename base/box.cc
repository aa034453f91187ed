#include "base/box.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "base/format.h"

namespace leeway {

namespace {

constexpr double kFar = std::numeric_limits<double>::infinity();

/// Splits a box recursively; both halves get places in proportion to their numbers of leaves.
class Quadtree {
 public:
  explicit Quadtree(std::vector<Box>& leaves) : leaves_(leaves) {}

  void split(const Box& box, std::span<Point> places, std::uint32_t count, bool by_x) {
    if (count == 1) {
      leaves_.push_back(box);
      return;
    }
    const std::uint32_t low = count / 2;
    const auto less = [by_x](const Point& a, const Point& b) {
      return by_x ? a.x < b.x : a.y < b.y;
    };
    const std::size_t at = places.size() * low / count;
    double cut = middle(box, by_x);
    if (at < places.size()) {
      std::nth_element(places.begin(), places.begin() + static_cast<std::ptrdiff_t>(at),
                       places.end(), less);
      cut = by_x ? places[at].x : places[at].y;
    }
    Box first = box;
    Box second = box;
    (by_x ? first.right : first.top) = cut;
    (by_x ? second.left : second.bottom) = cut;
    const auto part = std::partition(places.begin(), places.end(), [&](const Point& place) {
      return (by_x ? place.x : place.y) < cut;
    });
    split(first, std::span(places.begin(), part), low, !by_x);
    split(second, std::span(part, places.end()), count - low, !by_x);
  }

 private:
  /// Where a box without places is cut.
  static double middle(const Box& box, bool by_x) {
    const double low = by_x ? box.left : box.bottom;
    const double high = by_x ? box.right : box.top;
    if (std::isfinite(low) && std::isfinite(high)) return (low + high) / 2;
    if (std::isfinite(low)) return low + 1;
    return std::isfinite(high) ? high - 1 : 0;
  }

  std::vector<Box>& leaves_;
};

}  // namespace

std::string Box::describe() const {
  return empty() ? "nowhere" : format("[{}, {}) x [{}, {})", left, right, bottom, top);
}

GridShape grid_shape(double aspect, std::uint32_t count) {
  constexpr double kTie = 1e-9;
  GridShape best{.columns = count, .rows = 1};
  double least = kFar;
  for (std::uint32_t rows = 1; rows <= count; ++rows) {
    if (count % rows != 0) continue;
    const std::uint32_t columns = count / rows;
    const double off = std::abs(std::log(aspect * rows / columns));  // 0: square boxes
    if (off < least - kTie) {
      least = off;
      best = {.columns = columns, .rows = rows};
    }
  }
  return best;
}

std::vector<Box> cut_box(const Box& area, const GridShape& shape) {
  const auto cut = [](double low, double high, std::uint32_t at, std::uint32_t of) {
    return low + (high - low) * at / of;
  };
  std::vector<Box> boxes;
  for (std::uint32_t row = 0; row < shape.rows; ++row) {
    for (std::uint32_t column = 0; column < shape.columns; ++column) {
      boxes.push_back({cut(area.left, area.right, column, shape.columns),
                       cut(area.bottom, area.top, row, shape.rows),
                       cut(area.left, area.right, column + 1, shape.columns),
                       cut(area.bottom, area.top, row + 1, shape.rows)});
    }
  }
  return boxes;
}

void open_rim(const GridShape& shape, std::vector<Box>& boxes) {
  for (std::uint32_t row = 0; row < shape.rows; ++row) {
    boxes[std::size_t{row} * shape.columns].left = -kFar;
    boxes[std::size_t{row + 1} * shape.columns - 1].right = kFar;
  }
  for (std::uint32_t column = 0; column < shape.columns; ++column) {
    boxes[column].bottom = -kFar;
    boxes[boxes.size() - 1 - column].top = kFar;
  }
}

std::vector<Box> grid_boxes(const Box& area, std::uint32_t count) {
  LEEWAY_CHECK(count != 0u);
  LEEWAY_CHECK(!area.empty());
  const GridShape shape = grid_shape(area.width() / area.height(), count);
  std::vector<Box> boxes = cut_box(area, shape);
  open_rim(shape, boxes);
  return boxes;
}

std::vector<Box> quadtree_boxes(std::span<const Point> places, std::uint32_t count) {
  LEEWAY_CHECK(count != 0u);
  std::vector<Point> sorted(places.begin(), places.end());
  std::vector<Box> leaves;
  Quadtree(leaves).split(Box::everywhere(), sorted, count, true);
  return leaves;
}

}  // namespace leeway
