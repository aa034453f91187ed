// Heat in a square plate, relaxed by Jacobi's method: each inner cell becomes the mean of its four
// neighbours, added in one fixed order; the rim keeps its heat. One row at a time, so that whoever steps
// a block of the plate steps it with the same arithmetic, and gets the same bits, as the whole.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "leeway/base/mix.h"

namespace leeway::reference {

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

/// One tick of the whole plate, from `heat` to `next`: the sequential update GSTEP. Requires both to have
/// plate.cells() cells.
inline void jacobi_tick(const Plate& plate, std::span<const double> heat, std::span<double> next) {
  const std::size_t width = plate.columns;
  for (std::size_t row = 0; row < plate.rows; ++row) {
    const double* const here = heat.data() + row * width;
    double* const into = next.data() + row * width;
    const bool inner = row > 0 && row + 1 < plate.rows && width > 2;
    if (!inner) {
      for (std::size_t i = 0; i < width; ++i) into[i] = here[i];
      continue;
    }
    into[0] = here[0];
    relax_row(here + 1 - width, here + 1, here + 1 + width, into + 1, width - 2);
    into[width - 1] = here[width - 1];
  }
}

/// The plate after so many ticks.
[[nodiscard]] inline std::vector<double> jacobi(const Plate& plate, std::vector<double> heat,
                                                std::uint32_t ticks) {
  std::vector<double> next(heat.size());
  for (std::uint32_t tick = 0; tick < ticks; ++tick) {
    jacobi_tick(plate, heat, next);
    std::swap(heat, next);
  }
  return heat;
}

}  // namespace leeway::reference
