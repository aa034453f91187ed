#include "leeway/runtime/piece/space.h"

#include <algorithm>
#include <cmath>

#include "leeway/base/format.h"

namespace leeway::piece {

namespace {

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

PieceGrid piece_grid(double aspect, std::uint32_t workers, std::uint32_t pieces_a_worker) {
  const GridShape parts = grid_shape(aspect, workers);
  return {parts, grid_shape(aspect * parts.rows / parts.columns, pieces_a_worker)};
}

Result<SpacePieces> SpacePieces::make(const Box& space, std::uint32_t workers,
                                      std::uint32_t pieces_a_worker, double influence) {
  LEEWAY_TRY(admit_pieces(workers, pieces_a_worker));
  if (!(std::isfinite(space.width()) && space.width() > 0 && std::isfinite(space.height()) &&
        space.height() > 0 && std::isfinite(influence) && influence >= 0)) {
    return fail(input_error("space", format("{} x {} is no space", space.width(), space.height()),
                            "give finite sizes above 0"));
  }
  SpacePieces pieces;
  pieces.space_ = space;
  const PieceGrid grid = piece_grid(space.width() / space.height(), workers, pieces_a_worker);
  pieces.shape_ = grid.whole();
  std::vector<NodeId> homes;
  for (std::uint32_t row = 0; row < pieces.shape_.rows; ++row) {
    for (std::uint32_t column = 0; column < pieces.shape_.columns; ++column) {
      homes.emplace_back(row / grid.within.rows * grid.parts.columns +
                         column / grid.within.columns);
    }
  }
  pieces.regions_ = cut_box(space, pieces.shape_);
  pieces.join(influence, std::move(homes));
  return pieces;
}

void SpacePieces::join(double influence, std::vector<NodeId> homes) {
  const auto [columns, rows] = shape_;
  open_ = regions_;
  open_rim(shape_, open_);
  const double width = space_.width() / columns;
  const double height = space_.height() / rows;
  // One more than the distance needs: what stands on a border may be rounded to either side.
  const auto across =
      static_cast<std::int64_t>(std::min<double>(columns, std::ceil(influence / width) + 1));
  const auto up =
      static_cast<std::int64_t>(std::min<double>(rows, std::ceil(influence / height) + 1));
  const double slack = 1e-9 * (space_.width() + space_.height());
  std::vector<std::vector<PieceId>> needs(regions_.size());
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t column = 0; column < columns; ++column) {
      const auto index = static_cast<std::size_t>(row * columns + column);
      for (std::int64_t r = std::max<std::int64_t>(row - up, 0);
           r <= std::min<std::int64_t>(row + up, rows - 1); ++r) {
        for (std::int64_t c = std::max<std::int64_t>(column - across, 0);
             c <= std::min<std::int64_t>(column + across, columns - 1); ++c) {
          const double apart_x =
              width * static_cast<double>(std::max<std::int64_t>(std::abs(c - column) - 1, 0));
          const double apart_y =
              height * static_cast<double>(std::max<std::int64_t>(std::abs(r - row) - 1, 0));
          if (apart_x > influence + slack || apart_y > influence + slack) continue;
          needs[index].emplace_back(static_cast<std::uint32_t>(r * columns + c));
        }
      }
    }
  }
  layout_ = PieceLayout(std::move(homes), needs);
}

PieceId SpacePieces::at(double x, double y) const {
  return PieceId(slot(y, space_.bottom, space_.height(), shape_.rows) * shape_.columns +
                 slot(x, space_.left, space_.width(), shape_.columns));
}

}  // namespace leeway::piece
