// The basis of the tick figures: time and messages of a phantom follow from the areas of its
// queries.
#include "benchmarks/replay/tick.h"

#include <catch2/catch.hpp>

using namespace leeway;
using namespace leeway::replay;

namespace {

constexpr double kSide = 100;  // side of each of four squares; one tuple per unit of area
constexpr double kSight = 2, kReach = 0.5;

tick::TickResult<PhantomState> run(std::uint32_t every, std::uint32_t replicas,
                                   std::uint32_t ticks) {
  Ground ground;
  ground.area = {0, 0, 2 * kSide, 2 * kSide};
  ground.sight = kSight;
  ground.reach = kReach;
  ground.tuple_bytes = 8;
  ground.tuple_ns = 100;
  tick::TickOptions options{.sync = tick::Sync::Replicate};
  options.every = every;
  options.replicas = replicas;
  options.ticks = tick::Tick(ticks);
  ClusterOptions cluster;
  cluster.fabric = Fabric::Sim;
  cluster.nodes = 4;
  cluster.cost = CostModel::free();
  return run_phantom(ground, options, cluster).value();
}

/// Number of tuples of a square that has grown by `by` on the two sides with neighbours.
double grown(double by) { return (kSide + by) * (kSide + by); }

}  // namespace

TEST_CASE("stepping tuples of others takes as long as stepping own tuples") {
  constexpr std::uint32_t kTicks = 6;
  // Messages every third tick: two layers are recomputed for the second tick, one for the third.
  const auto outcome = run(3, 2, kTicks);
  const double layer = kSight + kReach;
  const double copies = 2 * ((grown(2 * layer) - grown(0)) + (grown(layer) - grown(0)));
  const auto expected = static_cast<std::int64_t>(100 * (kTicks * grown(0) + copies));
  CHECK(std::abs(outcome.elapsed.count() - expected) < 10);
  for (const NodeRecord& node : outcome.result.nodes)
    CHECK(std::abs(static_cast<double>(node.counters[Counter::Copied]) - copies) < 10);
}

TEST_CASE("messages contain every layer that the receiver needs") {
  for (const std::uint32_t replicas : {0u, 1u, 4u}) {
    const auto outcome = run(1, replicas, 2);  // after the first of two ticks
    const double deep = kSight + replicas * (kSight + kReach);
    const double tuples =
        2 * kSide * deep + deep * deep;  // two neighbours at the sides, one at the corner
    for (const NodeRecord& node : outcome.result.nodes) {
      CHECK(node.counters[Counter::Messages] == 3);
      CHECK(std::abs(static_cast<double>(node.counters[Counter::BytesSent]) - 8 * tuples) < 3 * 8);
    }
  }
}
