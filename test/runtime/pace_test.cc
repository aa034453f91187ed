#include "runtime/vertex/pace.h"

#include <array>
#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>

#include "leeway/cluster.h"
#include "leeway/dsm.h"

using namespace leeway;
using namespace std::chrono_literals;

namespace {

constexpr IterationSample kRound{.visited = 1};

ClusterOptions two_nodes() {
  ClusterOptions options;
  options.fabric = Fabric::Sim;
  options.nodes = 2;
  options.policy = parse_policy("rcp").value();
  options.cost = CostModel::free();
  return options;
}

void work_until(Node& node, Instant end) {
  while (node.transport().now() < end) {
    node.transport().charge({.picoseconds = 1'000'000'000});
    node.progress();
  }
}

}  // namespace

// Node 0 is two votes behind when its third iteration ends, so it casts several votes in a row.
// Updates that arrived during that iteration have been received by then, but not processed.
TEST_CASE("a vote without an iteration does not end a job with unprocessed updates") {
  std::uint64_t last_read = 0;
  const auto outcome = run_cluster(two_nodes(), [&](Node& node) -> Status {
    SpaceOptions space;
    space.local_objects = 1;
    space.remote_objects = 1;
    LEEWAY_ASSIGN(auto dsm, Dsm<std::uint64_t>::open(node, space));
    dsm.store(Handle(0), 0);
    node.barrier();
    const NodeId other_node(1 - node.self().value());
    LEEWAY_ASSIGN(const Handle other, dsm.resolve(ObjectId(other_node, LocalIndex(0))));
    (void)dsm.fetch(other);
    node.barrier();
    const Instant begin = node.transport().now();
    EngineOptions options;
    options.scheduler = Scheduler::Ssp;
    options.staleness = 10;
    Pace pace(node, options);
    if (node.self() == NodeId(0)) {
      REQUIRE_FALSE(pace.over(false, kRound));
      REQUIRE_FALSE(pace.over(false, kRound));
      work_until(node, begin + 50ms);
      while (!pace.over(false, kRound)) {
        last_read = dsm.fetch(other);
        pace.rest([] { return false; });
      }
    } else {
      work_until(node, begin + 10ms);
      REQUIRE_FALSE(pace.over(false, kRound));
      work_until(node, begin + 20ms);
      dsm.store(Handle(0), 7);
      bool over = pace.over(true, kRound);
      while (!over) {
        pace.rest([] { return false; });
        over = pace.over(false, kRound);
      }
    }
    return {};
  });
  REQUIRE(outcome.has_value());
  CHECK(last_read == 7);
}

TEST_CASE("nodes that observe the stop request in different rounds end in the same round") {
  const std::atomic<bool> stop = true;
  std::uint32_t rounds[2] = {};
  const auto outcome = run_cluster(two_nodes(), [&](Node& node) -> Status {
    EngineOptions options;
    options.iterations = 1'000'000;
    // Node 1 observes the stop request from the beginning, node 0 after three rounds.
    std::atomic<bool> later = false;
    options.stop = node.self() == NodeId(0) ? &later : &stop;
    Pace pace(node, options);
    bool over = false;
    while (!over) {
      if (pace.iterations() == 3) later = true;
      over = pace.over(!pace.spent(), kRound) || pace.all_spent();
    }
    rounds[node.self().index()] = pace.iterations();
    node.barrier();
    return {};
  });
  REQUIRE(outcome.has_value());
  CHECK(rounds[0] == rounds[1]);
  CHECK(rounds[0] <= 5);
}

TEST_CASE("nodes in step stop after the same round without progress of either of them") {
  std::array<std::uint32_t, 2> ended{};
  const auto outcome = run_cluster(two_nodes(), [&](Node& node) -> Status {
    EngineOptions options;
    options.patience = 5;
    Pace pace(node, options);
    std::uint64_t changed = node.self() == NodeId(0) ? 1 : 40;
    for (bool over = false; !over;) {
      over = pace.over(true, {.visited = 1, .changed = changed}) || pace.all_spent();
      if (changed > 20) --changed;
    }
    ended[node.self().index()] = pace.iterations();
    return {};
  });
  REQUIRE(outcome.has_value());
  // Node 1 changes fewer values than before until its 21st round, when it changes 20.
  CHECK(ended == std::array<std::uint32_t, 2>{26, 26});
}

TEST_CASE("a node without changed values is not stopped") {
  const auto outcome = run_cluster(two_nodes(), [&](Node& node) -> Status {
    EngineOptions options;
    options.patience = 5;
    Pace pace(node, options, nullptr, nullptr, true);
    for (int round = 0; round < 100; ++round) {
      CHECK_FALSE(pace.over(true, {.visited = 1, .changed = 1}));
      CHECK_FALSE(pace.all_spent());
    }
    CHECK(pace.over(false, kRound));
    return {};
  });
  REQUIRE(outcome.has_value());
}

TEST_CASE(
    "a round is progress if it changes fewer values than before, or later if it changes them by "
    "less") {
  StallCounter stall(kPatience);
  CHECK(stall.nearer(10, {}));
  CHECK_FALSE(stall.nearer(10, Residual{.sum = 1, .most = 1}));
  CHECK(stall.nearer(9, {}));
  for (std::uint32_t round = 0; round < StallCounter::kUnmeasured; ++round) {
    CHECK_FALSE(stall.needs_residual());
    stall.count(stall.nearer(9, Residual{.sum = 1, .most = 1}));
  }
  REQUIRE(stall.needs_residual());
  CHECK(stall.nearer(9, Residual{.sum = 0.5, .most = 1}));
  CHECK_FALSE(stall.nearer(9, Residual{.sum = 0.5, .most = 1}));
  stall.count(stall.nearer(9, Residual{.sum = 0.4, .most = 1}));
  CHECK(stall.rounds() == 0);
}
