// Programs of each kind of engine under every scheduler, visit and order, over threads and in the
// virtual cluster, compared with oracles that share no code with them.
#include <catch2/catch.hpp>
#include <functional>
#include <string>
#include <vector>

#include "datasets/generate.h"
#include "leeway/graph.h"
#include "leeway/job.h"
#include "programs/reference/oracles.h"
#include "programs/vertex/grouping.h"
#include "programs/vertex/pagerank.h"
#include "programs/vertex/paths.h"

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
