#include "leeway/runtime/piece/space.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "leeway/base/format.h"

namespace leeway::piece {

namespace {

std::vector<Rectangle> cut(const Rectangle& space, const Arrangement& grid) {
  std::vector<Rectangle> parts;
  for (std::uint32_t row = 0; row < grid.rows; ++row) {
    for (std::uint32_t column = 0; column < grid.columns; ++column) {
      parts.push_back({.left = space.left + space.width() * column / grid.columns,
                       .bottom = space.bottom + space.height() * row / grid.rows,
                       .right = space.left + space.width() * (column + 1) / grid.columns,
                       .top = space.bottom + space.height() * (row + 1) / grid.rows});
    }
  }
  return parts;
}

std::uint32_t slot(double at, double low, double size, std::uint32_t count) {
  const double place = (at - low) / size * count;
  if (!(place > 0)) return 0;
  return place < count ? static_cast<std::uint32_t>(place) : count - 1;
}

}  // namespace

Status admit_pieces(std::uint32_t workers, std::uint32_t pieces_a_worker) {
  constexpr std::uint64_t kMostPieces = std::uint64_t{1} << 22U;
  if (workers == 0 || pieces_a_worker == 0) {
    return fail(input_error("--pieces", "a partition of zero pieces holds nothing",
                            "give every worker one piece or more"));
  }
  if (std::uint64_t{workers} * pieces_a_worker > kMostPieces) {
    return fail(input_error("--pieces",
                            format("{} pieces on each of {} workers are more than memory holds",
                                   pieces_a_worker, workers),
                            format("give at most {} in all", kMostPieces)));
  }
  return {};
}

Arrangement arrangement(const Rectangle& space, std::uint32_t count) {
  Arrangement best{.columns = count, .rows = 1};
  double least = std::numeric_limits<double>::infinity();
  for (std::uint32_t rows = 1; rows <= count; ++rows) {
    if (count % rows != 0) continue;
    const std::uint32_t columns = count / rows;
    const double shape = std::abs(std::log((space.width() / columns) / (space.height() / rows)));
    if (shape < least) {
      least = shape;
      best = {.columns = columns, .rows = rows};
    }
  }
  return best;
}

std::vector<Rectangle> divide(const Rectangle& space, std::uint32_t workers) {
  return cut(space, arrangement(space, workers));
}

std::vector<Rectangle> partition(const Rectangle& part, std::uint32_t pieces) {
  return cut(part, arrangement(part, pieces));
}

Result<SpacePieces> SpacePieces::make(const Rectangle& space, std::uint32_t workers,
                                      std::uint32_t pieces_a_worker, double influence) {
  LEEWAY_TRY(admit_pieces(workers, pieces_a_worker));
  if (!(std::isfinite(space.width()) && space.width() > 0 && std::isfinite(space.height()) &&
        space.height() > 0 && std::isfinite(influence) && influence >= 0)) {
    return fail(input_error("space", format("{} x {} is no space", space.width(), space.height()),
                            "give finite sizes above 0"));
  }
  SpacePieces pieces;
  pieces.space_ = space;
  const Arrangement parts = arrangement(space, workers);
  const Rectangle first = divide(space, workers).front();
  const Arrangement within = arrangement(first, pieces_a_worker);
  pieces.columns_ = parts.columns * within.columns;
  pieces.rows_ = parts.rows * within.rows;
  std::vector<NodeId> homes;
  for (std::uint32_t row = 0; row < pieces.rows_; ++row) {
    for (std::uint32_t column = 0; column < pieces.columns_; ++column) {
      homes.emplace_back(row / within.rows * parts.columns + column / within.columns);
    }
  }
  pieces.regions_ = cut(space, {.columns = pieces.columns_, .rows = pieces.rows_});
  pieces.join(influence, std::move(homes));
  return pieces;
}

void SpacePieces::join(double influence, std::vector<NodeId> homes) {
  constexpr double kEndless = std::numeric_limits<double>::infinity();
  open_ = regions_;
  const double width = space_.width() / columns_;
  const double height = space_.height() / rows_;
  // One more than the distance needs: what stands on a border may be rounded to either side.
  const auto across =
      static_cast<std::int64_t>(std::min<double>(columns_, std::ceil(influence / width) + 1));
  const auto up =
      static_cast<std::int64_t>(std::min<double>(rows_, std::ceil(influence / height) + 1));
  std::vector<std::vector<PieceId>> needs(regions_.size());
  for (std::int64_t row = 0; row < rows_; ++row) {
    for (std::int64_t column = 0; column < columns_; ++column) {
      const auto index = static_cast<std::size_t>(row * columns_ + column);
      Rectangle& open = open_[index];
      if (column == 0) open.left = -kEndless;
      if (column + 1 == columns_) open.right = kEndless;
      if (row == 0) open.bottom = -kEndless;
      if (row + 1 == rows_) open.top = kEndless;
      for (std::int64_t r = std::max<std::int64_t>(row - up, 0);
           r <= std::min<std::int64_t>(row + up, rows_ - 1); ++r) {
        for (std::int64_t c = std::max<std::int64_t>(column - across, 0);
             c <= std::min<std::int64_t>(column + across, columns_ - 1); ++c) {
          const double apart_x =
              width * static_cast<double>(std::max<std::int64_t>(std::abs(c - column) - 1, 0));
          const double apart_y =
              height * static_cast<double>(std::max<std::int64_t>(std::abs(r - row) - 1, 0));
          const double slack = 1e-9 * (space_.width() + space_.height());
          if (apart_x > influence + slack || apart_y > influence + slack) continue;
          needs[index].emplace_back(static_cast<std::uint32_t>(r * columns_ + c));
        }
      }
    }
  }
  layout_ = PieceLayout(std::move(homes), needs);
}

PieceId SpacePieces::at(double x, double y) const {
  return PieceId(slot(y, space_.bottom, space_.height(), rows_) * columns_ +
                 slot(x, space_.left, space_.width(), columns_));
}

}  // namespace leeway::piece
