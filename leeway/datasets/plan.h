// How much memory a graph takes before anything is loaded: per node, while partitioning, and at the
// peak of loading. Pure functions of counts, thread-safe:
//
//   structure  8 (vertices + 1) + arcs (4 + 8 a weight + 8 an imaginary part)
//   names      0 for a sequence, 8 a vertex for numbers, 8 (vertices + 1) + 4 vertices + text for text
//   values     value bytes × (vertices + remote neighbours)
//   cache      kSlotBytes × remote neighbours + 1 bit a slot; kLinkBytes a (vertex, sharer) at home
#pragma once

#include <cstdint>
#include <vector>

#include "leeway/datasets/graph.h"
#include "leeway/datasets/partition_report.h"

namespace leeway {

/// What the size of a graph's arrays depends on.
struct GraphCounts {
  std::uint64_t vertices = 0;
  std::uint64_t arcs = 0;  ///< as stored: an undirected edge is two
  std::uint64_t name_bytes = 0;  ///< characters of all names
  WeightKind weight_kind = WeightKind::None;
  NameKind name_kind = NameKind::Sequence;
  bool directed = true;
};

[[nodiscard]] GraphCounts counts_of(const Graph& graph);
/// The counts of one part of `graph`.
[[nodiscard]] GraphCounts counts_of(const Graph& graph, const PartReport& part);

[[nodiscard]] std::uint64_t name_table_bytes(const GraphCounts& counts);
/// All arrays of a Graph of these counts, names included: what Graph::bytes() will say.
[[nodiscard]] std::uint64_t structure_bytes(const GraphCounts& counts);

/// What a cached copy keeps beside its value: held, known, epoch and link.
inline constexpr std::uint64_t kSlotBytes = 24;
/// What a home keeps for each sharer of each of its vertices.
inline constexpr std::uint64_t kLinkBytes = 8;

struct NodePlan {
  std::uint64_t vertices = 0;
  std::uint64_t arcs = 0;
  std::uint64_t remote_neighbors = 0;
  std::uint64_t structure_bytes = 0;  ///< offsets, targets, weights
  std::uint64_t name_bytes = 0;
  std::uint64_t value_bytes = 0;
  std::uint64_t cache_bytes = 0;
  [[nodiscard]] std::uint64_t total_bytes() const {
    return structure_bytes + name_bytes + value_bytes + cache_bytes;
  }
};

struct MemoryPlan {
  std::vector<NodePlan> nodes;
  std::uint64_t graph_bytes = 0;        ///< the whole graph in one process
  std::uint64_t load_peak_bytes = 0;    ///< the most that loading it from text holds at once
  std::uint64_t partition_bytes = 0;    ///< what the partitioner holds beside the graph
};

/// Exact in everything the partition decides.
[[nodiscard]] MemoryPlan plan_memory(const Graph& graph, const PartitionReport& report,
                                     PartitionMethod method, std::uint64_t value_size = 8);

/// From counts alone: equal parts, and remote neighbours as random owners would give them, the most
/// that a sensible partition needs. Requires nodes > 0.
[[nodiscard]] MemoryPlan plan_memory(const GraphCounts& counts, std::uint32_t nodes,
                                     PartitionMethod method, std::uint64_t value_size = 8);

/// What partitioning holds beside the graph, its result included.
[[nodiscard]] std::uint64_t partitioner_bytes(const GraphCounts& counts, std::uint32_t parts,
                                              PartitionMethod method);
/// The packed edges (edge_list.h) and the graph they become, at the moment both are whole.
[[nodiscard]] std::uint64_t load_peak_bytes(const GraphCounts& counts);

}  // namespace leeway
