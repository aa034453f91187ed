// Moving the arcs of a graph in parts between nodes (ArcExchange), to reverse them. Every node's main thread calls
// each function. An error of one node ends a collective step for all.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "datasets/build_graph.h"
#include "datasets/graph.h"
#include "runtime/cluster/group.h"
#include "runtime/graph/graph_part.h"

namespace leeway {

/// Moves arcs to the nodes that will hold them: one step of data. The sender gives the node, and the arc's
/// source as the receiver numbers it. The receiver gets its arcs ordered by sender and sending order. Collective:
/// constructed and finished by all nodes.
class ArcExchange {
 public:
  /// `kind`: the weights that are sent with the arcs; the same at all nodes. `rows`: number of sources that this node has;
  /// `vertices`: of the whole graph.
  ArcExchange(Group& group, WeightKind kind, std::uint64_t rows, std::uint64_t vertices);

  void send(NodeId to, VertexId source, VertexId target, double weight = 0);
  /// Blocks until all arcs have arrived.
  Result<EdgeList> finish();

 private:
  struct PlainArc {
    VertexId source, target;
  };
  struct WeightedArc {
    VertexId source, target;
    double weight;
  };
  void take(NodeId from, std::span<const std::byte> bytes);
  template <class Arc, class Add>
  void take_each(NodeId from, std::span<const std::byte> bytes, const Add& add);
  void pack(NodeId from);

  Group& group_;
  WeightKind kind_;
  std::uint64_t rows_;
  std::uint64_t vertices_;
  MessageBatcher<PlainArc> plain_;
  MessageBatcher<WeightedArc> weighted_;
  std::vector<EdgeChunkBuilder> builders_;      // by sender
  std::vector<std::vector<EdgeChunk>> chunks_;  // by sender
  Status pack_status_;
};

/// Reverses the arcs of all nodes: for each vertex of the range, the sources of its incoming arcs, ascending.
/// Collective.
Result<GraphArrays> reverse_arcs(Group& group, const GraphPart& part, bool weights);

}  // namespace leeway
