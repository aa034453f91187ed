// The load balancer of virtual workers: which workers it moves, and the speed-up of a session.
#include <catch2/catch.hpp>

#include "leeway/pie.h"
#include "programs/pagerank/pie.h"
#include "programs/reference/oracles.h"
#include "programs/sssp/pie.h"
#include "runtime/pie/balance.h"
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

/// Four virtual nodes, of which the first has the two slowest workers.
RunOptions uneven(Scheduler model) {
  RunOptions options;
  options.cluster.fabric = Fabric::Sim;
  options.cluster.nodes = 4;
  options.pie.workers = 8;
  options.partition.method = PartitionMethod::Hash;
  options.pie.schedule.model = model;
  if (model == Scheduler::Ssp) options.pie.schedule.bound = 2;
  options.pie.nodes_of = on({0, 0, 1, 1, 2, 2, 3, 3});
  options.pie.round_times = taking({8, 8, 1, 1, 1, 1, 1, 1});
  return options;
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
    const RunOptions options = uneven(model);
    const PieSssp program(graph, VertexId(0));
    auto session = Session::open(graph, program.needs(), options);
    REQUIRE(session.has_value());
    CHECK(session->rebalance().value() == 0);
    const auto before = session->ask(program);
    REQUIRE(before.has_value());
    CHECK(session->rebalance().value() > 0);
    const auto& nodes_of = session->options().pie.nodes_of;
    CHECK(nodes_of[0] != nodes_of[1]);
    const auto after = session->ask(program);
    REQUIRE(after.has_value());
    INFO(scheduler_name(model));
    // Asynchronous schedulers hide part of the imbalance, as they use idle time for additional
    // rounds.
    const double at_most = model == Scheduler::Bsp ? 0.75 : 0.95;
    CHECK(after->record.phases.compute < at_most * before->record.phases.compute);
    CHECK(after->values == reference::shortest_distances(graph, VertexId(0)));
    CHECK(after->values == before->values);
  }
}

TEST_CASE("workers move during a query, which then takes less time and has the same answer") {
  const Graph graph = leeway::testing::random_graph(6, 400, 1600, false, WeightKind::Integer);
  const Scheduler model =
      GENERATE(Scheduler::Bsp, Scheduler::Ap, Scheduler::Ssp, Scheduler::Aap, Scheduler::Hsync);
  RunOptions options = uneven(model);
  INFO(scheduler_name(model));
  const PieSssp program(graph, VertexId(0), 20);  // short rounds, so that there are many
  const auto fixed = run_pie(graph, program, options);
  options.pie.rebalance = 3;
  const auto moved = run_pie(graph, program, options);
  REQUIRE(fixed.has_value());
  REQUIRE(moved.has_value());
  CHECK(fixed->record.count(Counter::MovedWorkers) == 0);
  CHECK(moved->record.count(Counter::MovedWorkers) > 0);
  CHECK(moved->record.count(Counter::Balancings) > 0);
  // Without barriers the slow workers' rounds decide the time, wherever they run.
  const double at_most = model == Scheduler::Bsp                                ? 0.75
                         : model == Scheduler::Ssp || model == Scheduler::Hsync ? 0.9
                                                                                : 1.2;
  CHECK(moved->record.phases.compute < at_most * fixed->record.phases.compute);
  CHECK(moved->values == reference::shortest_distances(graph, VertexId(0)));
}

TEST_CASE("the last worker of a node stays, and small gains move nothing") {
  const auto load = [](std::uint32_t worker, int milliseconds) {
    return LoadReport::WorkerLoad{.worker = PartId(worker),
                                  .time = std::chrono::milliseconds(milliseconds)};
  };
  LoadBalancer balancer(1, 3);
  const std::vector<LoadReport::WorkerLoad> small{load(0, 50), load(1, 4), load(2, 50)};
  CHECK(balancer.places(on({0, 0, 1}), small, 2) == on({0, 0, 1}));
  const std::vector<LoadReport::WorkerLoad> large{load(0, 50), load(1, 40), load(2, 20)};
  CHECK(balancer.places(on({0, 0, 1}), large, 2) == on({0, 1, 1}));
  CHECK(balancer.places(on({0, 1, 1}), large, 2) == on({0, 1, 1}));
}

TEST_CASE("every worker's rounds are counted once, on whichever nodes it ran") {
  const Graph graph = leeway::testing::random_graph(6, 400, 1600, false, WeightKind::Integer);
  RunOptions options = uneven(Scheduler::Bsp);
  const PieSssp program(graph, VertexId(0), 20);
  const auto fixed = run_pie(graph, program, options);
  options.pie.rebalance = 2;
  const auto moved = run_pie(graph, program, options);
  REQUIRE(fixed.has_value());
  REQUIRE(moved.has_value());
  CHECK(moved->record.count(Counter::MovedWorkers) > 0);
  CHECK(moved->record.count(Counter::Rounds) == fixed->record.count(Counter::Rounds));
  CHECK(moved->record.count(Counter::MostRounds) == fixed->record.count(Counter::MostRounds));
  CHECK(moved->record.messages() == fixed->record.messages());
}

TEST_CASE("a slow machine gives workers to the others during the query") {
  const Graph graph = generate("kron:12:8", {}).value();
  RunOptions options;
  options.cluster.fabric = Fabric::Sim;
  options.cluster.nodes = 4;
  options.cluster.faults.slowdown_percent = {500, 100, 100, 100};
  options.pie.workers = 16;
  options.partition.method = PartitionMethod::Hash;
  options.pie.schedule.model = GENERATE(Scheduler::Bsp, Scheduler::Ssp, Scheduler::Aap);
  if (options.pie.schedule.model == Scheduler::Ssp) options.pie.schedule.bound = 2;
  INFO(scheduler_name(options.pie.schedule.model));
  const auto fixed = run_pie(graph, PiePageRank(), options);
  options.pie.rebalance = 3;
  const auto moved = run_pie(graph, PiePageRank(), options);
  REQUIRE(fixed.has_value());
  REQUIRE(moved.has_value());
  CHECK(moved->record.count(Counter::MovedWorkers) > 0);
  CHECK(moved->record.phases.compute < 0.9 * fixed->record.phases.compute);
}
