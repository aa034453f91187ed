// The memory plan compared with real use: every node of a cluster opens its space, fetches every
// remote neighbour, and measures its memory.
#include <catch2/catch.hpp>
#include <cstdlib>
#include <string>
#include <vector>

#include "datasets/plan.h"
#include "leeway/graph.h"
#include "test/support/clusters.h"

using namespace leeway;

namespace {

constexpr std::uint32_t kNodes = 4;

/// The object of every vertex: its part, and its number within the part in the order of the graph.
std::vector<ObjectId> objects_of(const Partition& partition) {
  std::vector<std::uint32_t> next(partition.part_count, 0);
  std::vector<ObjectId> objects;
  for (const PartId part : partition.owner.span()) {
    objects.emplace_back(NodeId(part.value()), LocalIndex(next[part.index()]++));
  }
  return objects;
}

std::uint64_t measured_bytes(Node& node, const Graph& graph, const std::vector<ObjectId>& objects,
                             const NodeEstimate& plan) {
  SpaceOptions options;
  options.local_objects = static_cast<std::uint32_t>(plan.vertices);
  options.remote_objects = static_cast<std::uint32_t>(plan.remote_neighbors);
  auto dsm = Dsm<double>::open(node, options).value();
  std::vector<Handle> remote;
  for (std::uint32_t v = 0; v < graph.vertex_count(); ++v) {
    if (objects[v].home() != node.self()) continue;
    for (const VertexId target : graph.neighbors(VertexId(v))) {
      const ObjectId object = objects[target.index()];
      if (object.home() != node.self()) remote.push_back(dsm.resolve(object).value());
    }
  }
  dsm.replicate(remote);
  node.quiesce();
  return dsm.stats().bytes;
}

void plan_is_near(const Graph& graph, PartitionMethod method) {
  PartitionOptions how;
  how.parts = kNodes;
  how.method = method;
  const Partition partition = partition_graph(graph, how).value();
  const MemoryEstimate plan = estimate_memory(graph, report_partition(graph, partition), method);
  const auto objects = objects_of(partition);
  std::vector<std::uint64_t> measured(kNodes, 0);
  testing::run_loopback({.nodes = kNodes}, {}, [&](Node& node) {
    const std::size_t at = node.self().index();
    measured[at] = measured_bytes(node, graph, objects, plan.nodes[at]);
  });
  for (std::size_t n = 0; n < kNodes; ++n) {
    INFO("node " << n << ": " << plan.nodes[n].vertices << " vertices, "
                 << plan.nodes[n].remote_neighbors << " remote");
    const auto planned = static_cast<double>(plan.nodes[n].value_bytes + plan.nodes[n].cache_bytes);
    REQUIRE(planned == Approx(static_cast<double>(measured[n])).epsilon(0.25));
  }
}

}  // namespace

TEST_CASE("the plan of values and cache is within a quarter of what the nodes of a cluster hold") {
  for (const char* spec : {"kron:13:8", "grid2d:150x150", "path:2000"}) {
    INFO(spec);
    plan_is_near(generate(spec, {}).value(), PartitionMethod::Metis);
    plan_is_near(generate(spec, {}).value(), PartitionMethod::Hash);
  }
}

TEST_CASE("the plan is as accurate for a road network and a web graph") {
  const char* folder = std::getenv("LEEWAY_DATA");
  if (folder == nullptr) {
    WARN("skipped: LEEWAY_DATA is not set");
    return;
  }
  for (const char* name : {"USA-road-d.NY.gr.zst", "cnr-2000.txt.zst"}) {
    INFO(name);
    plan_is_near(load_graph(std::string(folder) + "/" + name, {}).value(), PartitionMethod::Metis);
  }
}
