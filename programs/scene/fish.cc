#include "leeway/programs/scene/fish.h"

#include <algorithm>
#include <numbers>

#include "leeway/base/check.h"
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

void FishCells::fill(std::span<const Fish> fish, double visibility) {
  LEEWAY_CHECK(visibility > 0);
  columns_ = rows_ = 0;
  sorted_.resize(fish.size());
  start_.assign(1, 0);
  if (fish.empty()) return;
  double right = fish[0].x;
  double top = fish[0].y;
  left_ = right;
  bottom_ = top;
  for (const Fish& each : fish) {
    left_ = std::min(left_, each.x);
    right = std::max(right, each.x);
    bottom_ = std::min(bottom_, each.y);
    top = std::max(top, each.y);
  }
  // Few fish in wide waters: wider cells, so that there are never many more of them than fish.
  double side = visibility;
  const double most = 4.0 * static_cast<double>(fish.size()) + 64;
  while (((right - left_) / side + 1) * ((top - bottom_) / side + 1) > most) side *= 2;
  per_cell_ = 1 / side;
  columns_ = static_cast<std::int64_t>((right - left_) * per_cell_) + 1;
  rows_ = static_cast<std::int64_t>((top - bottom_) * per_cell_) + 1;
  const auto cell = [&](const Fish& each) {
    const std::int64_t column = std::min(column_of(each.x), columns_ - 1);
    const std::int64_t row = std::min(row_of(each.y), rows_ - 1);
    return static_cast<std::size_t>(row * columns_ + column);
  };
  start_.assign(static_cast<std::size_t>(columns_ * rows_) + 1, 0);
  for (const Fish& each : fish) ++start_[cell(each) + 1];
  for (std::size_t i = 1; i < start_.size(); ++i) start_[i] += start_[i - 1];
  // Filling from each cell's start moves it to the cell's end, which is the next one's start: one back.
  for (const Fish& each : fish) sorted_[start_[cell(each)]++] = each;
  for (std::size_t i = start_.size() - 1; i > 0; --i) start_[i] = start_[i - 1];
  start_[0] = 0;
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
  const FishCells cells(fish, model.visibility);
  std::vector<Fish> next;
  next.reserve(fish.size());
  for (const Fish& each : fish) {
    Influence sum;
    cells.around(each, [&](const Fish& other) { observe(model, each, other, sum); });
    next.push_back(swim(model, each, sum));
  }
  return next;
}

}  // namespace leeway::scene
