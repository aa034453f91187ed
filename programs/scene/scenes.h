// Simulated scenes, for all engines and without their code: a school of fish (Couzin, Krause, Franks & Levin, Nature
// 433, 2005), the same school with food, bodies that attract each other, and heat in a plate. For each: state, law of
// motion, and initial scenes. Pure functions. Influences are summed as integers, so the order of summation does not matter, and each fish
// has its own random state. All engines therefore compute bitwise equal results.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"

namespace leeway::scene {

struct Fish {
  std::uint32_t id = 0;
  std::uint32_t goal =
      0;  ///< 0: follows others only; g: also swims towards `FishModel::goals[g - 1]`
  double x = 0, y = 0;
  double vx = 1, vy = 0;     ///< heading: a unit vector
  std::uint64_t random = 0;  ///< state of its random generator

  friend bool operator==(const Fish&, const Fish&) = default;
};

struct Heading {
  double x = 1, y = 0;
};

/// Lengths are in body lengths, times in ticks. Requires visibility >= personal space > 0 and reach > 0.
struct FishModel {
  double width = 100, height = 100;  ///< basin; its walls reflect fish
  double visibility = 6;             ///< V: maximum distance at which fish see each other
  double reach = 0.2;                ///< R: distance that a fish swims per tick
  double personal = 1;               ///< fish flee from fish within this distance
  double turn = 0.4;                 ///< maximum turn per tick, in radians
  double noise = 0.01;               ///< standard deviation of the heading, in radians
  double insistence = 0.5;           ///< weight of a goal relative to other fish
  std::array<Heading, 2> goals = {Heading{1, 0}, Heading{0, 1}};
};

/// The sum of influences of other fish on one fish. Exact: independent of order and grouping.
struct Influence {
  std::int64_t away_x = 0, away_y = 0;      ///< away from fish that are too near
  std::int64_t toward_x = 0, toward_y = 0;  ///< towards the other fish
  std::int64_t along_x = 0, along_y = 0;    ///< the other fish's headings
  std::uint32_t near = 0, seen = 0;

  void add(const Influence& other);
  friend bool operator==(const Influence&, const Influence&) = default;
};

/// Adds the influence of `other` on `fish`; nothing if it is out of sight or is the fish itself.
inline void observe(const FishModel& model, const Fish& fish, const Fish& other, Influence& sum) {
  constexpr double kUnit = 0x1.0p40;  // unit of the integer sums
  const double dx = other.x - fish.x;
  const double dy = other.y - fish.y;
  const double square = dx * dx + dy * dy;
  if (!(square <= model.visibility * model.visibility) || other.id == fish.id) return;
  const double scale = square > 0 ? kUnit / std::sqrt(square) : 0;  // equal positions: no direction
  const auto unit_x = static_cast<std::int64_t>(dx * scale);
  const auto unit_y = static_cast<std::int64_t>(dy * scale);
  if (square < model.personal * model.personal) {
    sum.away_x -= unit_x;
    sum.away_y -= unit_y;
    ++sum.near;
  }
  sum.toward_x += unit_x;
  sum.toward_y += unit_y;
  sum.along_x += static_cast<std::int64_t>(other.vx * kUnit);
  sum.along_y += static_cast<std::int64_t>(other.vy * kUnit);
  ++sum.seen;
}

/// The fish after one tick, given the sum of influences.
[[nodiscard]] Fish swim(const FishModel& model, const Fish& fish, const Influence& sum);

/// The initial random state of a fish, by its id.
[[nodiscard]] std::uint64_t random_state_of(std::uint64_t seed, std::uint32_t fish);
/// `count` fish at uniformly random positions with random headings. The first `informed` fish swim to the first goal,
/// and the next `informed` to the second if `goals` is 2. Ids are 0, 1, … in order.
[[nodiscard]] std::vector<Fish> school(const FishModel& model, std::uint32_t count,
                                       std::uint32_t informed, std::uint32_t goals,
                                       std::uint64_t seed);

/// All fish after one tick, in the same order, by cell lists: the sequential baseline of engines.
[[nodiscard]] std::vector<Fish> fish_tick(const FishModel& model, std::span<const Fish> fish);

// Fish with food. Fish swim as in a school, and are also attracted by visible pieces of food. Pieces drift. A fish takes
// a bite of every piece within its mouth in each tick; a piece without bites left grows again at a random place nearby.

/// A fish that eats.
struct Forager : Fish {
  static constexpr std::string_view kTable = "fish";
  std::uint64_t eaten = 0;  ///< number of bites it has taken

