// A school of fish (Couzin, Krause, Franks & Levin, Nature 433, 2005) in a walled basin, stepped one tick at
// a time, for every engine: what one fish does to another, what a fish then does, and a plain tick made of
// these. Pure. Influences are added up as whole numbers, so the order in which neighbours are looked at never
// shows; each fish carries its own random state, so neither does the order of fish. Whoever steps the same
// school gets the same bits.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "leeway/result.h"

namespace leeway::scene {

struct Fish {
  std::uint32_t id = 0;
  std::uint32_t goal = 0;  ///< 0: follows others only; g: also drawn to `FishModel::goals[g - 1]`
  double x = 0, y = 0;
  double vx = 1, vy = 0;     ///< where it heads: a unit vector
  std::uint64_t random = 0;  ///< its own generator's state

  friend bool operator==(const Fish&, const Fish&) = default;
};

struct Heading {
  double x = 1, y = 0;
};

/// Lengths in body lengths, times in ticks. Requires visibility >= personal space > 0, 0 < reach.
struct FishModel {
  double width = 100, height = 100;  ///< of the basin, whose walls turn fish back
  double visibility = 6;             ///< V: farther fish are not seen
  double reach = 0.2;                ///< R: how far a fish swims in a tick, always
  double personal = 1;               ///< nearer fish are fled, before all else
  double turn = 0.4;                 ///< radians at most in a tick
  double noise = 0.01;               ///< standard deviation of the heading, radians
  double insistence = 0.5;           ///< the weight of a goal against the others' pull
  std::array<Heading, 2> goals = {Heading{1, 0}, Heading{0, 1}};
};

/// What the fish seen so far do to one fish. Exact: adding in any order and grouping gives the same.
struct Influence {
  std::int64_t away_x = 0, away_y = 0;      ///< from those too near
  std::int64_t toward_x = 0, toward_y = 0;  ///< to the others
  std::int64_t along_x = 0, along_y = 0;    ///< as the others head
  std::uint32_t near = 0, seen = 0;

  void add(const Influence& other);
  friend bool operator==(const Influence&, const Influence&) = default;
};

/// Adds what `other` does to `fish`; nothing if it is out of sight or the fish itself.
inline void observe(const FishModel& model, const Fish& fish, const Fish& other, Influence& sum) {
  constexpr double kUnit = 0x1.0p40;  // of the whole numbers that influences are added up in
  const double dx = other.x - fish.x;
  const double dy = other.y - fish.y;
  const double square = dx * dx + dy * dy;
  if (!(square <= model.visibility * model.visibility) || other.id == fish.id) return;
  const double scale = square > 0 ? kUnit / std::sqrt(square) : 0;  // one on top: no direction
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

/// The fish one tick later, once all it sees has been added up.
[[nodiscard]] Fish swim(const FishModel& model, const Fish& fish, const Influence& sum);

/// `count` fish spread evenly at random, heading anywhere; the first `informed` of them drawn to the
/// first goal, as many more to the second if `goals` is 2. Ids are 0, 1, … in the order given.
[[nodiscard]] std::vector<Fish> school(const FishModel& model, std::uint32_t count,
                                       std::uint32_t informed, std::uint32_t goals,
                                       std::uint64_t seed);

/// All fish one tick later, in the same order, by cell lists: what engines are raced against.
[[nodiscard]] std::vector<Fish> fish_tick(const FishModel& model, std::span<const Fish> fish);

// Bodies that pull at each other up to a cut-off, in a box with walls, some of them bound to traps: the
// law of motion and scenes to start from, for every engine. A body's pulls are added up in whole units of
// 2^-40, so that the order of addition never shows. Pure.
struct Body {
  double x = 0;
  double y = 0;
  double vx = 0;
  double vy = 0;
  std::uint32_t id = 0;
  std::uint32_t trap = 0;  ///< 0: free; else the model's trap of this number, from 1

  friend bool operator==(const Body&, const Body&) = default;
};

/// Draws its bodies to its centre like a spring, so that they gather there and part again, tick by tick.
struct Trap {
  double x = 0;
  double y = 0;
  double stiffness = 0;  ///< acceleration per distance and tick²
};

struct NBodyModel {
  double width = 1000;
  double height = 1000;
  double radius = 4;  ///< r: bodies farther apart do not feel each other
  double reach = 8;   ///< the farthest a body gets in a tick
  double strength = 0.01;
  double softening = 0.5;
  std::vector<Trap> traps;
};

/// A sum of pulls, exact in its units.
struct Pull {
  std::int64_t x = 0;
  std::int64_t y = 0;

  Pull& operator+=(const Pull& more) {
    x += more.x;
    y += more.y;
    return *this;
  }
};

/// What `other` does to `body`; nothing beyond the radius.
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

/// The body a tick later, having felt `pull`.
[[nodiscard]] Body moved(const NBodyModel& model, const Body& body, const Pull& pull);

/// Refuses what cannot be simulated: bodies outside the box, numbers that are none, traps that are not
/// there, ids given twice.
Status admit_bodies(const NBodyModel& model, const std::vector<Body>& bodies);

struct NBodyScene {
  std::uint32_t bodies = 1000;
  std::uint32_t groups =
      4;                 ///< traps; their bodies fall in and fly out, each group in its own phase
  double grouped = 0.5;  ///< share of the bodies that belong to groups
  double period = 16;    ///< ticks from one gathering of a group to the next but one
  double gathering = 0.25;  ///< how much of its radius a group keeps at its closest; 0: none
  double group_radius = 0;  ///< 0: an eighth of the box's smaller side
  double uneven = 0;        ///< how much denser the free bodies lie at one side than evenly; 0…1
  std::uint64_t seed = 1;
};
/// Fills `model.traps`; the same scene gives the same bodies everywhere.
[[nodiscard]] std::vector<Body> nbody_scene(const NBodyScene& scene, NBodyModel& model);

// Heat in a square plate, relaxed by Jacobi's method: each inner cell becomes the mean of its four
// neighbours, added in one fixed order; the rim keeps its heat. One row at a time, so that every engine steps
// its block of the plate with the same arithmetic, and gets the bits that one loop over the whole gives.

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
