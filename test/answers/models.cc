#include "test/answers/models.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/bytes.h"
#include "base/random.h"

namespace leeway::answers {

namespace {

struct Direction {
  double x = 0, y = 0;
};

Direction normalised(double x, double y) {
  const double norm = std::sqrt(x * x + y * y);
  if (norm == 0) return {};
  return {x / norm, y / norm};
}

/// Sums are of whole multiples of 2^-40, as in the models, so they do not depend on the order of
/// addition.
constexpr double kFine = 1099511627776.0;

std::int64_t truncated(double value) { return static_cast<std::int64_t>(value * kFine); }

std::vector<Mover> first_school(const SchoolScene& scene) {
  std::vector<Mover> fish;
  for (std::uint32_t i = 0; i < scene.fish; ++i) {
    Random random(scene.seed, i);
    Mover each;
    each.x = random.unit() * scene.width;
    each.y = random.unit() * scene.height;
    const double angle = random.unit() * 2 * std::numbers::pi;
    each.vx = std::cos(angle);
    each.vy = std::sin(angle);
    each.random = random();
    if (i < scene.informed) each.group = 1;
    if (scene.goals == 2 && i >= scene.informed && i < 2 * scene.informed) each.group = 2;
    fish.push_back(each);
  }
  return fish;
}

/// Approximately normal: the centred sum of twelve uniform 16-bit numbers.
double nearly_normal(std::uint64_t& state) {
  double sum = 0;
  for (int draw = 0; draw < 3; ++draw) {
    std::uint64_t bits = mix64(state++);
    for (int part = 0; part < 4; ++part) {
      sum += static_cast<double>(bits % 65536);
      bits /= 65536;
    }
  }
  return sum / 65536 - 6 + 6.0 / 65536;
}

constexpr double kFoodSight = 4;

/// Couzin's rule: turn away from fish nearer than one body length; otherwise towards and along with
/// all visible fish, and towards all visible food, which counts as two fish.
Direction desired_direction(const SchoolScene& scene, const std::vector<Mover>& fish,
                            const std::vector<Mover>& food, std::size_t self) {
  const Mover& own = fish[self];
  std::int64_t away_x = 0, away_y = 0, pull_x = 0, pull_y = 0;
  bool crowded = false, alone = true;
  for (std::size_t i = 0; i < fish.size(); ++i) {
    const double dx = fish[i].x - own.x;
    const double dy = fish[i].y - own.y;
    const double square = dx * dx + dy * dy;
    if (i == self || square > scene.visibility * scene.visibility) continue;
    alone = false;
    const double scale = square > 0 ? kFine / std::sqrt(square) : 0;
    const auto ux = static_cast<std::int64_t>(dx * scale);
    const auto uy = static_cast<std::int64_t>(dy * scale);
    if (square < 1) {
      crowded = true;
      away_x -= ux;
      away_y -= uy;
    }
    pull_x += ux + truncated(fish[i].vx);
    pull_y += uy + truncated(fish[i].vy);
  }
  for (const Mover& piece : food) {
    const double dx = piece.x - own.x;
    const double dy = piece.y - own.y;
    const double square = dx * dx + dy * dy;
    if (square > kFoodSight * kFoodSight) continue;
    alone = false;
    const double scale = square > 0 ? kFine / std::sqrt(square) : 0;
    pull_x += 2 * static_cast<std::int64_t>(dx * scale);
    pull_y += 2 * static_cast<std::int64_t>(dy * scale);
  }
  if (crowded) return normalised(static_cast<double>(away_x), static_cast<double>(away_y));
  Direction social{own.vx, own.vy};
  if (!alone) social = normalised(static_cast<double>(pull_x), static_cast<double>(pull_y));
  if (own.group == 1) return normalised(social.x + 0.5, social.y);
  if (own.group == 2) return normalised(social.x, social.y + 0.5);
  return social;
}

void turn_back(double& place, double& heading, double side) {
  if (place < 0) {
    place = -place;
    heading = std::abs(heading);
  } else if (place > side) {
    place = side - (place - side);
    heading = -std::abs(heading);
  }
}

Mover swum(const SchoolScene& scene, const std::vector<Mover>& fish, const std::vector<Mover>& food,
           std::size_t self) {
  constexpr double kMostTurn = 0.4, kNoise = 0.01;
  const Direction desired = desired_direction(scene, fish, food, self);
  Mover next = fish[self];
  const double bend = std::atan2(next.vx * desired.y - next.vy * desired.x,
                                 next.vx * desired.x + next.vy * desired.y);
  const double angle =
      std::clamp(bend + kNoise * nearly_normal(next.random), -kMostTurn, kMostTurn);
  const double c = std::cos(angle);
  const double s = std::sin(angle);
  const Direction heading = normalised(next.vx * c - next.vy * s, next.vx * s + next.vy * c);
  next.vx = heading.x;
  next.vy = heading.y;
  next.x += scene.reach * heading.x;
  next.y += scene.reach * heading.y;
  turn_back(next.x, next.vx, scene.width);
  turn_back(next.y, next.vy, scene.height);
  return next;
}

}  // namespace

std::vector<Mover> school_after(const SchoolScene& scene, std::uint32_t ticks) {
  std::vector<Mover> fish = first_school(scene);
  for (std::uint32_t tick = 0; tick < ticks; ++tick) {
    std::vector<Mover> next;
    for (std::size_t i = 0; i < fish.size(); ++i) next.push_back(swum(scene, fish, {}, i));
    fish = std::move(next);
  }
  return fish;
}

namespace {

constexpr std::uint64_t kNewBites = 6;

/// Food is small in a small basin: a quantity of movement is at most half of the shorter side.
double at_most_half(double length, const SchoolScene& school) {
  return std::min({length, school.width / 2, school.height / 2});
}

std::vector<Mover> first_food(const PondScene& scene) {
  const double drift = at_most_half(0.05, scene.school);
  std::vector<Mover> food;
  for (std::uint64_t i = 0; i < scene.food; ++i) {
    Random random(scene.school.seed, 4'294'967'296 + i);
    Mover each;
    each.x = random.unit() * scene.school.width;
    each.y = random.unit() * scene.school.height;
    const double angle = random.unit() * 2 * std::numbers::pi;
    each.vx = drift * std::cos(angle);
    each.vy = drift * std::sin(angle);
    each.random = random();
    each.bites = 1 + random.below(kNewBites);
    food.push_back(each);
  }
  return food;
}

bool touches(const Mover& fish, const Mover& piece) {
  const double dx = piece.x - fish.x;
  const double dy = piece.y - fish.y;
  return dx * dx + dy * dy <= 1;
}

/// Food drifts until its last bite is taken; then it grows somewhere near, by up to 2 per axis.
Mover drifted(const SchoolScene& school, Mover piece, std::uint64_t taken) {
  if (taken < piece.bites) {
    piece.bites -= taken;
    piece.x += piece.vx;
    piece.y += piece.vy;
  } else {
    piece.bites = kNewBites;
    for (double* const place : {&piece.x, &piece.y}) {
      const std::uint64_t draw = mix64(piece.random++) / 2048;
      *place += (std::ldexp(static_cast<double>(draw), -52) - 1) * at_most_half(2, school);
    }
  }
  turn_back(piece.x, piece.vx, school.width);
  turn_back(piece.y, piece.vy, school.height);
  return piece;
}

}  // namespace

PondMovers pond_after(const PondScene& scene, std::uint32_t ticks) {
  PondMovers now{first_school(scene.school), first_food(scene)};
  for (std::uint32_t tick = 0; tick < ticks; ++tick) {
    PondMovers next;
    std::vector<std::uint64_t> taken(now.food.size());
    for (std::size_t i = 0; i < now.fish.size(); ++i) {
      Mover& fish = next.fish.emplace_back(swum(scene.school, now.fish, now.food, i));
      for (std::size_t f = 0; f < now.food.size(); ++f) {
        if (!touches(now.fish[i], now.food[f])) continue;
        ++fish.bites;
        ++taken[f];
      }
    }
    for (std::size_t f = 0; f < now.food.size(); ++f)
      next.food.push_back(drifted(scene.school, now.food[f], taken[f]));
    now = std::move(next);
  }
  return now;
}

namespace {

constexpr double kPeriod = 16;

struct Spring {
  double x = 0, y = 0;
};

/// Groups are on a square grid of ceil(sqrt(groups)) columns, in the middle of its cells.
std::vector<Spring> springs_of(const BodyScene& scene) {
  std::uint32_t columns = 0;
  while (columns * columns < scene.groups) ++columns;
  std::vector<Spring> springs;
  for (std::uint32_t g = 0; g < scene.groups; ++g) {
    springs.push_back({scene.width * (g % columns + 0.5) / columns,
                       scene.height * (g / columns + 0.5) / columns});
  }
  return springs;
}

/// A body on its ellipse around the spring, at the phase of its group.
Mover bound_body(const BodyScene& scene, const Spring& spring, std::uint32_t group,
                 Random& random) {
  const double turn = static_cast<double>((group * 7U) % scene.groups) / scene.groups;
  const double phase = std::numbers::pi * turn;
  const double omega = 2 * std::numbers::pi / kPeriod;
  const double radius = std::min(scene.width, scene.height) / 8;
  const double angle = 2 * std::numbers::pi * random.unit();
  const double far = radius * (0.5 + 0.5 * random.unit());
  const double near = far * 0.25;
  const double c = std::cos(angle);
  const double s = std::sin(angle);
  const double along = far * std::cos(phase);
  const double aside = near * std::sin(phase);
  const double along_speed = -far * omega * std::sin(phase);
  const double aside_speed = near * omega * std::cos(phase);
  Mover body;
  body.group = group + 1;
  body.x = std::clamp(spring.x + along * c - aside * s, 0.0, scene.width);
  body.y = std::clamp(spring.y + along * s + aside * c, 0.0, scene.height);
  body.vx = along_speed * c - aside_speed * s;
  body.vy = along_speed * s + aside_speed * c;
  return body;
}

std::vector<Mover> first_bodies(const BodyScene& scene, const std::vector<Spring>& springs) {
  Random random(scene.seed, 0x626F6479);
  std::vector<Mover> bodies;
  for (std::uint32_t i = 0; i < scene.bodies; ++i) {
    if (scene.groups > 0 && random.unit() < 0.5) {
      const auto group = static_cast<std::uint32_t>(random.below(scene.groups));
      bodies.push_back(bound_body(scene, springs[group], group, random));
      continue;
    }
    Mover body;
    body.x = random.unit() * scene.width;
    body.y = random.unit() * scene.height;
    bodies.push_back(body);
  }
  return bodies;
}

void bounce(double& at, double size, double& speed) {
  if (at < 0 || at > size) speed = -speed;
  if (at < 0)
    at = -at;
  else if (at > size)
    at = size - (at - size);
  at = std::clamp(at, 0.0, size);
}

Mover pulled(const BodyScene& scene, const std::vector<Mover>& bodies, std::size_t self,
             const std::vector<Spring>& springs) {
  constexpr double kStrength = 0.01, kSoftening = 0.5;
  const Mover& own = bodies[self];
  std::int64_t pull_x = 0, pull_y = 0;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const double dx = bodies[i].x - own.x;
    const double dy = bodies[i].y - own.y;
    const double square = dx * dx + dy * dy;
    if (i == self || square > scene.cutoff * scene.cutoff) continue;
    const double soft = square + kSoftening * kSoftening;
    const double scale = kStrength * kFine / (soft * std::sqrt(soft));
    pull_x += std::llround(dx * scale);
    pull_y += std::llround(dy * scale);
  }
  Mover next = own;
  next.vx += static_cast<double>(pull_x) / kFine;
  next.vy += static_cast<double>(pull_y) / kFine;
  if (own.group > 0) {
    const double omega = 2 * std::numbers::pi / kPeriod;
    next.vx -= omega * omega * (own.x - springs[own.group - 1].x);
    next.vy -= omega * omega * (own.y - springs[own.group - 1].y);
  }
  const double most = std::min(scene.width, scene.height) / 16;
  const double speed = std::sqrt(next.vx * next.vx + next.vy * next.vy);
  if (speed > most) {
    next.vx *= most / speed;
    next.vy *= most / speed;
  }
  next.x += next.vx;
  next.y += next.vy;
  bounce(next.x, scene.width, next.vx);
  bounce(next.y, scene.height, next.vy);
  return next;
}

}  // namespace

std::vector<Mover> bodies_after(const BodyScene& scene, std::uint32_t ticks) {
  const std::vector<Spring> springs = springs_of(scene);
  std::vector<Mover> bodies = first_bodies(scene, springs);
  for (std::uint32_t tick = 0; tick < ticks; ++tick) {
    std::vector<Mover> next;
    for (std::size_t i = 0; i < bodies.size(); ++i)
      next.push_back(pulled(scene, bodies, i, springs));
    bodies = std::move(next);
  }
  return bodies;
}

std::vector<double> plate_after(std::uint32_t columns, std::uint32_t rows, std::uint64_t seed,
                                std::uint32_t ticks) {
  const auto cell = [&](std::uint32_t x, std::uint32_t y) { return std::size_t{y} * columns + x; };
  const auto inside = [&](std::uint32_t x, std::uint32_t y) {
    return x > 0 && y > 0 && x + 1 < columns && y + 1 < rows;
  };
  std::vector<double> heat(std::size_t{columns} * rows);
  for (std::uint32_t y = 0; y < rows; ++y) {
    for (std::uint32_t x = 0; x < columns; ++x) {
      const std::uint64_t bits = mix64(seed ^ mix64((std::uint64_t{y} << 32U) | x));
      const double drawn = static_cast<double>(bits >> 11U) / 9007199254740992.0 * 100;
      heat[cell(x, y)] = y == 0 ? 100 : inside(x, y) ? drawn : 0;
    }
  }
  for (std::uint32_t tick = 0; tick < ticks; ++tick) {
    std::vector<double> next(heat);
    for (std::uint32_t y = 0; y < rows; ++y) {
      for (std::uint32_t x = 0; x < columns; ++x) {
        if (!inside(x, y)) continue;
        next[cell(x, y)] = (heat[cell(x - 1, y)] + heat[cell(x + 1, y)] + heat[cell(x, y - 1)] +
                            heat[cell(x, y + 1)]) /
                           4;
      }
    }
    heat = std::move(next);
  }
  return heat;
}

}  // namespace leeway::answers
