// The heated plate compared with its stationary solution.
#include <catch2/catch.hpp>
#include <cmath>

#include "programs/reference/oracles.h"
#include "programs/scene/scenes.h"

using namespace leeway;
using scene::Plate;

TEST_CASE("a plate converges to the mean of its neighbours everywhere") {
  const Plate plate{24, 17};
  const auto heat = reference::plate_after(plate, scene::first_plate(plate, 1), 4000);
  for (std::uint32_t row = 1; row + 1 < plate.rows; ++row) {
    for (std::uint32_t column = 1; column + 1 < plate.columns; ++column) {
      const double* const cell = &heat[std::size_t{row} * plate.columns + column];
      const double mean = (cell[-1] + cell[1] + cell[-24] + cell[24]) / 4;
      REQUIRE(cell[0] == Approx(mean).margin(1e-9));
      REQUIRE((cell[0] > 0 && cell[0] < 100));
    }
  }
}

TEST_CASE("a harmonic function is stationary") {
  const Plate plate{9, 9};
  std::vector<double> heat(plate.cells());
  for (std::uint32_t row = 0; row < 9; ++row) {
    for (std::uint32_t column = 0; column < 9; ++column) {
      heat[row * 9 + column] = column * column - 1.0 * row * row;
    }
  }
  CHECK(reference::plate_after(plate, heat, 50) == heat);
}

TEST_CASE("the boundary keeps its heat, and plates without interior are constant") {
  for (const Plate plate : {Plate{1, 1}, Plate{2, 5}, Plate{5, 1}, Plate{3, 3}, Plate{7, 4}}) {
    const auto before = scene::first_plate(plate, 3);
    const auto after = reference::plate_after(plate, before, 10);
    for (std::uint32_t row = 0; row < plate.rows; ++row) {
      for (std::uint32_t column = 0; column < plate.columns; ++column) {
        if (!plate.rim(column, row)) continue;
        const std::size_t cell = std::size_t{row} * plate.columns + column;
        REQUIRE(after[cell] == before[cell]);
      }
    }
  }
}
