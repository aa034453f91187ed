// The load balancer of virtual workers: which workers it moves, and the speed-up of a session.
#include <catch2/catch.hpp>

#include "leeway/pie.h"
#include "programs/pie/paths.h"
#include "programs/reference/oracles.h"
#include "runtime/pie/workers.h"
#include "test/support/small_graphs.h"

using namespace leeway;
using namespace leeway::pie;

namespace {

std::vector<NodeId> on(std::initializer_list<std::uint32_t> nodes) {
  std::vector<NodeId> places;
  for (const std::uint32_t node : nodes) places.emplace_back(node);
  return places;
}

std::vector<Duration> taking(std::initializer_list<int> milliseconds) {
  std::vector<Duration> times;
  for (const int each : milliseconds) times.push_back(std::chrono::milliseconds(each));
  return times;
}

}  // namespace

TEST_CASE("the busiest node gives a worker to the idlest") {
  CHECK(balanced_nodes_of(on({0, 0, 1, 1}), taking({6, 5, 1, 1}), 2) == on({0, 1, 1, 1}));
}

TEST_CASE("no worker moves if no move helps") {
  CHECK(balanced_nodes_of(on({0, 1, 1}), taking({9, 2, 2}), 2) == on({0, 1, 1}));
  CHECK(balanced_nodes_of(on({0, 1}), taking({3, 3}), 2) == on({0, 1}));
  CHECK(balanced_nodes_of(on({0, 0}), taking({3, 3}), 1) == on({0, 0}));
}

TEST_CASE("a session moves slow workers apart, and the next query takes less time") {
  const Graph graph = leeway::testing::random_graph(5, 400, 1600, false, WeightKind::Integer);
  for (const Scheduler model :
       {Scheduler::Bsp, Scheduler::Ap, Scheduler::Ssp, Scheduler::Aap, Scheduler::Hsync}) {
    RunOptions options;
    options.cluster.fabric = Fabric::Sim;
    options.cluster.nodes = 4;
    options.pie.workers = 8;
    options.partition.method = PartitionMethod::Hash;
    options.pie.schedule.model = model;
    if (model == Scheduler::Ssp) options.pie.schedule.bound = 2;
    options.pie.nodes_of = on({0, 0, 1, 1, 2, 2, 3, 3});
    options.pie.round_times = taking({8, 8, 1, 1, 1, 1, 1, 1});
    const PieSssp program(graph, VertexId(0));
    auto session = Session::open(graph, program.needs(), options);
    REQUIRE(session.has_value());
    CHECK(session->rebalance() == 0);
    const auto before = session->ask(program);
    REQUIRE(before.has_value());
    CHECK(session->rebalance() > 0);
    const auto& nodes_of = session->options().pie.nodes_of;
    CHECK(nodes_of[0] != nodes_of[1]);
    const auto after = session->ask(program);
    REQUIRE(after.has_value());
    INFO(scheduler_name(model));
    // Asynchronous schedulers hide part of the imbalance, as they use idle time for additional
    // rounds.
    const double at_most = model == Scheduler::Bsp ? 0.75 : 0.95;
    CHECK(after->record.compute_seconds < at_most * before->record.compute_seconds);
    CHECK(after->values == reference::shortest_distances(graph, VertexId(0)));
    CHECK(after->values == before->values);
  }
}
