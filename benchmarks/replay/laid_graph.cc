#include "leeway/benchmarks/replay/laid_graph.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "leeway/datasets/partition.h"

namespace leeway::replay {

namespace {

std::uint32_t count_remote(const Part& part, NodeId self) {
  std::vector<ObjectId> remote;
  for (const ObjectId target : part.targets) {
    if (target.home() != self) remote.push_back(target);
  }
  std::sort(remote.begin(), remote.end());
  return static_cast<std::uint32_t>(std::unique(remote.begin(), remote.end()) - remote.begin());
}

}  // namespace

Result<LaidGraph> lay_out(const Graph& graph, std::string name, std::uint32_t nodes,
                          std::uint64_t seed) {
  PartitionOptions options;
  options.method = PartitionMethod::Metis;
  options.parts = nodes;
  options.seed = seed;
  LEEWAY_ASSIGN(const Partition partition, partition_graph(graph, options));
  LaidGraph laid;
  laid.name = std::move(name);
  laid.vertices = graph.vertex_count();
  laid.arcs = graph.arc_count();
  laid.parts.resize(nodes);
  for (Part& part : laid.parts) part.offsets.push_back(0);

  std::vector<std::uint32_t> population(nodes, 0);
  std::vector<ObjectId> object_of;
  for (const PartId owner : partition.owner.span()) {
    object_of.emplace_back(NodeId(owner.value()), LocalIndex(population[owner.index()]++));
  }
  for (std::uint32_t i = 0; i < graph.vertex_count(); ++i) {
    Part& part = laid.parts[object_of[i].home().index()];
    for (const VertexId neighbor : graph.neighbors(VertexId(i))) {
      part.targets.push_back(object_of[neighbor.index()]);
      if (part.targets.back().home() != object_of[i].home()) ++laid.cut_arcs;
    }
    part.offsets.push_back(part.targets.size());
  }
  for (std::uint32_t node = 0; node < nodes; ++node) {
    laid.parts[node].remote_objects = count_remote(laid.parts[node], NodeId(node));
  }
  return laid;
}

DefaultGraph default_graph() {
  const char* const folder = std::getenv("LEEWAY_DATA");
  if (folder == nullptr || *folder == '\0') return {"kron:15:12", true};
  return {std::string(folder) + "/soc-Slashdot0902.txt.zst", false};
}

}  // namespace leeway::replay
