// Predicts the memory that a graph needs, without loading it: for each node, during partitioning, and at the peak of
// loading. Pure functions of counts, thread-safe:
//
//   structure  8 (vertices + 1) + arcs (4 + 8 if weighted)
//   names      0 for a sequence, 8 vertices for numbers, 8 (vertices + 1) + 4 vertices + text for text
//   values     value bytes × (vertices + remote neighbours)
//   cache      metadata of the object memory, in addition to the values: see kHomeBytes and the constants below
#pragma once

#include <cstdint>
#include <vector>

#include "datasets/graph.h"

namespace leeway {

/// The counts that determine the size of a graph's arrays.
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

/// Bytes of all arrays of a Graph with these counts, names included; equals Graph::bytes().
[[nodiscard]] std::uint64_t structure_bytes(const GraphCounts& counts);

// Metadata of the object memory (dsm/, protocol/) in addition to the values; a test compares the constants with the real
// sizes. An array that grows by doubling counts with the next power of two, a set of such arrays with 1.5 times its size.

/// At a home, for each of its vertices: version, head of the list of sharers, stores since the last flush; plus one bit each
/// for "slow" and "written".
inline constexpr std::uint64_t kHomeBytes = 8 + 4 + 4;
/// At a node, for each remote neighbour: cached, known and requested versions (one doubling array); its slot in the link to
/// its home (several arrays); its age; plus one bit each for "slow" and "to refresh".
inline constexpr std::uint64_t kEntryBytes = 32;
inline constexpr std::uint64_t kSlotOfLinkBytes = 4;
inline constexpr std::uint64_t kAgeBytes = 1;
/// At a home, for each remote copy of its vertices: an element of a list of sharers (one doubling array), and the version
/// that the sharer has (several arrays).
inline constexpr std::uint64_t kSharerBytes = 12;
inline constexpr std::uint64_t kCopyBytes = 32;
/// The table from ids to slots: chunks of 64 ids, allocated in blocks.
inline constexpr std::uint64_t kIdsPerChunk = 64;
inline constexpr std::uint64_t kChunkBytes = 4 * kIdsPerChunk;
inline constexpr std::uint64_t kBlockBytes = std::uint64_t{2} << 20U;

/// The predicted memory of one node.
struct NodeEstimate {
  std::uint64_t vertices = 0;
  std::uint64_t arcs = 0;
  std::uint64_t remote_neighbors = 0;
  std::uint64_t copies = 0;           ///< copies of its vertices at other nodes
  std::uint64_t structure_bytes = 0;  ///< offsets, targets, weights
  std::uint64_t name_bytes = 0;
  std::uint64_t value_bytes = 0;
  std::uint64_t cache_bytes = 0;
  /// If the node is a process that loads only its part: received arcs plus the lists built from them. Freed before values
  /// and cache are allocated.
  std::uint64_t load_bytes = 0;
  [[nodiscard]] std::uint64_t total_bytes() const {
    return structure_bytes + name_bytes + value_bytes + cache_bytes;
  }
};

struct MemoryEstimate {
  std::vector<NodeEstimate> nodes;
  std::uint64_t graph_bytes = 0;      ///< the whole graph in one process
  std::uint64_t load_peak_bytes = 0;  ///< peak while loading it from text
  std::uint64_t partition_bytes = 0;  ///< memory of the partitioner, in addition to the graph
};

/// Exact for all quantities that the partition determines.
[[nodiscard]] MemoryEstimate estimate_memory(const Graph& graph, const PartitionReport& report,
                                             PartitionMethod method, std::uint64_t value_size = 8);

/// From counts only: assumes equal parts and the remote neighbours of a random assignment, which is an upper bound for a
/// reasonable partition. Requires nodes > 0.
[[nodiscard]] MemoryEstimate estimate_memory(const GraphCounts& counts, std::uint32_t nodes,
                                             PartitionMethod method, std::uint64_t value_size = 8);

/// Memory of partitioning in addition to the graph, including the result.
[[nodiscard]] std::uint64_t partitioner_bytes(const GraphCounts& counts, std::uint32_t parts,
                                              PartitionMethod method);
/// Packed edges (EdgeList) plus the graph built from them.
[[nodiscard]] std::uint64_t load_peak_bytes(const GraphCounts& counts);

}  // namespace leeway
