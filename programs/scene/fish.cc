#include "leeway/programs/scene/fish.h"

#include <algorithm>
#include <numbers>

#include "leeway/base/cell_index.h"
#include "leeway/base/mix.h"
#include "leeway/base/random.h"

namespace leeway::scene {

namespace {

/// Close to a standard normal draw: twelve sixteen-bit uniform ones (Irwin-Hall), their mean taken off.
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

/// Couzin's rule: flee those too near; else go to and along with those in sight; a goal has its say.
Heading wish(const FishModel& model, const Fish& fish, const Influence& sum) {
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

/// Back from the wall at 0 or `side`, heading away from it.
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
  const Heading wanted = wish(model, fish, sum);
  const double cross = fish.vx * wanted.y - fish.vy * wanted.x;
  const double dot = fish.vx * wanted.x + fish.vy * wanted.y;
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
    each.random = random();
    const std::uint64_t drawn = informed == 0 ? goals : i / informed;
    each.goal = drawn < goals ? static_cast<std::uint32_t>(drawn) + 1 : 0;
  }
  return fish;
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

}  // namespace leeway::scene
