#include "leeway/datasets/plan.h"

#include <algorithm>
#include <cmath>

#include "leeway/base/check.h"

namespace leeway {

namespace {

// Fitted to what METIS held at its peak, input included, on grids, paths, R-MAT and uniform graphs of a
// million arcs: between 0.7 and 1.0 of the random graphs' peak, 1.2 to 1.5 of the others'.
constexpr std::uint64_t kMetisArcBytes = 40;
constexpr std::uint64_t kMetisVertexBytes = 40;

std::uint64_t weight_bytes(WeightKind kind) {
  switch (kind) {
    case WeightKind::None: return 0;
    case WeightKind::Integer:
    case WeightKind::Real: return sizeof(double);
    case WeightKind::Complex: return 2 * sizeof(double);
  }
  LEEWAY_UNREACHABLE("weight kind", static_cast<std::uint32_t>(kind));
}

std::uint64_t links_and_slots(std::uint64_t slots, std::uint64_t links) {
  return slots * kSlotBytes + (slots + 7) / 8 + links * kLinkBytes;
}

NodePlan node_plan(const GraphCounts& counts, std::uint64_t remote, std::uint64_t links,
                   std::uint64_t value_size) {
  NodePlan node;
  node.vertices = counts.vertices;
  node.arcs = counts.arcs;
  node.remote_neighbors = remote;
  node.name_bytes = name_table_bytes(counts);
  node.structure_bytes = structure_bytes(counts) - node.name_bytes;
  node.value_bytes = value_size * (counts.vertices + remote);
  node.cache_bytes = links_and_slots(remote, links);
  return node;
}

MemoryPlan whole(const GraphCounts& counts, std::uint32_t nodes, PartitionMethod method) {
  MemoryPlan plan;
  plan.graph_bytes = structure_bytes(counts);
  plan.load_peak_bytes = load_peak_bytes(counts);
  plan.partition_bytes = partitioner_bytes(counts, nodes, method);
  return plan;
}

}  // namespace

GraphCounts counts_of(const Graph& graph) {
  return {graph.vertex_count(), graph.arc_count(),     graph.names().text().size(),
          graph.weight_kind(),  graph.names().kind(), graph.directed()};
}

GraphCounts counts_of(const Graph& graph, const PartReport& part) {
  return {part.vertices,        part.arcs,            part.name_bytes,
          graph.weight_kind(),  graph.names().kind(), graph.directed()};
}

std::uint64_t name_table_bytes(const GraphCounts& counts) {
  switch (counts.name_kind) {
    case NameKind::Sequence: return 0;
    case NameKind::Numbers: return counts.vertices * sizeof(std::uint64_t);
    case NameKind::Strings:
      return (counts.vertices + 1) * sizeof(std::uint64_t) + counts.vertices * sizeof(VertexId) +
             counts.name_bytes;
  }
  LEEWAY_UNREACHABLE("name kind", static_cast<std::uint32_t>(counts.name_kind));
}

std::uint64_t structure_bytes(const GraphCounts& counts) {
  return (counts.vertices + 1) * sizeof(std::uint64_t) +
         counts.arcs * (sizeof(VertexId) + weight_bytes(counts.weight_kind)) +
         name_table_bytes(counts);
}

std::uint64_t load_peak_bytes(const GraphCounts& counts) {
  const std::uint64_t listed = counts.directed ? counts.arcs : counts.arcs / 2;
  const std::uint64_t runs = std::min(listed, counts.vertices);
  return structure_bytes(counts) + listed / 8 + runs * sizeof(VertexId) +
         listed * (sizeof(VertexId) + weight_bytes(counts.weight_kind));
}

std::uint64_t partitioner_bytes(const GraphCounts& counts, std::uint32_t parts,
                                PartitionMethod method) {
  const std::uint64_t owners = counts.vertices * sizeof(PartId);
  if (method == PartitionMethod::Ldg || method == PartitionMethod::Fennel) {
    return owners + std::uint64_t{parts} * 64;  // loads, an ordered set of them, neighbour counts
  }
  if (method != PartitionMethod::Metis) return owners;
  if (parts <= 1) return owners;
  // The symmetrised copy and METIS' own: every level of coarsening, each at most about half the last.
  const std::uint64_t arcs = counts.directed ? 2 * counts.arcs : counts.arcs;
  const std::uint64_t reversal = counts.directed ? 4 * counts.arcs + 16 * counts.vertices : 0;
  return owners + reversal + arcs * kMetisArcBytes + counts.vertices * kMetisVertexBytes;
}

MemoryPlan plan_memory(const Graph& graph, const PartitionReport& report, PartitionMethod method,
                       std::uint64_t value_size) {
  LEEWAY_CHECK(!report.parts.empty());
  const auto nodes = static_cast<std::uint32_t>(report.parts.size());
  MemoryPlan plan = whole(counts_of(graph), nodes, method);
  std::uint64_t copies = 0;
  std::uint64_t boundary = 0;
  for (const PartReport& part : report.parts) {
    copies += part.remote_neighbors;
    boundary += part.boundary;
  }
  for (const PartReport& part : report.parts) {
    // Every copy somewhere has its link at some home: shared out by boundary vertices.
    const std::uint64_t links = boundary == 0 ? 0 : static_cast<std::uint64_t>(
        static_cast<double>(copies) * static_cast<double>(part.boundary) / static_cast<double>(boundary));
    plan.nodes.push_back(node_plan(counts_of(graph, part), part.remote_neighbors, links, value_size));
  }
  return plan;
}

MemoryPlan plan_memory(const GraphCounts& counts, std::uint32_t nodes, PartitionMethod method,
                       std::uint64_t value_size) {
  LEEWAY_CHECK(nodes > 0u);
  MemoryPlan plan = whole(counts, nodes, method);
  GraphCounts share = counts;
  share.vertices = (counts.vertices + nodes - 1) / nodes;
  share.arcs = (counts.arcs + nodes - 1) / nodes;
  share.name_bytes = (counts.name_bytes + nodes - 1) / nodes;
  // A part's arcs hit each of the other vertices with equal chance; how many are hit at least once.
  const auto others = static_cast<double>(counts.vertices - std::min(counts.vertices, share.vertices));
  const double misses = others == 0 ? 1.0 : std::exp(-static_cast<double>(share.arcs) /
                                                     static_cast<double>(counts.vertices));
  const auto remote = static_cast<std::uint64_t>(others * (1.0 - misses));
  plan.nodes.assign(nodes, node_plan(share, remote, remote, value_size));
  return plan;
}

}  // namespace leeway
