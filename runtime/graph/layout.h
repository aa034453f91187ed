// The homes of the vertices of a whole graph and their order there (Layout), and homes for runs without work collocation
// (ScatteredHomes).
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "base/array.h"
#include "base/check.h"
#include "base/ids.h"
#include "base/result.h"
#include "datasets/graph.h"
#include "protocol/ids.h"

namespace leeway {

/// How a node orders its vertices, and so its memory and its sweep.
enum class VertexOrder {
  Graph,   ///< the graph's order
  Degree,  ///< most arcs first
  /// In groups by the power of two of their degree, largest first; within a group in the graph's order. The most-read
  /// values are adjacent in memory, and lists of similar length follow each other. If no vertex has many times the
  /// mean degree, as Graph.
  Hubs,
};

/// Orders a node's vertices, given in the graph's order. `hubs`: whether the graph has hubs (has_hubs).
template <class Vertex, class Degree>
void arrange(std::span<Vertex> mine, VertexOrder order, bool hubs, Degree&& degree) {
  if (order == VertexOrder::Degree) std::ranges::stable_sort(mine, std::greater(), degree);
  if (order != VertexOrder::Hubs || !hubs) return;
  // By group, largest degree first. Bit widths: 0 without arcs, 1 for one arc, 2 for two or three, ...
  constexpr std::size_t kMostGroups = 65;
  std::array<std::uint32_t, kMostGroups + 1> at{};
  const auto group = [&](Vertex v) {
    return kMostGroups - 1 - static_cast<std::size_t>(std::bit_width(std::uint64_t{degree(v)}));
  };
  for (const Vertex v : mine) ++at[group(v) + 1];
  std::partial_sum(at.begin(), at.end(), at.begin());
  const std::vector<Vertex> unordered(mine.begin(), mine.end());
  for (const Vertex v : unordered) mine[at[group(v)]++] = v;
}

// The home of every vertex of a job, and its index among the objects of that home. One for a whole job, the same on
// every node. Immutable once made, so safe to read from any thread.
class Layout {
 public:
  /// Each part is a node. Parts may be empty.
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
  /// True if each node's vertices are consecutive, in the order of the nodes: then objects have the order of their vertices.
  [[nodiscard]] bool by_ranges() const { return by_ranges_; }
  [[nodiscard]] LocalIndex place(VertexId vertex) const { return places_[vertex.index()]; }
  [[nodiscard]] ObjectId object(VertexId vertex) const { return {home(vertex), place(vertex)}; }
  /// A node's vertices, by local index.
  [[nodiscard]] std::span<const VertexId> vertices(NodeId node) const {
    return vertices_.span().subspan(firsts_[node.index()],
                                    firsts_[node.index() + 1] - firsts_[node.index()]);
  }

 private:
  VertexOrder order_ = VertexOrder::Graph;
  bool by_ranges_ = true;
  std::vector<std::size_t> firsts_;  // first vertex of each node, and the end
  Array<VertexId> vertices_;         // concatenated by node
  Array<LocalIndex> places_;         // by vertex
  Array<PartId> homes_;              // by vertex; empty: all on node 0
};

// Homes of the vertices of a run without work collocation (ASPIRE §4.3). The vertices that a node computes are assigned to
// the other nodes in turn, so that no node is the home of a vertex that it computes.
class ScatteredHomes {
 public:
  /// `counts`: vertices that each node computes. Requires two nodes (checked).
  explicit ScatteredHomes(std::vector<std::uint64_t> counts) : counts_(std::move(counts)) {
    LEEWAY_CHECK(nodes() > 1u);
  }

  /// The object of the vertex with this id: `id` has the node that computes the vertex, and its index there.
  [[nodiscard]] ObjectId operator()(ObjectId id) const {
    const std::uint32_t owner = id.home().value();
    const std::uint32_t others = nodes() - 1;
    const std::uint32_t home = (owner + 1 + id.local().value() % others) % nodes();
    std::uint64_t before = id.local().value() / others;
    for (std::uint32_t earlier = 0; earlier < owner; ++earlier) before += count_of(earlier, home);
    return {NodeId(home), LocalIndex(static_cast<std::uint32_t>(before))};
  }
  /// Number of vertices with this home.
  [[nodiscard]] std::uint32_t count_at(NodeId home) const {
    std::uint64_t count = 0;
    for (std::uint32_t owner = 0; owner < nodes(); ++owner) count += count_of(owner, home.value());
    return static_cast<std::uint32_t>(count);
  }

 private:
  [[nodiscard]] std::uint32_t nodes() const { return static_cast<std::uint32_t>(counts_.size()); }
  /// Number of vertices of `owner` with the home `home`.
  [[nodiscard]] std::uint64_t count_of(std::uint32_t owner, std::uint32_t home) const {
    if (owner == home) return 0;
    const std::uint32_t others = nodes() - 1;
    const std::uint32_t turn = (home + nodes() - owner - 1) % nodes();
    return (counts_[owner] + others - 1 - turn) / others;
  }

  std::vector<std::uint64_t> counts_;
};

}  // namespace leeway
