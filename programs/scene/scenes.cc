#include "programs/scene/scenes.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <unordered_set>

#include "base/box.h"
#include "base/bytes.h"
#include "base/check.h"
#include "base/format.h"
#include "base/random.h"

namespace leeway::scene {

namespace {

/// Approximately standard normal: the sum of twelve uniform 16-bit draws (Irwin-Hall) minus its mean.
double normal(std::uint64_t& state) {
  std::uint64_t sum = 0;
  for (int i = 0; i < 3; ++i) {
    const std::uint64_t bits = mix64(state++);
    sum += (bits & 0xFFFFu) + (bits >> 16U & 0xFFFFu) + (bits >> 32U & 0xFFFFu) + (bits >> 48U);
  }
  return static_cast<double>(sum) / 65'536.0 - 6.0 + 6.0 / 65'536.0;
}

Heading unit(double x, double y) {
  const double length = std::sqrt(x * x + y * y);
  return length > 0 ? Heading{x / length, y / length} : Heading{0, 0};
}

/// Couzin's rule: flee from fish that are too near; else approach and align with visible fish, with a weighted goal.
Heading desired_heading(const FishModel& model, const Fish& fish, const Influence& sum) {
  if (sum.near > 0) {
    return unit(static_cast<double>(sum.away_x), static_cast<double>(sum.away_y));
  }
  Heading social{fish.vx, fish.vy};
  if (sum.seen > 0) {
    social = unit(static_cast<double>(sum.toward_x + sum.along_x),
                  static_cast<double>(sum.toward_y + sum.along_y));
  }
  if (fish.goal == 0) return social;
  const Heading& goal = model.goals[(fish.goal - 1) % model.goals.size()];
  return unit(social.x + model.insistence * goal.x, social.y + model.insistence * goal.y);
}

/// Reflects position and heading at the walls 0 and `side`.
void reflect(double& place, double& heading, double side) {
  if (place < 0) {
    place = -place;
    heading = std::abs(heading);
  } else if (place > side) {
    place = side - (place - side);
    heading = -std::abs(heading);
  }
}

}  // namespace

void Influence::add(const Influence& other) {
  away_x += other.away_x;
  away_y += other.away_y;
  toward_x += other.toward_x;
  toward_y += other.toward_y;
  along_x += other.along_x;
  along_y += other.along_y;
  near += other.near;
  seen += other.seen;
}

Fish swim(const FishModel& model, const Fish& fish, const Influence& sum) {
  Fish next = fish;
  const Heading desired = desired_heading(model, fish, sum);
  const double cross = fish.vx * desired.y - fish.vy * desired.x;
  const double dot = fish.vx * desired.x + fish.vy * desired.y;
  const double bend = std::atan2(cross, dot) + model.noise * normal(next.random);
  const double angle = std::clamp(bend, -model.turn, model.turn);
  const double cosine = std::cos(angle);
  const double sine = std::sin(angle);
  const Heading heading =
      unit(fish.vx * cosine - fish.vy * sine, fish.vx * sine + fish.vy * cosine);
  next.vx = heading.x;
  next.vy = heading.y;
  next.x = fish.x + model.reach * heading.x;
  next.y = fish.y + model.reach * heading.y;
  reflect(next.x, next.vx, model.width);
  reflect(next.y, next.vy, model.height);
  return next;
}

std::uint64_t random_state_of(std::uint64_t seed, std::uint32_t fish) {
  constexpr std::uint64_t kNumber = 3;  // after position and heading
  return Random(seed, fish).at(kNumber);
}

std::vector<Fish> school(const FishModel& model, std::uint32_t count, std::uint32_t informed,
                         std::uint32_t goals, std::uint64_t seed) {
  std::vector<Fish> fish(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    Random random(seed, i);
    Fish& each = fish[i];
    each.id = i;
    each.x = random.unit() * model.width;
    each.y = random.unit() * model.height;
    const double angle = random.unit() * 2 * std::numbers::pi;
    each.vx = std::cos(angle);
    each.vy = std::sin(angle);
    each.random = random_state_of(seed, i);
    const std::uint64_t drawn = informed == 0 ? goals : i / informed;
    each.goal = drawn < goals ? static_cast<std::uint32_t>(drawn) + 1 : 0;
  }
  return fish;
}

FoodModel food_in(const FishModel& model) {
  FoodModel food;
  const double narrow = std::min(model.width, model.height) / 2;
  food.drift = std::min(food.drift, narrow);
  food.scatter = std::min(food.scatter, narrow);
  return food;
}

Food after_bites(const FishModel& model, const FoodModel& food, const Food& piece,
                 std::uint32_t bites) {
  Food next = piece;
  if (bites < piece.bites) {
    next.bites -= bites;
    next.x += piece.vx;
    next.y += piece.vy;
  } else {
    const auto shift = [&] {
      const std::uint64_t bits = mix64(next.random++) >> 11U;
      return (static_cast<double>(bits) * 0x1.0p-52 - 1) * food.scatter;
    };
    next.bites = food.bites;
    next.x += shift();
    next.y += shift();
  }
  reflect(next.x, next.vx, model.width);
  reflect(next.y, next.vy, model.height);
  return next;
}

namespace {
constexpr std::uint64_t kFoodStreams = std::uint64_t{1} << 32U;  // fish use the streams before
}  // namespace

std::uint64_t food_random_state(std::uint64_t seed, std::uint32_t food) {
  constexpr std::uint64_t kNumber = 3;  // after position and drift
  return Random(seed, kFoodStreams + food).at(kNumber);
}

Pond pond(const FishModel& model, const FoodModel& food, std::span<const Fish> fish,
          std::uint32_t count, std::uint64_t seed) {
  Pond pond;
  for (const Fish& each : fish) pond.fish.push_back({each, 0});
  for (std::uint32_t i = 0; i < count; ++i) {
    Random random(seed, kFoodStreams + i);
    Food& piece = pond.food.emplace_back();
    piece.id = i;
    piece.x = random.unit() * model.width;
    piece.y = random.unit() * model.height;
    const double angle = random.unit() * 2 * std::numbers::pi;
    piece.vx = food.drift * std::cos(angle);
    piece.vy = food.drift * std::sin(angle);
    piece.random = random();
    piece.bites = 1 + static_cast<std::uint32_t>(random.below(food.bites));
  }
  return pond;
}

std::vector<Fish> fish_tick(const FishModel& model, std::span<const Fish> fish) {
  CellIndex<Fish> cells;
  cells.fill(fish, model.visibility);
  std::vector<Fish> next;
  next.reserve(fish.size());
  for (const Fish& each : fish) {
    Influence sum;
    cells.around(each.x, each.y, [&](const Fish& other) { observe(model, each, other, sum); });
    next.push_back(swim(model, each, sum));
  }
  return next;
}

namespace {

/// Reflects once, because a movement per tick is shorter than the box.
double reflected(double at, double size, double& speed) {
  if (at < 0) {
    speed = -speed;
    at = -at;
  } else if (at > size) {
    speed = -speed;
    at = size - (at - size);
  }
  return std::clamp(at, 0.0, size);
}

double default_radius(const NBodyScene& scene, const NBodyModel& model) {
  return scene.group_radius > 0 ? scene.group_radius : std::min(model.width, model.height) / 8;
}

Body free_body(const NBodyScene& scene, const NBodyModel& model, Random& random) {
  // A linear density in x, by inversion of its distribution function.
  const double u = random.unit();
  const double a = scene.uneven;
  const double x = a == 0 ? u : (1 + a - std::sqrt((1 + a) * (1 + a) - 4 * a * u)) / (2 * a);
  const double side = random.unit();
  return {.x = std::clamp(x, 0.0, 1.0) * model.width, .y = side * model.height};
}

/// A random position on its ellipse around the trap, where a spring would have it at the group's phase.
Body trapped_body(const NBodyScene& scene, const Trap& trap, double phase, double radius,
                  const NBodyModel& model, Random& random) {
  const double angle = 2 * std::numbers::pi * random.unit();
  const double far = radius * (0.5 + 0.5 * random.unit());
  const double near = far * scene.gathering;
  const double omega = std::sqrt(trap.stiffness);
  const double along = far * std::cos(phase);
  const double aside = near * std::sin(phase);
  const double along_speed = -far * omega * std::sin(phase);
  const double aside_speed = near * omega * std::cos(phase);
  const double cosine = std::cos(angle);
  const double sine = std::sin(angle);
  Body body{.vx = along_speed * cosine - aside_speed * sine,
            .vy = along_speed * sine + aside_speed * cosine};
  body.x = std::clamp(trap.x + along * cosine - aside * sine, 0.0, model.width);
  body.y = std::clamp(trap.y + along * sine + aside * cosine, 0.0, model.height);
  return body;
}

}  // namespace

Body moved(const NBodyModel& model, const Body& body, const Pull& pull) {
  constexpr double kUnit = 0x1.0p-40;
  Body next = body;
  next.vx += static_cast<double>(pull.x) * kUnit;
  next.vy += static_cast<double>(pull.y) * kUnit;
  if (body.trap != 0) {
    const Trap& trap = model.traps[body.trap - 1];
    next.vx -= trap.stiffness * (body.x - trap.x);
    next.vy -= trap.stiffness * (body.y - trap.y);
  }
  const double speed = std::sqrt(next.vx * next.vx + next.vy * next.vy);
  if (speed > model.reach) {
    next.vx *= model.reach / speed;
    next.vy *= model.reach / speed;
  }
  next.x = reflected(body.x + next.vx, model.width, next.vx);
  next.y = reflected(body.y + next.vy, model.height, next.vy);
  return next;
}

Status admit_bodies(const NBodyModel& model, const std::vector<Body>& bodies) {
  const auto refuse = [](const Body& body, std::string_view what) {
    return fail(input_error(format("body {}", body.id), std::string(what),
                            "give positions inside the box and finite numbers"));
  };
  if (!(model.width > 0 && model.height > 0 && model.radius > 0 && model.reach > 0)) {
    return fail(input_error("n-body", "the box, the cut-off and the reach must be above 0",
                            "give positive sizes"));
  }
  std::unordered_set<std::uint32_t> ids;
  for (const Body& body : bodies) {
    if (!std::isfinite(body.x) || !std::isfinite(body.y))
      return refuse(body, "its position is not finite");
    if (!std::isfinite(body.vx) || !std::isfinite(body.vy))
      return refuse(body, "its speed is not finite");
    if (body.x < 0 || body.x > model.width || body.y < 0 || body.y > model.height)
      return refuse(body, format("({}, {}) is outside the box", body.x, body.y));
    if (body.trap > model.traps.size())
      return refuse(body, format("trap {} does not exist", body.trap));
    if (!ids.insert(body.id).second) return refuse(body, "its id occurs twice");
  }
  return {};
}

std::vector<Body> nbody_scene(const NBodyScene& scene, NBodyModel& model) {
  Random random(scene.seed, 0x626F6479);
  const double radius = default_radius(scene, model);
  const double omega = 2 * std::numbers::pi / scene.period;
  model.traps.clear();
  // Groups are placed evenly in the box, in the order of a coarse grid visited with a stride, so that groups that
  // gather in succession are not neighbours.
  const auto columns = static_cast<std::uint32_t>(std::ceil(std::sqrt(scene.groups)));
  for (std::uint32_t g = 0; g < scene.groups; ++g) {
    const double side = static_cast<double>(columns);
    model.traps.push_back({.x = model.width * ((g % columns) + 0.5) / side,
                           .y = model.height * ((g / columns) + 0.5) / side,
                           .stiffness = omega * omega});
  }
  std::vector<Body> bodies;
  for (std::uint32_t id = 0; id < scene.bodies; ++id) {
    const bool grouped = scene.groups > 0 && random.unit() < scene.grouped;
    Body body;
    if (grouped) {
      const auto g = static_cast<std::uint32_t>(random.below(scene.groups));
      const double turn = static_cast<double>((g * 7U) % scene.groups) / scene.groups;
      body = trapped_body(scene, model.traps[g], std::numbers::pi * turn, radius, model, random);
      body.trap = g + 1;
    } else {
      body = free_body(scene, model, random);
    }
    body.id = id;
    bodies.push_back(body);
  }
  return bodies;
}

}  // namespace leeway::scene
