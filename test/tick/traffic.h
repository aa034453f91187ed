// Cars on a road of one lane, as examples/tick.cc writes them: the eight functions and nothing else.
#pragma once

#include <cmath>
#include <cstdint>

#include "leeway/tick.h"

struct Car {
  std::uint32_t id = 0;
  std::uint32_t random = 1;  // its own dice: part of the tuple, so that every node throws the same
  double x = 0, y = 0;       // metres along the road; y is not used
  double speed = 0;          // metres a tick
  friend bool operator==(const Car&, const Car&) = default;
};
class Traffic {
 public:
  using Query = leeway::Box;
  using State = leeway::tick::Table<Car, leeway::Box>;
  static constexpr double kSight = 40;    // V: no driver looks farther ahead
  static constexpr double kFastest = 10;  // R: no car moves farther in a tick
  static constexpr double kRoad = 4000;
  // PART: pieces of road of equal length. The first and the last reach to infinity.
  leeway::Result<std::vector<Query>> part(std::uint32_t count, const State* now) const {
    (void)now;
    return leeway::grid_boxes({0, 0, kRoad, 1}, count);
  }
  // NEW: a car every 20 metres.
  leeway::Status create(const Query& query, State& state) const {
    for (std::uint32_t i = 0; i < 150; ++i) {
      const Car car{.id = i, .random = i + 1, .x = 20.0 * i};
      if (query.contains(car)) state.add(car);
    }
    return {};
  }
  // STEP: a car speeds up, keeps its distance, and dawdles now and then (Nagel & Schreckenberg).
  void step(const State::Selection& to_step, const State& context, State& result) const {
    for (const Car& car : to_step) {
      double gap = kSight;
      context.cells(kSight).around(car.x, car.y, [&](const Car& other) {
        if (other.id != car.id && other.x > car.x) gap = std::fmin(gap, other.x - car.x);
      });
      Car next = car;
      next.random = car.random * 1664525u + 1013904223u;
      next.speed = std::fmin(std::fmin(car.speed + 1, kFastest), gap / 2);
      if (next.random >> 30 == 0) next.speed = std::fmax(0, next.speed - 1);
      next.x = car.x + next.speed;
      result.add(next);
    }
  }
  // What a car reads lies within sight of it; where it was a tick ago lies within its fastest move.
  Query rd(const Query& query) const { return query.grown(kSight); }
  Query rx(const Query& query) const { return query.shrunk(kSight); }
  Query wd(const Query& query) const { return query.grown(kFastest); }
  Query wx(const Query& query) const { return query.shrunk(kFastest); }
  bool disjoint(const Query& a, const Query& b) const { return a.disjoint(b); }
};
