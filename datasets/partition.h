// Dividing a graph's vertices among parts, one part a node: every method behind one call. A partition
// names an owner for each vertex; parts may be empty, and there may be more parts than vertices.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "leeway/base/array.h"
#include "leeway/base/ids.h"
#include "leeway/base/result.h"
#include "leeway/datasets/graph.h"

namespace leeway {

class Progress;

/// Owns its array; move-only. Invariant: every owner is below `part_count`.
struct Partition {
  std::uint32_t part_count = 1;
  Array<PartId> owner;  ///< one a vertex
};

enum class PartitionMethod {
  Auto,    ///< whichever of the others the graph's arcs speak for (see partition_auto.h)
  Metis,   ///< METIS k-way: smallest cut; holds the symmetrised graph in memory, below 2^31 arcs
  Block,   ///< contiguous ranges of vertices
  Hash,    ///< by a hash of vertex and seed; needs no memory, balanced on average
  Random,  ///< a seeded shuffle dealt out evenly
  Ldg,     ///< linear deterministic greedy (Stanton & Kliot, KDD'12): one pass over the vertices
  Fennel,  ///< Fennel (Tsourakakis et al., WSDM'14): one pass, gamma = 1.5
  File,    ///< owners read from a text file
};

/// What parts are to have the same amount of.
enum class BalanceBy {
  Vertices,
  Arcs,  ///< a vertex weighs one plus its out-arcs
};

struct PartitionOptions {
  PartitionMethod method = PartitionMethod::Auto;
  std::uint32_t parts = 1;  ///< 0 with File: as many as the file speaks of
  BalanceBy balance = BalanceBy::Vertices;
  /// METIS: cut little weight rather than few edges. Requires a real or integer weighted graph.
  bool edge_weights = false;
  /// METIS: what each vertex weighs, instead of `balance`. Empty, or one positive number a vertex.
  std::span<const std::uint32_t> vertex_weights;
  std::uint64_t seed = 1;  ///< for Metis, 1 is the seed that `gpmetis` uses by default
  /// METIS: runs of which the best is kept; 0 = four on small graphs, one on large ones.
  unsigned tries = 0;
  std::string owner_file;        ///< for File
  Progress* progress = nullptr;  ///< told how far the work has come, if somebody watches
  std::optional<double>
      skew;  ///< make part 0 this many times the median part (see partition_skew.h)
};

/// More parts than this are taken for a slip of the pen.
inline constexpr std::uint32_t kMaxParts = std::uint32_t{1} << 20;

struct PartitionMethodInfo {
  PartitionMethod method;
  std::string_view name;
  std::string_view summary;
};
/// Every method with its name on the command line, in the order help lists them.
[[nodiscard]] std::span<const PartitionMethodInfo> partition_methods();
[[nodiscard]] std::string_view partition_method_name(PartitionMethod method);

/// Sets method (and owner file) from "auto", "metis", "block", …; anything else with a '/' or '.' in it, or
/// "file:PATH", is an owner file.
Status parse_partition_method(std::string_view text, PartitionOptions& options);

/// Hash, of one vertex.
[[nodiscard]] PartId hashed_part(VertexId vertex, std::uint32_t parts, std::uint64_t seed);
/// Random, of one of `count` vertices: parts get equally many, or one more.
[[nodiscard]] PartId dealt_part(VertexId vertex, std::uint64_t count, std::uint32_t parts,
                                std::uint64_t seed);

/// Same graph, options and seed: same partition.
Result<Partition> partition_graph(const Graph& graph, const PartitionOptions& options);

}  // namespace leeway
