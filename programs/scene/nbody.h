// Bodies that pull at each other up to a cut-off, in a box with walls, some of them bound to traps: the
// law of motion and scenes to start from, for every engine. A body's pulls are added up in whole units of
// 2^-40, so that the order of addition never shows. Pure.
#pragma once

#include <cmath>
#include <cstdint>
#include <string_view>
#include <vector>

#include "leeway/base/result.h"

namespace leeway::scene {

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

}  // namespace leeway::scene