  friend bool operator==(const Forager&, const Forager&) = default;
};

struct Food {
  static constexpr std::string_view kTable = "food";
  std::uint32_t id = 0;
  std::uint32_t bites = 0;  ///< number of bites left
  double x = 0, y = 0;
  double vx = 0, vy = 0;     ///< drift per tick
  std::uint64_t random = 0;  ///< state of its random generator

  friend bool operator==(const Food&, const Food&) = default;
};

/// Requires sight > 0, mouth > 0, and drift and scatter less than the sides of the basin.
struct FoodModel {
  double sight = 4;         ///< distance at which fish see food
  double mouth = 1;         ///< distance at which fish eat
  double drift = 0.05;      ///< distance that food drifts per tick
  double scatter = 2;       ///< maximum distance per axis at which food grows again
  std::uint32_t bites = 6;  ///< number of bites of a new piece
  std::int64_t weight = 2;  ///< influence of a piece of food relative to a fish
};
/// The default food in a basin, which may be small.
[[nodiscard]] FoodModel food_in(const FishModel& model);

/// Adds the attraction of `piece` to the influences on `fish`; nothing if it is out of sight.
inline void smell(const FoodModel& model, const Fish& fish, const Food& piece, Influence& sum) {
  constexpr double kUnit = 0x1.0p40;  // as for `observe`
  const double dx = piece.x - fish.x;
  const double dy = piece.y - fish.y;
  const double square = dx * dx + dy * dy;
  if (!(square <= model.sight * model.sight)) return;
  const double scale = square > 0 ? kUnit / std::sqrt(square) : 0;
  sum.toward_x += model.weight * static_cast<std::int64_t>(dx * scale);
  sum.toward_y += model.weight * static_cast<std::int64_t>(dy * scale);
  ++sum.seen;
}
/// True if the fish takes a bite of the piece in this tick.
[[nodiscard]] inline bool eats(const FoodModel& model, const Fish& fish, const Food& piece) {
  const double dx = piece.x - fish.x;
  const double dy = piece.y - fish.y;
  return dx * dx + dy * dy <= model.mouth * model.mouth;
}
/// The piece after one tick in which fish have taken `bites` bites.
[[nodiscard]] Food after_bites(const FishModel& model, const FoodModel& food, const Food& piece,
                               std::uint32_t bites);

/// The initial random state of a piece of food, by its id.
[[nodiscard]] std::uint64_t food_random_state(std::uint64_t seed, std::uint32_t food);

/// Fish and food, both by id.
struct Pond {
  std::vector<Forager> fish;
  std::vector<Food> food;
};
/// The fish, which have eaten nothing, with `count` pieces of food at uniformly random positions.
[[nodiscard]] Pond pond(const FishModel& model, const FoodModel& food, std::span<const Fish> fish,
                        std::uint32_t count, std::uint64_t seed);

// Bodies that attract each other up to a cut-off distance, in a box with walls; some are bound to traps. Pulls are
// summed in units of 2^-40, so the order of summation does not matter.
struct Body {
  double x = 0;
  double y = 0;
  double vx = 0;
  double vy = 0;
  std::uint32_t id = 0;
  std::uint32_t trap = 0;  ///< 0: free; else the number of its trap, from 1

