// What one node of a job holds of a graph that lies in parts: its own vertices, what their updates read, and where what
// is read lives. Made of the arcs in the ranges, which are handed on to where each vertex lives. Nothing in it is as long
// as the graph has vertices. Immutable once made.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "leeway/base/result.h"
#include "leeway/datasets/partition.h"
#include "leeway/runtime/job_structure.h"
#include "leeway/runtime/parts/exchange.h"
#include "leeway/runtime/parts/graph_part.h"
#include "leeway/runtime/shard.h"

namespace leeway {

class PartStructure {
 public:
  /// Takes the arcs out of `part`, which keeps its names. `known` as in Division::make. Collective.
  static Result<PartStructure> make(Exchange& exchange, GraphPart& part,
                                    const StructureNeeds& needs, const PartitionOptions& how,
                                    VertexOrder order, const Partition* known);

  /// Once; the structure outlives it.
  [[nodiscard]] Result<Shard> shard();
  /// Those that live here, by place.
  [[nodiscard]] std::span<const VertexId> vertices() const { return vertices_; }
  /// What it took to say who lives where, all nodes together.
  [[nodiscard]] double division_seconds() const { return division_seconds_; }

 private:
  StructureNeeds needs_;
  std::vector<VertexId> vertices_;
  ShardArrays arrays_;
  double division_seconds_ = 0;
};

/// Brings what the nodes have of their vertices to the nodes in whose ranges these are, `size` bytes each: what this
/// node's range has, in order. Collective.
[[nodiscard]] std::vector<std::byte> bring_to_ranges(Exchange& exchange, const VertexRanges& ranges,
                                                     std::span<const VertexId> vertices,
                                                     std::span<const std::byte> values,
                                                     std::size_t size);

/// True if every arc has its reverse. Collective.
Result<bool> is_symmetric(Exchange& exchange, const GraphPart& part);

}  // namespace leeway
