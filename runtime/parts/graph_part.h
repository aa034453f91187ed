// One node's part of a graph that no node holds whole: the vertices of a range of their numbers, with their
// out-arcs and names. Ranges follow each other in the order of the nodes and hold about the same number of arcs.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "leeway/base/ids.h"
#include "leeway/datasets/graph.h"
#include "leeway/datasets/graph_totals.h"

namespace leeway {

/// Which node's range a vertex is in: a search among as many numbers as there are nodes.
class VertexRanges {
 public:
  VertexRanges() = default;
  /// `firsts`: where each node's range begins, and the end of the last.
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

struct GraphPart {
  GraphTotals totals;  ///< of the whole graph
  VertexRanges ranges;
  NodeId self{0};
  /// Vertex i is ranges.first(self) + i; targets are numbers of the whole graph, names those of the range. May be views of
  /// a file.
  GraphParts lists;

  [[nodiscard]] std::uint32_t first() const {
    return static_cast<std::uint32_t>(ranges.first(self));
  }
  [[nodiscard]] VertexId vertex(std::uint32_t place) const { return VertexId(first() + place); }
  [[nodiscard]] std::uint32_t size() const { return ranges.size(self); }
  [[nodiscard]] std::uint64_t degree(std::uint32_t place) const {
    return lists.offsets[place + std::size_t{1}] - lists.offsets[place];
  }
  [[nodiscard]] bool holds(VertexId vertex) const {
    return vertex.value() >= ranges.first(self) && vertex.value() < ranges.last(self);
  }
};

}  // namespace leeway
