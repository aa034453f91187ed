// A division that one node worked out, brought to those it concerns.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "base/ids.h"
#include "leeway/cluster.h"
#include "leeway/graph.h"
#include "leeway/result.h"
#include "runtime/cluster/exchange.h"
#include "runtime/graph/graph_part.h"

namespace leeway {

/// Of the owners of all vertices, as node 0 has found them or not, each node's range. Collective.
Result<std::vector<PartId>> deal_owners(Exchange& exchange, const VertexRanges& ranges,
                                        const Result<std::span<const PartId>>& all);

inline Result<std::span<const PartId>> owners_of(const Result<Partition>& divided) {
  if (!divided) return fail(divided.error());
  return divided->owner.span();
}

// Which node each vertex of a graph in parts lives on. Ranges, hashes and a shuffle are formulas; the streaming
// methods all nodes work out together (stream_division.h), and METIS beyond what node 0 may hold
// (multilevel_division.h); what looks at the whole graph (METIS up to there, or by weights of edges; a file; a skewed
// division) node 0 does, which holds the graph for so long, and each node is told of the vertices of its range.

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

// Dividing a graph in parts by one pass over its vertices (LDG, Fennel), which each node makes over its own range at the
// same time as the others. In batches: within one a node sees where the others' vertices went before it, and what they have
// put into each part since then it guesses to be what it has put there itself. No node holds more than its
// range and the vertices that its arcs lead to.

/// The parts of the vertices of this node's range, a part a node; `how.method` is Ldg or Fennel. No part gets more
/// than the method's limit and its heaviest vertices beyond. The same for as many nodes. Collective.
[[nodiscard]] std::vector<PartId> stream_division(Exchange& exchange, const GraphPart& part,
                                                  const PartitionOptions& how);

// One division of a graph for all processes of a job, whatever engine runs on it: node 0 works it out and
// sends it to the others, for METIS takes longer than most of what is then computed, and processes on one
// machine that all run it take turns on its cores.

/// The method that `how` asks for; where nobody said one, what suits this graph and, if messages are slow or their
/// time is simulated, the fewest of them.
[[nodiscard]] PartitionMethod method_for(const ClusterOptions& cluster, const Graph& graph,
                                         const PartitionOptions& how);

/// `graph` in `how.parts` parts. Where nodes are processes: collective, a run of its own before the run that
/// the parts are for; every node gives the same graph and options, and where node 0 fails all do. Where all
/// nodes are in this process it is `partition_graph`.
Result<Partition> divide_once(const ClusterOptions& cluster, const Graph& graph,
                              const PartitionOptions& how);

}  // namespace leeway
