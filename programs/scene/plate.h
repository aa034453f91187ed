// Heat in a square plate, relaxed by Jacobi's method: each inner cell becomes the mean of its four
// neighbours, added in one fixed order; the rim keeps its heat. One row at a time, so that every engine steps
// its block of the plate with the same arithmetic, and gets the bits that one loop over the whole gives.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "leeway/base/mix.h"

namespace leeway::scene {

/// Cells are (column, row), both from 0, kept row by row.
struct Plate {
  std::uint32_t columns = 0;
  std::uint32_t rows = 0;

  [[nodiscard]] std::size_t cells() const { return std::size_t{columns} * rows; }
  [[nodiscard]] bool rim(std::uint32_t column, std::uint32_t row) const {
    return column == 0 || row == 0 || column + 1 == columns || row + 1 == rows;
  }
};

/// One cell's heat before the first tick: the upper rim is hot, the rest of the rim cold, the inside
/// random by place and seed, so that every cell differs.
[[nodiscard]] inline double first_heat(const Plate& plate, std::uint32_t column, std::uint32_t row,
                                       std::uint64_t seed) {
  if (row == 0) return 100;
  if (plate.rim(column, row)) return 0;
  const std::uint64_t place = std::uint64_t{row} << 32U | column;
  return static_cast<double>(mix64(seed ^ mix64(place)) >> 11U) * 0x1.0p-53 * 100;
}

/// `count` inner cells of one row: `above`, `here` and `below` point at the first one's column in three
/// rows of the old plate; `here` may be read one cell to either side. `next` overlaps none of them.
inline void relax_row(const double* above, const double* here, const double* below,
                      double* __restrict__ next, std::size_t count) {
  const double* const west = here - 1;
  const double* const east = here + 1;
  for (std::size_t i = 0; i < count; ++i) {
    next[i] = ((west[i] + east[i]) + (above[i] + below[i])) * 0.25;
  }
}

/// The whole plate before the first tick.
[[nodiscard]] inline std::vector<double> first_plate(const Plate& plate, std::uint64_t seed) {
  std::vector<double> heat(plate.cells());
  for (std::uint32_t row = 0; row < plate.rows; ++row) {
    for (std::uint32_t column = 0; column < plate.columns; ++column) {
      heat[std::size_t{row} * plate.columns + column] = first_heat(plate, column, row, seed);
    }
  }
  return heat;
}

}  // namespace leeway::scene
