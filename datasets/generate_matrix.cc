// Matrices of stencils on grids.
#include <array>
#include <cmath>
#include <numbers>

#include "leeway/datasets/generate.h"
#include "leeway/datasets/generate_parts.h"

namespace leeway {

namespace {

struct Entry {
  int dx, dy, dz;
  double value;
};

/// In ascending order of the neighbour's number.
std::array<Entry, 11> entries_of(const Stencil& s) {
  return {{{0, 0, -1, s.below},
           {-1, -1, 0, s.along},
           {0, -1, 0, s.south},
           {1, -1, 0, s.across},
           {-1, 0, 0, s.west},
           {0, 0, 0, s.centre},
           {1, 0, 0, s.east},
           {-1, 1, 0, s.across},
           {0, 1, 0, s.north},
           {1, 1, 0, s.along},
           {0, 0, 1, s.above}}};
}

}  // namespace

Result<ListedGraph> list_stencil(std::uint32_t width, std::uint32_t height, std::uint32_t depth,
                                 const Stencil& stencil, const LoadOptions& options) {
  const std::uint64_t plane = std::uint64_t{width} * height;
  const auto entries = entries_of(stencil);
  const bool diagonals =
      stencil.along < 0 || stencil.along > 0 || stencil.across < 0 || stencil.across > 0;
  const auto emit = [&](std::uint64_t row, EdgeChunkBuilder& builder) {
    const auto x = static_cast<std::int64_t>(row % width);
    const auto y = static_cast<std::int64_t>(row / width % height);
    const auto z = static_cast<std::int64_t>(row / plane);
    for (const Entry& entry : entries) {
      if (entry.dx != 0 && entry.dy != 0 && !diagonals) continue;
      const std::int64_t nx = x + entry.dx;
      const std::int64_t ny = y + entry.dy;
      const std::int64_t nz = z + entry.dz;
      if (nx < 0 || ny < 0 || nz < 0 || nx >= width || ny >= height || nz >= depth) continue;
      const auto column =
          static_cast<std::uint64_t>(nx + ny * width) + static_cast<std::uint64_t>(nz) * plane;
      builder.add(generators::vertex(row), generators::vertex(column), entry.value);
    }
  };
  return generators::listed(generators::make_edges(plane * depth, options, WeightKind::Real, emit),
                            static_cast<std::uint32_t>(plane * depth), true);
}

Stencil anisotropic_stencil(double epsilon, double degrees) {
  // The tensor turned: a u_xx + 2 b u_xy + c u_yy; the mixed difference lies on the four diagonals.
  const double angle = degrees * std::numbers::pi / 180;
  const bool turned = std::fmod(degrees, 90) < 0 || std::fmod(degrees, 90) > 0;
  const double cosine = std::cos(angle);
  const double sine = std::sin(angle);
  const double a = cosine * cosine + epsilon * sine * sine;
  const double b = turned ? (1 - epsilon) * cosine * sine : 0;
  const double c = sine * sine + epsilon * cosine * cosine;
  Stencil stencil;
  stencil.centre = 2 * (a + c);
  stencil.west = stencil.east = -a;
  stencil.south = stencil.north = -c;
  stencil.along = -b / 2;
  stencil.across = b / 2;
  return stencil;
}

Stencil atmosphere_stencil() {
  constexpr double kWind = 0.75;   // cell Péclet number: upwind differences along x
  constexpr double kLayers = 4.0;  // layers lie closer than columns
  Stencil stencil;
  stencil.west = -1 - kWind;
  stencil.east = -1;
  stencil.south = -1 - kWind / 2;
  stencil.north = -1;
  stencil.below = -kLayers;
  stencil.above = -kLayers;
  stencil.centre = -(stencil.west + stencil.east + stencil.south + stencil.north + stencil.below +
                     stencil.above);
  return stencil;
}

}  // namespace leeway
