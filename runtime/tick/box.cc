#include "leeway/runtime/tick/box.h"

#include <algorithm>
#include <cmath>

#include "leeway/base/check.h"
#include "leeway/base/format.h"

namespace leeway {

namespace {

constexpr double kFar = std::numeric_limits<double>::infinity();

/// Rows of the grid: the divisor of `count` nearest below its root that suits the area's shape.
std::uint32_t grid_rows(const Box& area, std::uint32_t count) {
  const double wide = (area.right - area.left) / (area.top - area.bottom);
  std::uint32_t best = 1;
  double least = kFar;
  for (std::uint32_t rows = 1; rows <= count; ++rows) {
    if (count % rows != 0) continue;
    const double shape = wide * rows / (static_cast<double>(count) / rows);  // 1: square boxes
    const double off = std::abs(std::log(shape));
    if (off < least) {
      least = off;
      best = rows;
    }
  }
  return best;
}

/// Splits a box by the places in it; both halves get places in proportion to their leaves.
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
  /// Where an empty box is cut.
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

std::vector<Box> grid_boxes(const Box& area, std::uint32_t count) {
  LEEWAY_CHECK(count != 0u);
  LEEWAY_CHECK(!area.empty());
  const std::uint32_t rows = grid_rows(area, count);
  const std::uint32_t columns = count / rows;
  const auto cut = [](double low, double high, std::uint32_t at, std::uint32_t of) {
    if (at == 0) return -kFar;
    return at == of ? kFar : low + (high - low) * at / of;
  };
  std::vector<Box> boxes;
  for (std::uint32_t row = 0; row < rows; ++row) {
    for (std::uint32_t column = 0; column < columns; ++column) {
      boxes.push_back({cut(area.left, area.right, column, columns),
                       cut(area.bottom, area.top, row, rows),
                       cut(area.left, area.right, column + 1, columns),
                       cut(area.bottom, area.top, row + 1, rows)});
    }
  }
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
