// A school of fish (Couzin, Krause, Franks & Levin, Nature 433, 2005) in a walled basin, stepped one tick at
// a time, for every engine: what one fish does to another, what a fish then does, and a plain tick made of
// these. Pure. Influences are added up as whole numbers, so the order in which neighbours are looked at never
// shows; each fish carries its own random state, so neither does the order of fish. Whoever steps the same
// school gets the same bits.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

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

}  // namespace leeway::scene
