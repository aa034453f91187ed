// Programs of each kind of engine under every scheduler, visit and order, over threads and in the
// virtual cluster, compared with oracles that share no code with them.
#include <catch2/catch.hpp>
#include <functional>
#include <string>
#include <vector>

#include "datasets/generate.h"
#include "leeway/graph.h"
#include "leeway/job.h"
#include "programs/cc/vertex.h"
#include "programs/pagerank/vertex.h"
#include "programs/reference/oracles.h"
#include "programs/sssp/vertex.h"
#include "transport/fabric.h"

using namespace leeway;

namespace {

struct NamedGraph {
  std::string name;
  Graph graph;
};

std::vector<NamedGraph> small_graphs() {
  std::vector<NamedGraph> graphs;
  for (const char* spec :
       {"star:50", "grid2d:9x7", "known:karate", "kron:6:6", "uniform:60:2", "path:1"}) {
    graphs.push_back({spec, generate(spec, {}).value()});
  }
  LoadOptions weights;
  weights.weights = Weights::Random;
  graphs.push_back({"weighted path:40", generate("path:40", weights).value()});
  return graphs;
}

/// Calls `check(graph, options)` for every graph and scheduler, in modes of each kind, on three
/// nodes. catalog_test.cc tests every mode and number of nodes.
void every_way(const std::function<void(const Graph&, const RunOptions&)>& check) {
  for (const NamedGraph& each : small_graphs()) {
    for (const char* mode : {"scp", "stale-2", "rcp", "rcp+push"}) {
      for (const Fabric fabric : {Fabric::Loopback, Fabric::Sim}) {
        for (const SchedulerInfo& scheduler : schedulers()) {
          INFO(each.name << ", " << mode << ", " << fabric_name(fabric) << ", " << scheduler.name);
          RunOptions options;
          options.cluster.fabric = fabric;
          options.cluster.nodes = 3;
          options.cluster.policy = parse_policy(mode).value();
          if (fabric == Fabric::Sim) {
            options.cluster.network = parse_profile("infiniband").value();
            options.partition.method = PartitionMethod::Hash;  // the default on loopback is METIS
          }
          options.vertex.scheduler = scheduler.scheduler;
          check(each.graph, options);
        }
      }
    }
  }
}

template <class T>
std::size_t different(const std::vector<T>& a, const std::vector<T>& b) {
  std::size_t count = a.size() == b.size() ? 0 : a.size() + b.size();
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) count += a[i] == b[i] ? 0 : 1;
  return count;
}

}  // namespace

TEST_CASE("shortest distances equal Dijkstra's, by worklist and by sweep") {
  every_way([](const Graph& graph, const RunOptions& options) {
    const auto expected = reference::shortest_distances(graph, VertexId(0));
    for (const Visit visit : {Visit::Auto, Visit::Active, Visit::All}) {
      RunOptions how = options;
      how.vertex.visit = visit;
      const auto result = run_job(graph, Sssp(graph, VertexId(0)), how);
      REQUIRE(result.has_value());
      CHECK(result->record.converged());
      REQUIRE(different(result->values, expected) == 0);
    }
  });
}

TEST_CASE("components equal the oracle's") {
  every_way([](const Graph& graph, const RunOptions& options) {
    const auto expected = reference::components(graph);
    for (const WorkOrder order : {WorkOrder::Priority, WorkOrder::Owner, WorkOrder::Degree}) {
      RunOptions how = options;
      how.vertex.order = order;
      const auto result = run_job(graph, Components(graph), how);
      REQUIRE(result.has_value());
      REQUIRE(different(result->values, expected) == 0);
    }
  });
}

TEST_CASE("ranks equal PageRank's definition within one in a million") {
  every_way([](const Graph& graph, const RunOptions& options) {
    const auto expected = reference::pagerank(graph, {});
    auto result = run_job(graph, PageRank(graph, {}), options);
    REQUIRE(result.has_value());
    if (options.vertex.scheduler != Scheduler::Bsp)
      scale_to_one(result->values, sum_of(result->values));
    double worst = 0;
    for (std::size_t v = 0; v < expected.size(); ++v)
      worst = std::max(worst, std::abs(result->values[v] - expected[v]) / expected[v]);
    REQUIRE(worst < 1e-6);
  });
}

