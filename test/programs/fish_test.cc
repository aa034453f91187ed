// The school of fish compared with a brute-force search, and with its documented properties.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/random.h"
#include "programs/reference/oracles.h"
#include "programs/scene/scenes.h"

using namespace leeway;
using scene::Fish;
using scene::FishModel;
using scene::Influence;

namespace {

std::vector<Fish> tick_all_pairs(const FishModel& model, const std::vector<Fish>& fish) {
  std::vector<Fish> next;
  for (const Fish& each : fish) {
    Influence sum;
    for (const Fish& other : fish) scene::observe(model, each, other, sum);
    next.push_back(scene::swim(model, each, sum));
  }
  return next;
}

}  // namespace

TEST_CASE(
    "the cell list finds the same neighbours as all pairs and the oracle, at high and low "
    "density") {
  for (const double side : {0.5, 20.0, 100.0, 1e6}) {
    FishModel model{.width = side, .height = side / 2};
    auto fish = scene::school(model, 300, 10, 2, 7);
    for (int tick = 0; tick < 5; ++tick) {
      const auto next = scene::fish_tick(model, fish);
      REQUIRE(next == tick_all_pairs(model, fish));
      REQUIRE(next == reference::fish_after(model, fish, 1));
      fish = next;
    }
  }
}

TEST_CASE("the order of the fish does not affect their moves") {
  const FishModel model{.width = 30, .height = 30};
  auto fish = scene::school(model, 400, 5, 1, 3);
  const auto expected = scene::fish_tick(model, fish);
  Random random(11);
  std::shuffle(fish.begin(), fish.end(), random);
  auto shuffled = scene::fish_tick(model, fish);
  std::sort(shuffled.begin(), shuffled.end(),
            [](const Fish& a, const Fish& b) { return a.id < b.id; });
  CHECK(shuffled == expected);
}

TEST_CASE("no fish swims farther than its reach, leaves the basin or turns faster than it can") {
  const FishModel model{.width = 20, .height = 15};
  auto fish = scene::school(model, 200, 20, 2, 5);
  for (int tick = 0; tick < 200; ++tick) {
    const auto next = scene::fish_tick(model, fish);
    for (std::size_t i = 0; i < fish.size(); ++i) {
      REQUIRE(std::hypot(next[i].x - fish[i].x, next[i].y - fish[i].y) <= model.reach + 1e-12);
      REQUIRE((next[i].x >= 0 && next[i].x <= model.width));
      REQUIRE((next[i].y >= 0 && next[i].y <= model.height));
      REQUIRE(std::hypot(next[i].vx, next[i].vy) == Approx(1.0));
    }
    fish = next;
  }
}

TEST_CASE("a few informed fish lead the school to the goal") {
  const FishModel model{.width = 800, .height = 800, .insistence = 1};
  const auto vx_led_by = [&](std::uint32_t informed) {
    auto fish = scene::school(model, 100, informed, informed == 0 ? 0 : 1, 9);
    for (Fish& each : fish) {  // one school in the middle, heading 90 degrees off the goal
      each.x = 390 + each.x / 40;
      each.y = 390 + each.y / 40;
      each.vx = 0;
      each.vy = 1;
    }
    for (int tick = 0; tick < 800; ++tick) fish = scene::fish_tick(model, fish);
    return std::accumulate(fish.begin(), fish.end(), 0.0,
                           [](double sum, const Fish& each) { return sum + each.vx; }) /
           100;
  };
  CHECK(vx_led_by(20) > 0.8);
  CHECK(vx_led_by(0) < vx_led_by(20));
}

TEST_CASE("each fish has its own random numbers: otherwise equal fish diverge") {
  const FishModel model;
  std::vector<Fish> fish = {{.id = 0, .x = 20, .y = 20, .random = 1},
                            {.id = 1, .x = 60, .y = 60, .random = 2}};
  fish = scene::fish_tick(model, fish);
  CHECK(fish[0].vy != fish[1].vy);
  CHECK(fish[0].random == 4);
}

TEST_CASE("influences from two groups add up to the influence of both") {
  const FishModel model{.width = 10, .height = 10};
  const auto fish = scene::school(model, 60, 0, 0, 2);
  Influence all, first, second;
  for (std::size_t i = 0; i < fish.size(); ++i) {
    scene::observe(model, fish[0], fish[i], all);
    scene::observe(model, fish[0], fish[i], i % 2 == 0 ? first : second);
  }
  first.add(second);
  CHECK(first == all);
}
