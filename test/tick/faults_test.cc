// Hundreds of runs with latency spikes, stragglers and pauses: times change, results do not.
#include <catch2/catch.hpp>

#include "base/random.h"
#include "programs/fish/tick.h"
#include "programs/jacobi/tick.h"
#include "programs/reference/oracles.h"

using namespace leeway;
using namespace leeway::tick;

namespace {

constexpr std::uint64_t kSeeds = 1500;

/// A cluster with faults drawn from the seed.
ClusterOptions trouble(std::uint64_t seed) {
  Random random(seed, 1);
  ClusterOptions cluster;
  cluster.fabric = Fabric::Sim;
  cluster.nodes = 1 + static_cast<std::uint32_t>(random.below(12));
  cluster.seed = seed;
  cluster.network.name = "trouble";
  cluster.network.latency_ns = {1'000 + random.below(300'000), 400'000 + random.below(2'000'000)};
  cluster.network.spike_per_million = static_cast<std::uint32_t>(random.below(200'000));
  cluster.network.spike_ns = {1'000'000, 1'000'000 + random.below(50'000'000)};
  cluster.network.send_cost_ns = 5'000;
  cluster.network.receive_cost_ns = 5'000;
  for (std::uint32_t node = 0; node < cluster.nodes; ++node) {
    cluster.faults.slowdown_percent.push_back(
        random.chance(0.2) ? 100 + static_cast<std::uint32_t>(random.below(900)) : 100);
    if (!random.chance(0.2)) continue;
    cluster.faults.pauses.push_back(
        {NodeId(node), Instant(Duration(static_cast<Duration::rep>(random.below(20'000'000)))),
         Duration(static_cast<Duration::rep>(random.below(60'000'000)))});
  }
  return cluster;
}

/// A random synchronization with consistent parameters.
TickOptions some_way(std::uint64_t seed, std::uint32_t ticks) {
  Random random(seed, 2);
  const auto below = [&](std::uint64_t bound) {
    return static_cast<std::uint32_t>(random.below(bound));
  };
  TickOptions options;
  options.ticks = Tick(ticks);
  options.sync = static_cast<Sync>(below(5));
  if (options.sync == Sync::Schedule || options.sync == Sync::Combined) options.depth = below(6);
  if (options.sync == Sync::Replicate || options.sync == Sync::Combined) {
    options.replicas = below(5);
    options.every = 1 + below(*options.replicas + 1);
  }
  options.rebalance = below(3) == 0 ? 2 + below(5) : 0;
  return options;
}

std::string description(std::uint64_t seed, const TickOptions& way) {
  return "seed " + std::to_string(seed) + ", " + std::string(sync_name(way.sync));
}

}  // namespace

TEST_CASE("fish in clusters with faults move as in the sequential program") {
  FishParameters settings;
  settings.model = {.width = 25, .height = 20, .visibility = 2, .reach = 0.5};
  settings.count = 90;
  settings.informed = 9;
  settings.price = std::chrono::microseconds(10);
  constexpr std::uint32_t kTicks = 9;
  auto expected =
      scene::school(settings.model, settings.count, settings.informed, 1, settings.seed);
  expected = reference::fish_after(settings.model, expected, kTicks);
  std::uint64_t copied = 0;
  std::uint64_t ahead = 0;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    const TickOptions way = some_way(seed, kTicks);
    settings.partition = seed % 2 == 0 ? FishPartition::Grid : FishPartition::Quadtree;
    INFO(description(seed, way));
    const auto run = run_fish(settings, way, trouble(seed));
    REQUIRE(run.has_value());
    const auto fish = run->result.state.tuples();
    REQUIRE(std::vector(fish.begin(), fish.end()) == expected);
    for (const NodeRecord& node : run->result.nodes) {
      copied += node.counters[Counter::Copied];
      ahead += node.counters[Counter::Ahead];
    }
  }
  CHECK(copied > 1000);  // otherwise nothing was tested
  CHECK(ahead > 1000);
}

TEST_CASE("plates in clusters with faults relax as in the sequential program") {
  HeatParameters settings{.plate = {40, 33}, .seed = 3, .price_ps = 1'000'000};
  constexpr std::uint32_t kTicks = 13;
  const auto expected =
      reference::plate_after(settings.plate, scene::first_plate(settings.plate, 3), kTicks);
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    const TickOptions way = some_way(seed + 10'000, kTicks);
    INFO(description(seed, way));
    const auto run = run_heat(settings, way, trouble(seed));
    REQUIRE(run.has_value());
    const Field& field = run->result.state;
    REQUIRE(std::vector(field.at(0, 0), field.at(0, 0) + field.size()) == expected);
  }
}

TEST_CASE("the same seed gives the same virtual run, another seed another one") {
  FishParameters settings;
  settings.model = {.width = 25, .height = 20, .visibility = 2, .reach = 0.5};
  settings.count = 90;
  TickOptions way{.sync = Sync::Combined, .ticks = Tick(9)};
  ClusterOptions cluster = trouble(5);
  const auto first = run_fish(settings, way, cluster);
  const auto second = run_fish(settings, way, cluster);
  CHECK(first->digest == second->digest);
  CHECK(first->elapsed == second->elapsed);
  cluster.seed = 6;
  CHECK(run_fish(settings, way, cluster)->digest != first->digest);
}
