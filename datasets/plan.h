// How much memory a graph takes before anything is loaded: per node, while partitioning, and at the
// peak of loading. Pure functions of counts, thread-safe:
//
//   structure  8 (vertices + 1) + arcs (4 + 8 a weight + 8 an imaginary part)
//   names      0 for a sequence, 8 a vertex for numbers, 8 (vertices + 1) + 4 vertices + text for text
//   values     value bytes × (vertices + remote neighbours)
//   cache      what the object memory keeps beside the values: see kHomeBytes and the rest below
#pragma once

#include <cstdint>
#include <vector>

#include "leeway/graph.h"

namespace leeway {

/// What the size of a graph's arrays depends on.
struct GraphCounts {
  std::uint64_t vertices = 0;
  std::uint64_t arcs = 0;        ///< as stored: an undirected edge is two
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

// What the object memory (dsm/, protocol/) keeps beside the values; a test holds these against it. An
// array that grows by doubling counts as the power of two it ends at, several such as 1.5 times its use.

/// A home, for each of its vertices: version, head of the list of sharers, stores since the last flush;
/// and a bit each for "slow" and "written".
inline constexpr std::uint64_t kHomeBytes = 8 + 4 + 4;
/// A node, for each remote neighbour: what is held, known and asked for (doubling); its place among the
/// links of its home (several); its age; and a bit each for "slow" and "to refresh".
inline constexpr std::uint64_t kEntryBytes = 32;
inline constexpr std::uint64_t kSlotOfLinkBytes = 4;
inline constexpr std::uint64_t kAgeBytes = 1;
/// A home, for each copy of its vertices elsewhere: an element of a list of sharers (doubling), and what
/// the sharer has (several).
inline constexpr std::uint64_t kSharerBytes = 12;
inline constexpr std::uint64_t kCopyBytes = 32;
/// The table from ids to slots: chunks of 64 ids, taken from blocks.
inline constexpr std::uint64_t kIdsPerChunk = 64;
inline constexpr std::uint64_t kChunkBytes = 4 * kIdsPerChunk;
inline constexpr std::uint64_t kBlockBytes = std::uint64_t{2} << 20U;

struct NodePlan {
  std::uint64_t vertices = 0;
  std::uint64_t arcs = 0;
  std::uint64_t remote_neighbors = 0;
  std::uint64_t copies = 0;           ///< of its vertices, at other nodes
  std::uint64_t structure_bytes = 0;  ///< offsets, targets, weights
  std::uint64_t name_bytes = 0;
  std::uint64_t value_bytes = 0;
  std::uint64_t cache_bytes = 0;
  /// Where the node is a process that loads its part alone: arcs that have come, and the lists they become, at the
  /// moment both are whole. Gone when values and cache are made.
  std::uint64_t load_bytes = 0;
  [[nodiscard]] std::uint64_t total_bytes() const {
    return structure_bytes + name_bytes + value_bytes + cache_bytes;
  }
};

struct MemoryPlan {
  std::vector<NodePlan> nodes;
  std::uint64_t graph_bytes = 0;      ///< the whole graph in one process
  std::uint64_t load_peak_bytes = 0;  ///< the most that loading it from text holds at once
  std::uint64_t partition_bytes = 0;  ///< what the partitioner holds beside the graph
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
