// Which node each vertex of a graph in parts lives on. Ranges, hashes and a shuffle are formulas; the streaming
// methods all nodes work out together (stream_division.h), and METIS beyond what node 0 may hold
// (multilevel_division.h); what looks at the whole graph (METIS up to there, or by weights of edges; a file; a skewed
// division) node 0 does, which holds the graph for so long, and each node is told of the vertices of its range.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "leeway/base/result.h"
#include "leeway/datasets/graph.h"
#include "leeway/datasets/partition.h"
#include "leeway/runtime/parts/exchange.h"
#include "leeway/runtime/parts/graph_part.h"

namespace leeway {

/// The method that `how` asks for; where that is Auto, what suits this graph (datasets/partition_auto.h), but ranges
/// where node 0 would be seen to hold all of it. Collective.
[[nodiscard]] PartitionMethod method_for(Exchange& exchange, const GraphPart& part,
                                         const PartitionOptions& how);

/// Out of one vertex of the whole graph. Collective, while the part has its arcs.
[[nodiscard]] std::uint64_t most_arcs(Exchange& exchange, const GraphPart& part);

class Division {
 public:
  /// `known`: node 0's alone, the division of the whole graph if there is one already. Collective.
  static Result<Division> make(Exchange& exchange, const GraphPart& part,
                               const PartitionOptions& how, const Partition* known = nullptr);

  /// All vertices of a range live on its node.
  [[nodiscard]] bool by_ranges() const { return method_ == PartitionMethod::Block && !told_; }
  /// Of a vertex of this node's range, by its place there.
  [[nodiscard]] NodeId home_here(std::uint32_t place) const;
  /// Of any vertices, in their order. Collective.
  [[nodiscard]] std::vector<NodeId> homes(Exchange& exchange,
                                          std::span<const VertexId> vertices) const;

 private:
  [[nodiscard]] NodeId by_formula(VertexId vertex) const;

  PartitionMethod method_ = PartitionMethod::Block;
  const GraphPart* part_ = nullptr;
  std::uint64_t seed_ = 1;
  bool told_ = false;           // no formula tells
  std::vector<PartId> owners_;  // of this node's range, if so
};

/// The whole graph at node 0, an empty one elsewhere. Collective.
Result<Graph> gather_graph(Exchange& exchange, const GraphPart& part);

}  // namespace leeway
