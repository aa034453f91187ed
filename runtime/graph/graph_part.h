// A graph in parts: one node's part of a graph that no node holds whole (GraphPart), the ranges of all nodes
// (VertexRanges), and a map from vertices to numbers (VertexMap).
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/array.h"
#include "base/bytes.h"
#include "base/ids.h"
#include "base/result.h"
#include "datasets/build_graph.h"
#include "datasets/graph.h"

namespace leeway {

class Group;

/// Maps vertices of a large graph to numbers. A hash table with open addressing, 8 bytes for each entry and at most
/// two entries for each vertex; or an array over all vertices of the graph if that is no longer than the lists in
/// which the vertices occur. Not thread-safe.
class VertexMap {
 public:
  VertexMap() : entries_(kLeast, VertexEntry{VertexId::none(), 0}) {}
  /// For vertices from lists with `listed` entries in total, in a graph of `vertices` vertices.
  VertexMap(std::uint64_t vertices, std::uint64_t listed) : VertexMap() {
    if (vertices > listed) return;
    auto table = Array<std::uint32_t>::make(vertices);
    if (!table) return;
    number_of_ = std::move(*table);
    numbers_ = number_of_.mutable_span();
    std::fill(numbers_.begin(), numbers_.end(), kNone);
  }

  [[nodiscard]] bool dense() const { return !numbers_.empty(); }

  /// Returns the vertex's number, which becomes `number` if it had none, and whether this call set it. `number` must
  /// not be the largest 32-bit value.
  std::pair<std::uint32_t*, bool> insert(VertexId vertex, std::uint32_t number) {
    if (dense()) {
      std::uint32_t& known = numbers_[vertex.index()];
      const bool fresh = known == kNone;
      if (fresh) known = number;
      return {&known, fresh};
    }
    if ((size_ + 1) * 4 > entries_.size() * 3) grow();
    VertexEntry& entry = entries_[place_of(vertex)];
    const bool fresh = entry.vertex == VertexId::none();
    if (fresh) {
      entry = {vertex, number};
      ++size_;
    }
    return {&entry.number, fresh};
  }
  [[nodiscard]] bool has(VertexId vertex) const {
    if (dense()) return vertex.index() < numbers_.size() && numbers_[vertex.index()] != kNone;
    return entries_[place_of(vertex)].vertex == vertex;
  }
  /// Requires an inserted vertex.
  [[nodiscard]] std::uint32_t at(VertexId vertex) const {
    return dense() ? numbers_[vertex.index()] : entries_[place_of(vertex)].number;
  }

 private:
  struct VertexEntry {
    VertexId vertex;
    std::uint32_t number;
  };
  static constexpr std::size_t kLeast = 1024;
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

  [[nodiscard]] std::size_t place_of(VertexId vertex) const {
    std::size_t place = mix64(vertex.value()) & (entries_.size() - 1);
    while (entries_[place].vertex != vertex && entries_[place].vertex != VertexId::none())
      place = (place + 1) & (entries_.size() - 1);
    return place;
  }
  void grow() {
    std::vector<VertexEntry> old(entries_.size() * 2, VertexEntry{VertexId::none(), 0});
    old.swap(entries_);
    for (const VertexEntry& entry : old) {
      if (entry.vertex != VertexId::none()) entries_[place_of(entry.vertex)] = entry;
    }
  }

  Array<std::uint32_t> number_of_;
  std::span<std::uint32_t> numbers_;  // view of number_of_; empty: entries_ is used
  std::vector<VertexEntry> entries_;
  std::size_t size_ = 0;
};

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

/// The hash of the whole graph, as of a Graph (datasets/graph_hash.h). Collective.
std::string hash_of(Group& group, const GraphPart& part);

/// The part of node `self` of a graph that every node has whole. Its arcs are views of the graph, which must outlive
/// it. Every node computes the same ranges.
Result<GraphPart> part_of(const Graph& graph, NodeId self, std::uint32_t nodes, BalanceBy balance);

/// The names of `count` vertices from `first` on.
Result<VertexNames> names_of_range(const VertexNames& names, std::uint32_t first,
                                   std::uint32_t count);

}  // namespace leeway