  friend bool operator==(const Body&, const Body&) = default;
};

/// Pulls its bodies towards its centre like a spring, so that they gather and disperse periodically.
struct Trap {
  double x = 0;
  double y = 0;
  double stiffness = 0;  ///< acceleration per distance
};

struct NBodyModel {
  double width = 1000;
  double height = 1000;
  double radius = 4;  ///< r: maximum distance of attraction
  double reach = 8;   ///< maximum movement per tick
  double strength = 0.01;
  double softening = 0.5;
  std::vector<Trap> traps;
};

/// A sum of pulls, exact.
struct Pull {
  std::int64_t x = 0;
  std::int64_t y = 0;

  Pull& operator+=(const Pull& more) {
    x += more.x;
    y += more.y;
    return *this;
  }
};

/// The pull of `other` on `body`; nothing beyond the radius.
[[nodiscard]] inline Pull pull_of(const NBodyModel& model, const Body& body, const Body& other) {
  constexpr double kUnits = 0x1.0p40;
  const double dx = other.x - body.x;
  const double dy = other.y - body.y;
  const double square = dx * dx + dy * dy;
  if (square > model.radius * model.radius) return {};
  const double soft = square + model.softening * model.softening;
  const double scale = model.strength * kUnits / (soft * std::sqrt(soft));
  return {std::llround(dx * scale), std::llround(dy * scale)};
}

/// The body after one tick under `pull`.
[[nodiscard]] Body moved(const NBodyModel& model, const Body& body, const Pull& pull);

/// Returns an Input error for bodies outside the box, values that are not finite, unknown traps, and duplicate ids.
Status admit_bodies(const NBodyModel& model, const std::vector<Body>& bodies);

struct NBodyScene {
  std::uint32_t bodies = 1000;
  std::uint32_t groups = 4;  ///< number of traps; each group has its own phase
  double grouped = 0.5;      ///< share of bodies that belong to groups
  double period = 16;        ///< ticks per oscillation of a group
  double gathering = 0.25;   ///< minimum radius of a group, relative to its radius
  double group_radius = 0;   ///< 0: an eighth of the box's smaller side
  double uneven = 0;         ///< density gradient of the free bodies; 0: uniform, up to 1
  std::uint64_t seed = 1;
};
/// Also sets `model.traps`. Equal scenes give equal bodies on every machine.
[[nodiscard]] std::vector<Body> nbody_scene(const NBodyScene& scene, NBodyModel& model);

// Heat in a plate, relaxed by Jacobi's method: each inner cell becomes the mean of its four neighbours, added in a
// fixed order; the rim keeps its values. Works row by row, so that all engines use the same arithmetic on their
// blocks and get the bits of a single loop.

/// Cells are (column, row), from 0, in row-major order.
struct Plate {
  std::uint32_t columns = 0;
  std::uint32_t rows = 0;

  [[nodiscard]] std::size_t cells() const { return std::size_t{columns} * rows; }
  [[nodiscard]] bool rim(std::uint32_t column, std::uint32_t row) const {
    return column == 0 || row == 0 || column + 1 == columns || row + 1 == rows;
  }
};

/// Initial value of a cell: the upper rim is hot, the rest of the rim cold, the interior random by position and seed,
/// so that all cells differ.
[[nodiscard]] inline double first_heat(const Plate& plate, std::uint32_t column, std::uint32_t row,
                                       std::uint64_t seed) {
  if (row == 0) return 100;
  if (plate.rim(column, row)) return 0;
  const std::uint64_t place = std::uint64_t{row} << 32U | column;
  return static_cast<double>(mix64(seed ^ mix64(place)) >> 11U) * 0x1.0p-53 * 100;
}

/// Relaxes `count` inner cells of one row. `above`, `here` and `below` point to the first cell's column in three rows
/// of the old plate; `here` is read one cell to either side. `next` must not overlap them.
inline void relax_row(const double* above, const double* here, const double* below,
                      double* __restrict__ next, std::size_t count) {
  const double* const west = here - 1;
  const double* const east = here + 1;
  for (std::size_t i = 0; i < count; ++i) {
    next[i] = ((west[i] + east[i]) + (above[i] + below[i])) * 0.25;
  }
}

/// The initial plate.
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
