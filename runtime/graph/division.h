// Partitioning for a job: the home of each vertex of a graph in parts (Division), and partitioning a whole graph once
// for all processes (divide_once).
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "datasets/graph.h"
#include "leeway/cluster.h"
#include "runtime/cluster/group.h"
#include "runtime/graph/graph_part.h"

namespace leeway {

/// Sends each node the owners of its range's vertices, from `all`, which only node 0 has. If node 0 has an error, all
/// nodes return one. Collective.
Result<std::vector<PartId>> scatter_owners(Group& group, const VertexRanges& ranges,
                                           const Result<std::span<const PartId>>& all);

inline Result<std::span<const PartId>> owners_of(const Result<Partition>& divided) {
  if (!divided) return fail(divided.error());
  return divided->owner.span();
}

/// Whether a graph in parts is small enough to be gathered at node 0, to be divided there. `auto` divides a larger one by ranges.
[[nodiscard]] bool is_gathered(std::uint64_t arcs);
/// The method in `how`. Auto becomes the method that suits this graph (datasets/partition_methods.h), but Block for
/// graphs that node 0 should not hold whole. Collective.
[[nodiscard]] PartitionMethod method_for(Group& group, const GraphPart& part,
                                         const PartitionOptions& how);

/// Largest out-degree of the whole graph. Collective; requires that the part still has its arcs.
[[nodiscard]] std::uint64_t most_arcs(Group& group, const GraphPart& part);

/// The home of each vertex of a graph in parts. Block, hash and random are formulas. LDG and Fennel are computed by
/// all nodes together in one pass over its vertices, and so is METIS on graphs that node 0 should not hold whole
/// (multilevel_division). Methods that need the whole graph (METIS on smaller graphs or by edge weights, a file, a
/// skewed partition) run on node 0, which gathers the graph temporarily; each node then receives the homes of its
/// range's vertices. Not thread-safe.
class Division {
 public:
  /// `known`: an existing partition of the whole graph; given by node 0 only. Collective.
  static Result<Division> make(Group& group, const GraphPart& part, const PartitionOptions& how,
                               const Partition* known = nullptr);

  /// True if every vertex's home is the node in whose range it is.
  [[nodiscard]] bool by_ranges() const { return method_ == PartitionMethod::Block && !has_owners_; }
  /// The home of a vertex of this node's range, by its index in the range.
  [[nodiscard]] NodeId home_here(std::uint32_t place) const;
  /// The homes of any vertices, in their order. Collective.
  [[nodiscard]] std::vector<NodeId> homes(Group& group, std::span<const VertexId> vertices) const;

 private:
  [[nodiscard]] NodeId by_formula(VertexId vertex) const;

  PartitionMethod method_ = PartitionMethod::Block;
  const GraphPart* part_ = nullptr;
  std::uint64_t seed_ = 1;
  bool has_owners_ = false;     // false: a formula gives the home
  std::vector<PartId> owners_;  // of this node's range, if has_owners_
};

/// The names of all vertices at node 0, no names elsewhere. Collective.
Result<VertexNames> gather_names(Group& group, const GraphPart& part);
/// The whole graph at node 0, an empty graph elsewhere. Collective.
Result<Graph> gather_graph(Group& group, const GraphPart& part);

/// The method in `how`. Auto becomes METIS, which sends the fewest messages, if time is virtual; Block for a graph with hubs if
/// nodes are threads; else the method that suits this graph.
[[nodiscard]] PartitionMethod method_for(const ClusterOptions& cluster, const Graph& graph,
                                         const PartitionOptions& how);

/// Partitions `graph` into `how.parts` parts. If nodes are processes: node 0 computes the partition and sends it to
/// the others, because METIS often takes longer than the run, and processes on one machine would compete for its
/// cores. Collective and a separate run before the main one; every node gives the same graph and options, and if node
/// 0 fails all fail. If all nodes are in this process it is `partition_graph`.
Result<Partition> divide_once(const ClusterOptions& cluster, const Graph& graph,
                              const PartitionOptions& how);

}  // namespace leeway
