#include "leeway/programs/reference/simulations.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

#include "leeway/base/mix.h"

namespace leeway::reference {

namespace {

using scene::Body;
using scene::Fish;

constexpr double kUnits =
    1'099'511'627'776.0;  // 2^40 in 1: directions and pulls are summed up in whole units

/// Things in the order of x: who may be near a thing stands beside it.
template <class Thing>
class Sweep {
 public:
  Sweep(const std::vector<Thing>& things, double range)
      : range_(range * (1 + 1e-9)), rank_(things.size()) {
    std::vector<std::size_t> order(things.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return things[a].x < things[b].x; });
    for (std::size_t i = 0; i < order.size(); ++i) {
      rank_[order[i]] = i;
      sorted_.push_back(things[order[i]]);
    }
  }

  /// All others that are no farther than the range in x alone.
  template <class Visit>
  void near(std::size_t thing, Visit&& visit) const {
    const std::size_t rank = rank_[thing];
    const double x = sorted_[rank].x;
    for (std::size_t i = rank; i-- > 0 && x - sorted_[i].x <= range_;) visit(sorted_[i]);
    for (std::size_t i = rank + 1; i < sorted_.size() && sorted_[i].x - x <= range_; ++i)
      visit(sorted_[i]);
  }

 private:
  double range_;
  std::vector<std::size_t> rank_;
  std::vector<Thing> sorted_;
};

struct Direction {
  double x;
  double y;
};

Direction one_long(Direction of) {
  const double length = std::sqrt(of.x * of.x + of.y * of.y);
  if (!(length > 0)) return {0, 0};
  return {of.x / length, of.y / length};
}

/// Whole units, as the sums of both laws are kept.
struct Units {
  std::int64_t x = 0;
  std::int64_t y = 0;
  [[nodiscard]] Direction direction() const {
    return one_long({static_cast<double>(x), static_cast<double>(y)});
  }
};

/// Twelve even draws of sixteen bits each, their mean taken away: nearly normal, of deviation 1.
double nearly_normal(std::uint64_t& state) {
  double sum = 0;
  for (int word = 0; word < 3; ++word, ++state) {
    for (std::uint64_t bits = mix64(state), i = 0; i < 4; ++i, bits >>= 16U)
      sum += static_cast<double>(bits % 65'536);
  }
  return sum / 65'536 - 6 + 6.0 / 65'536;
}

/// Turned back by walls at 0 and `size`. `toward`: where it heads along this axis.
void turn_back(double& at, double& toward, double size) {
  if (at < 0) {
    at = -at;
    toward = std::abs(toward);
  } else if (at > size) {
    at = size - (at - size);
    toward = -std::abs(toward);
  }
}

/// Couzin's zones: whom a fish flees, whom it goes to, and as whom it heads.
struct Zones {
  Units away, toward, along;
  bool crowded = false, accompanied = false;
};

Zones zones_of(const scene::FishModel& model, const Fish& fish, const Sweep<Fish>& sweep,
               std::size_t place) {
  Zones zones;
  sweep.near(place, [&](const Fish& other) {
    const double x = other.x - fish.x;
    const double y = other.y - fish.y;
    const double square = x * x + y * y;
    if (square > model.visibility * model.visibility) return;
    zones.accompanied = true;
    zones.along.x += static_cast<std::int64_t>(other.vx * kUnits);
    zones.along.y += static_cast<std::int64_t>(other.vy * kUnits);
    const double units = square > 0 ? kUnits / std::sqrt(square) : 0;
    const Units to{static_cast<std::int64_t>(x * units), static_cast<std::int64_t>(y * units)};
    zones.toward.x += to.x;
    zones.toward.y += to.y;
    if (square >= model.personal * model.personal) return;
    zones.crowded = true;
    zones.away.x -= to.x;
    zones.away.y -= to.y;
  });
  return zones;
}

Direction wanted(const scene::FishModel& model, const Fish& fish, const Zones& zones) {
  if (zones.crowded) return zones.away.direction();
  Direction social{fish.vx, fish.vy};
  if (zones.accompanied)
    social = Units{zones.toward.x + zones.along.x, zones.toward.y + zones.along.y}.direction();
  if (fish.goal == 0) return social;
  const scene::Heading& goal = model.goals[(fish.goal - 1) % model.goals.size()];
  return one_long({social.x + model.insistence * goal.x, social.y + model.insistence * goal.y});
}

Fish moved(const scene::FishModel& model, Fish fish, const Zones& zones) {
  const Direction now{fish.vx, fish.vy};
  const Direction wish = wanted(model, fish, zones);
  double angle = std::atan2(now.x * wish.y - now.y * wish.x, now.x * wish.x + now.y * wish.y) +
                 model.noise * nearly_normal(fish.random);
  angle = std::max(-model.turn, std::min(angle, model.turn));
  const double c = std::cos(angle);
  const double s = std::sin(angle);
  const Direction heading = one_long({now.x * c - now.y * s, now.x * s + now.y * c});
  fish.vx = heading.x;
  fish.vy = heading.y;
  fish.x += model.reach * heading.x;
  fish.y += model.reach * heading.y;
  turn_back(fish.x, fish.vx, model.width);
  turn_back(fish.y, fish.vy, model.height);
  return fish;
}

/// A wall mirrors the way, and the speed with it.
void mirror(double& at, double& speed, double size) {
  const bool low = at < 0;
  if (low || at > size) {
    at = low ? -at : size - (at - size);
    speed = -speed;
  }
  at = std::min(std::max(at, 0.0), size);
}

Units pull_on(const scene::NBodyModel& model, const Body& body, const Sweep<Body>& sweep,
              std::size_t place) {
  Units sum;
  sweep.near(place, [&](const Body& other) {
    const double x = other.x - body.x;
    const double y = other.y - body.y;
    const double square = x * x + y * y;
    if (square > model.radius * model.radius) return;
    const double softened = square + model.softening * model.softening;
    const double units = model.strength * kUnits / (softened * std::sqrt(softened));
    sum.x += std::llround(x * units);
    sum.y += std::llround(y * units);
  });
  return sum;
}

Body moved(const scene::NBodyModel& model, Body body, const Units& pull) {
  body.vx += static_cast<double>(pull.x) / kUnits;
  body.vy += static_cast<double>(pull.y) / kUnits;
  if (body.trap > 0) {
    const scene::Trap& trap = model.traps.at(body.trap - 1);
    body.vx -= trap.stiffness * (body.x - trap.x);
    body.vy -= trap.stiffness * (body.y - trap.y);
  }
  const double speed = std::sqrt(body.vx * body.vx + body.vy * body.vy);
  if (speed > model.reach) {
    body.vx *= model.reach / speed;
    body.vy *= model.reach / speed;
  }
  body.x += body.vx;
  body.y += body.vy;
  mirror(body.x, body.vx, model.width);
  mirror(body.y, body.vy, model.height);
  return body;
}

}  // namespace

std::vector<Fish> fish_after(const scene::FishModel& model, std::vector<Fish> fish,
                             std::uint32_t ticks) {
  for (; ticks > 0; --ticks) {
    const std::vector<Fish> old = fish;
    const Sweep<Fish> sweep(old, model.visibility);
    for (std::size_t i = 0; i < old.size(); ++i)
      fish[i] = moved(model, old[i], zones_of(model, old[i], sweep, i));
  }
  return fish;
}

std::vector<Body> bodies_after(const scene::NBodyModel& model, std::vector<Body> bodies,
                               std::uint32_t ticks) {
  for (; ticks > 0; --ticks) {
    const std::vector<Body> old = bodies;
    const Sweep<Body> sweep(old, model.radius);
    for (std::size_t i = 0; i < old.size(); ++i)
      bodies[i] = moved(model, old[i], pull_on(model, old[i], sweep, i));
  }
  std::sort(bodies.begin(), bodies.end(), [](const Body& a, const Body& b) { return a.id < b.id; });
  return bodies;
}

std::vector<double> plate_after(const scene::Plate& plate, std::vector<double> heat,
                                std::uint32_t ticks) {
  const std::size_t columns = plate.columns;
  const std::size_t rows = plate.rows;
  for (; ticks > 0; --ticks) {
    const std::vector<double> old = heat;
    for (std::size_t y = 1; y + 1 < rows; ++y) {
      for (std::size_t x = 1; x + 1 < columns; ++x) {
        const std::size_t cell = y * columns + x;
        const double beside = old[cell - 1] + old[cell + 1];
        const double above_and_below = old[cell - columns] + old[cell + columns];
        heat[cell] = (beside + above_and_below) / 4;
      }
    }
  }
  return heat;
}

double swept_pairs(std::uint64_t things, double range, double width) {
  const double count = static_cast<double>(things);
  return count * count * std::min(1.0, 2 * range / width);
}

}  // namespace leeway::reference
