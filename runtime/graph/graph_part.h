// A graph in parts: one node's part of a graph that no node holds whole (GraphPart), the ranges of all nodes
// (VertexRanges).
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/array.h"
#include "base/ids.h"
#include "base/result.h"
#include "datasets/build_graph.h"
#include "datasets/graph.h"

namespace leeway {

class Group;
struct ClusterOptions;

/// The range of vertices of each node. Ranges are consecutive in the order of the nodes and have about equal
/// numbers of arcs or vertices.
class VertexRanges {
 public:
  VertexRanges() = default;
  /// `firsts`: the first vertex of each node's range, then the end of the last range.
  explicit VertexRanges(std::vector<std::uint64_t> firsts) : firsts_(std::move(firsts)) {}

  [[nodiscard]] std::uint32_t count() const {
    return static_cast<std::uint32_t>(firsts_.size() - 1);
  }
  [[nodiscard]] std::uint64_t first(NodeId node) const { return firsts_[node.index()]; }
  [[nodiscard]] std::uint64_t last(NodeId node) const { return firsts_[node.index() + 1]; }
  [[nodiscard]] std::uint32_t size(NodeId node) const {
    return static_cast<std::uint32_t>(last(node) - first(node));
  }
  [[nodiscard]] NodeId home(VertexId vertex) const {
    const auto found = std::upper_bound(firsts_.begin() + 1, firsts_.end() - 1, vertex.value());
    return NodeId(static_cast<std::uint32_t>(found - firsts_.begin() - 1));
  }
  [[nodiscard]] const std::vector<std::uint64_t>& firsts() const { return firsts_; }

 private:
  std::vector<std::uint64_t> firsts_;
};

/// One node's part of a graph that no node holds whole: the vertices of its range, with their out-arcs and names.
struct GraphPart {
  GraphTotals totals;  ///< of the whole graph
  VertexRanges ranges;
  NodeId self{0};
  /// Vertex i of the lists is ranges.first(self) + i. Targets are vertex numbers of the whole graph. The arrays may
  /// be views of a mapped file.
  GraphArrays lists;

  [[nodiscard]] std::uint32_t first() const {
    return static_cast<std::uint32_t>(ranges.first(self));
  }
  [[nodiscard]] VertexId vertex(std::uint32_t place) const { return VertexId(first() + place); }
  [[nodiscard]] std::uint32_t size() const { return ranges.size(self); }
  [[nodiscard]] std::uint64_t degree(std::uint32_t place) const {
    return lists.offsets[place + std::size_t{1}] - lists.offsets[place];
  }
  [[nodiscard]] std::span<const VertexId> list(std::uint32_t place) const {
    return lists.targets.span().subspan(lists.offsets[place], degree(place));
  }
  [[nodiscard]] bool holds(VertexId vertex) const {
    return vertex.value() >= ranges.first(self) && vertex.value() < ranges.last(self);
  }
};

/// An Input error unless this process can run on the part. Nodes that are threads of one process would all consume the same part.
Status check_part(const GraphPart& part, const ClusterOptions& cluster);

/// The hash of the whole graph, as of a Graph (datasets/graph_hash.h). Collective.
std::string hash_of(Group& group, const GraphPart& part);

/// True if every arc has its reverse (weights aside). Collective.
[[nodiscard]] bool is_symmetric(Group& group, const GraphPart& part);

/// The names of `vertices`, which may be in any range. Collective.
Result<std::unordered_map<std::uint32_t, std::string>> names_of(
    Group& group, const GraphPart& part, std::span<const std::uint64_t> vertices);

/// The vertex with this name, or none. Collective.
[[nodiscard]] VertexId find_vertex(Group& group, const GraphPart& part, std::string_view name);

/// The part of node `self` of a graph that every node has whole. Its arcs are views of the graph, which must outlive
/// it. Every node computes the same ranges.
Result<GraphPart> part_of(const Graph& graph, NodeId self, std::uint32_t nodes, BalanceBy balance);

/// One node takes the steps of `body` on a whole graph as its only part.
Status with_whole(const Graph& graph, const std::function<Status(Group&, const GraphPart&)>& body);

/// The names of `count` vertices from `first` on.
Result<VertexNames> names_of_range(const VertexNames& names, std::uint32_t first,
                                   std::uint32_t count);

}  // namespace leeway
