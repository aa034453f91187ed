#include "datasets/plan.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/check.h"

namespace leeway {

namespace {

// Fitted to METIS' measured peak memory, including its input, on grids, paths, R-MAT and uniform graphs of a million to ten million
// arcs: the prediction is 0.9 to 1.1 times the peak of the random graphs and up to twice the peak of the others.
constexpr std::uint64_t kMetisArcBytes = 56;
constexpr std::uint64_t kMetisVertexBytes = 40;

std::uint64_t weight_bytes(WeightKind kind) {
  return kind == WeightKind::None ? 0 : sizeof(double);
}

/// Capacity of an array of `elements` elements that grew by doubling.
std::uint64_t doubled(std::uint64_t elements) { return std::bit_ceil(elements); }

/// Expected size of the id table if the remote neighbours are random vertices of other nodes.
std::uint64_t id_table_bytes(std::uint64_t remote, std::uint64_t others) {
  if (remote == 0) return 0;
  const double chunks = std::ceil(static_cast<double>(std::max(remote, others)) / kIdsPerChunk);
  const double touched = chunks * -std::expm1(-static_cast<double>(remote) / chunks);
  const auto bytes = static_cast<std::uint64_t>(std::ceil(touched)) * kChunkBytes;
  const auto directory = static_cast<std::uint64_t>(chunks) * sizeof(void*);
  return (bytes + kBlockBytes - 1) / kBlockBytes * kBlockBytes + directory;
}

/// Metadata of a node for its own vertices, for its copies of remote vertices, and for remote copies of its vertices.
std::uint64_t cache_bytes(const NodeEstimate& node, std::uint64_t others) {
  const std::uint64_t bits = (node.vertices + node.remote_neighbors) / 4;
  const std::uint64_t home = node.vertices * kHomeBytes + doubled(node.copies + 1) * kSharerBytes +
                             node.copies * kCopyBytes * 3 / 2;
  const std::uint64_t slots = doubled(node.remote_neighbors) * kEntryBytes +
                              node.remote_neighbors * (kSlotOfLinkBytes * 3 / 2 + kAgeBytes);
  return bits + home + slots + id_table_bytes(node.remote_neighbors, others);
}

std::uint64_t name_table_bytes(const GraphCounts& counts) {
  switch (counts.name_kind) {
    case NameKind::Sequence:
      return 0;
    case NameKind::Numbers:
      return counts.vertices * sizeof(std::uint64_t);
    case NameKind::Strings:
      return (counts.vertices + 1) * sizeof(std::uint64_t) + counts.vertices * sizeof(VertexId) +
             counts.name_bytes;
  }
  LEEWAY_UNREACHABLE("name kind", static_cast<std::uint32_t>(counts.name_kind));
}

/// `counts` are those of the node, `others` is the number of vertices of other nodes.
NodeEstimate node_estimate(const GraphCounts& counts, std::uint64_t others, std::uint64_t remote,
                           std::uint64_t copies, std::uint64_t value_size) {
  NodeEstimate node;
  node.vertices = counts.vertices;
  node.arcs = counts.arcs;
  node.remote_neighbors = remote;
  node.copies = copies;
  node.name_bytes = name_table_bytes(counts);
  node.structure_bytes = structure_bytes(counts) - node.name_bytes;
  node.value_bytes = value_size * (counts.vertices + remote);
  node.cache_bytes = cache_bytes(node, others);
  // With random sources every arc is a separate run, so both its ends are sent.
  const std::uint64_t arrived = 2 * sizeof(VertexId) + weight_bytes(counts.weight_kind);
  node.load_bytes = counts.arcs * arrived + counts.arcs / 8 + structure_bytes(counts);
  return node;
}

MemoryEstimate whole(const GraphCounts& counts, std::uint32_t nodes, PartitionMethod method) {
  MemoryEstimate estimate;
  estimate.graph_bytes = structure_bytes(counts);
  estimate.load_peak_bytes = load_peak_bytes(counts);
  estimate.partition_bytes = partitioner_bytes(counts, nodes, method);
  return estimate;
}

}  // namespace

GraphCounts counts_of(const Graph& graph) {
  return {graph.vertex_count(), graph.arc_count(),    graph.names().text().size(),
          graph.weight_kind(),  graph.names().kind(), graph.directed()};
}

GraphCounts counts_of(const Graph& graph, const PartReport& part) {
  return {part.vertices,        part.arcs,       part.name_bytes, graph.weight_kind(),
          graph.names().kind(), graph.directed()};
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
  // The symmetrised copy, and METIS' coarsening levels, each at most about half the size of the previous one.
  const std::uint64_t arcs = counts.directed ? 2 * counts.arcs : counts.arcs;
  const std::uint64_t reversal = counts.directed ? 4 * counts.arcs + 16 * counts.vertices : 0;
  return owners + reversal + arcs * kMetisArcBytes + counts.vertices * kMetisVertexBytes;
}

MemoryEstimate estimate_memory(const Graph& graph, const PartitionReport& report,
                               PartitionMethod method, std::uint64_t value_size) {
  LEEWAY_CHECK(!report.parts.empty());
  const auto nodes = static_cast<std::uint32_t>(report.parts.size());
  MemoryEstimate estimate = whole(counts_of(graph), nodes, method);
  for (const PartReport& part : report.parts) {
    estimate.nodes.push_back(node_estimate(counts_of(graph, part),
                                           graph.vertex_count() - part.vertices,
                                           part.remote_neighbors, part.copies, value_size));
  }
  return estimate;
}

MemoryEstimate estimate_memory(const GraphCounts& counts, std::uint32_t nodes,
                               PartitionMethod method, std::uint64_t value_size) {
  LEEWAY_CHECK(nodes > 0u);
  MemoryEstimate estimate = whole(counts, nodes, method);
  GraphCounts share = counts;
  share.vertices = (counts.vertices + nodes - 1) / nodes;
  share.arcs = (counts.arcs + nodes - 1) / nodes;
  share.name_bytes = (counts.name_bytes + nodes - 1) / nodes;
  // Each arc of a part has a random target; this is the expected number of distinct remote targets.
  const auto others =
      static_cast<double>(counts.vertices - std::min(counts.vertices, share.vertices));
  const double misses =
      others == 0
          ? 1.0
          : std::exp(-static_cast<double>(share.arcs) / static_cast<double>(counts.vertices));
  const auto remote = static_cast<std::uint64_t>(others * (1.0 - misses));
  estimate.nodes.assign(
      nodes, node_estimate(share, static_cast<std::uint64_t>(others), remote, remote, value_size));
  return estimate;
}

}  // namespace leeway
