// From some vertices of a large graph to a number each: a table with open addressing, of eight bytes an entry and at most
// two entries a vertex; or one with a place for every vertex of the graph, where that is no longer than the lists in
// which they are met. One thread's own.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "base/array.h"
#include "base/bytes.h"
#include "base/ids.h"
#include "datasets/build_graph.h"
#include "leeway/graph.h"
#include "leeway/result.h"

namespace leeway {

class VertexMap {
 public:
  VertexMap() : entries_(kLeast, VertexEntry{VertexId::none(), 0}) {}
  /// For the vertices in lists that hold `listed` of a graph's `vertices`.
  VertexMap(std::uint64_t vertices, std::uint64_t listed) : VertexMap() {
    if (vertices > listed) return;
    auto table = Array<std::uint32_t>::make(vertices);
    if (!table) return;
    number_of_ = std::move(*table);
    numbers_ = number_of_.mutable_span();
    std::fill(numbers_.begin(), numbers_.end(), kNone);
  }

  [[nodiscard]] bool dense() const { return !numbers_.empty(); }

  /// The number of a vertex, and whether it has been given one by this call, which is `number` (not the greatest).
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
  /// Requires a vertex that was inserted.
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
  std::span<std::uint32_t> numbers_;  // the same, by vertex; empty: they are in the other table
  std::vector<VertexEntry> entries_;
  std::size_t size_ = 0;
};

// One node's part of a graph that no node holds whole: the vertices of a range of their numbers, with their
// out-arcs and names. Ranges follow each other in the order of the nodes and hold about the same number of arcs.

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

// A node's part of a graph that every node of a job has whole.

/// Its arcs are views of the graph's, which outlives it. The same ranges on every node.
Result<GraphPart> part_of(const Graph& graph, NodeId self, std::uint32_t nodes, BalanceBy balance);

/// Of `count` vertices from `first` on.
Result<VertexNames> names_of_range(const VertexNames& names, std::uint32_t first,
                                   std::uint32_t count);

}  // namespace leeway
