// Where every vertex of a job lives: its home, and its place among the objects of that home. One for a
// whole job, the same on every node. Immutable once made, so safe to read from any thread.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "leeway/base/array.h"
#include "leeway/base/ids.h"
#include "leeway/base/result.h"
#include "leeway/datasets/graph.h"
#include "leeway/datasets/partition.h"
#include "leeway/dsm/space.h"
#include "leeway/runtime/vertex_order.h"

namespace leeway {

class Layout {
 public:
  /// A part is a node; nodes may be left without vertices.
  static Result<Layout> make(const Graph& graph, const Partition& partition, VertexOrder order);
  /// All vertices on one node, in the graph's order.
  static Result<Layout> single(std::uint32_t vertices);

  [[nodiscard]] std::uint32_t node_count() const {
    return static_cast<std::uint32_t>(firsts_.size() - 1);
  }
  [[nodiscard]] VertexOrder order() const { return order_; }
  [[nodiscard]] std::uint32_t vertex_count() const {
    return static_cast<std::uint32_t>(vertices_.size());
  }
  [[nodiscard]] NodeId home(VertexId vertex) const {
    return NodeId(homes_.empty() ? 0 : homes_[vertex.index()].value());
  }
  [[nodiscard]] const VertexGroups& groups() const { return groups_; }
  [[nodiscard]] LocalIndex place(VertexId vertex) const { return places_[vertex.index()]; }
  [[nodiscard]] ObjectId object(VertexId vertex) const { return {home(vertex), place(vertex)}; }
  /// A node's vertices, by their place there.
  [[nodiscard]] std::span<const VertexId> vertices(NodeId node) const {
    return vertices_.span().subspan(firsts_[node.index()],
                                    firsts_[node.index() + 1] - firsts_[node.index()]);
  }

 private:
  VertexOrder order_ = VertexOrder::Graph;
  std::vector<std::size_t> firsts_;  // of each node's vertices; one more than nodes
  VertexGroups groups_;
  Array<VertexId> vertices_;  // node after node
  Array<LocalIndex> places_;  // by vertex
  Array<PartId> homes_;       // by vertex; empty: all on node 0
};

}  // namespace leeway