namespace {

double total_difference(std::vector<double> found, const std::vector<double>& expected) {
  scale_to_one(found, sum_of(found));
  double sum = 0;
  for (std::size_t v = 0; v < expected.size(); ++v) sum += std::abs(found[v] - expected[v]);
  return sum;
}

/// Ranks that would move by 1e-8 in all, or 1.25e-8 with the moves that are not stored, have at most 1/(1 - .85) times that to go;
/// scaling can double it.
constexpr double kNearInSum = 1.7e-7;

/// Iterations of the power method, whose ranks always sum to 1, until the sum of changes is at most 1e-8.
std::uint32_t power_iterations(const Graph& graph) {
  const std::size_t count = graph.vertex_count();
  std::vector<double> ranks(count, 1.0 / static_cast<double>(count));
  for (std::uint32_t iteration = 1;; ++iteration) {
    std::vector<double> next(count, 0.0);
    for (std::uint32_t v = 0; v < count; ++v) {
      const auto targets = graph.neighbors(VertexId(v));
      for (const VertexId to : targets)
        next[to.index()] += 0.85 * ranks[v] / static_cast<double>(targets.size());
    }
    double flowed = 0;
    for (const double rank : next) flowed += rank;
    double changes = 0;
    for (std::size_t v = 0; v < count; ++v) {
      next[v] += (1 - flowed) / static_cast<double>(count);
      changes += std::abs(next[v] - ranks[v]);
    }
    ranks = std::move(next);
    if (changes <= 1e-8) return iteration;
  }
}

}  // namespace

TEST_CASE("ranks that rest by the sum of their changes are as near as their tolerance") {
  every_way([](const Graph& graph, const RunOptions& options) {
    const auto result = run_job(graph, PageRank(graph, {.tolerance_of = RankChange::Sum}), options);
    REQUIRE(result.has_value());
    REQUIRE(result->record.converged());
    REQUIRE(total_difference(result->values, reference::pagerank(graph, {})) < kNearInSum);
  });
}

TEST_CASE("ranks rest in no more sweeps than the power method needs") {
  LoadOptions directed;
  directed.direction = Direction::Directed;
  for (const char* spec :
       {"uniform:3000:2", "uniform:3000:4", "kron:11:8", "tree:4000", "grid2d:50x50"}) {
    for (const bool one_way : {false, true}) {
      const Graph graph = generate(spec, one_way ? directed : LoadOptions()).value();
      const std::uint32_t most = power_iterations(graph);
      for (const Scheduler scheduler : {Scheduler::DoWork, Scheduler::Bsp, Scheduler::Ap}) {
        for (const unsigned threads : {1U, 2U}) {
          INFO(spec << (one_way ? ", directed, " : ", ") << scheduler_name(scheduler) << ", "
                    << threads);
          RunOptions options;
          options.vertex.scheduler = scheduler;
          options.vertex.threads = threads;
          const auto result =
              run_job(graph, PageRank(graph, {.tolerance_of = RankChange::Sum}), options);
          REQUIRE(result.has_value());
          CHECK(result->record.iterations() <= most);
          CHECK(total_difference(result->values, reference::pagerank(graph, {})) < kNearInSum);
        }
      }
    }
  }
}

TEST_CASE("ranks that keep their sum rest in fewer sweeps than those that do not") {
  LoadOptions directed;
  directed.direction = Direction::Directed;
  const Graph graph = generate("uniform:3000:4", directed).value();
  const auto sweeps = [&](bool rescale, RankChange of) {
    return run_job(graph, PageRank(graph, {.tolerance_of = of, .rescale = rescale}), {})
        .value()
        .record.iterations();
  };
  CHECK(2 * sweeps(true, RankChange::Sum) < sweeps(false, RankChange::Sum));
  CHECK(sweeps(true, RankChange::Each) < sweeps(false, RankChange::Each));
}

TEST_CASE("ranks in single precision are near those in double precision") {
  for (const NamedGraph& each : small_graphs()) {
    for (const Scheduler scheduler : {Scheduler::DoWork, Scheduler::Bsp, Scheduler::Aap}) {
      INFO(each.name << ", " << scheduler_name(scheduler));
      RunOptions options;
      options.cluster.nodes = 2;
      options.vertex.scheduler = scheduler;
      const auto result = run_job(each.graph, PageRankOf<float>(each.graph, {}), options);
      REQUIRE(result.has_value());
      REQUIRE(result->record.converged());
      CHECK(total_difference(result->values, reference::pagerank(each.graph, {})) < 2e-5);
    }
  }
}
