// What everybody may know of a graph, however few of its arcs they hold.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/array.h"
#include "base/ids.h"
#include "leeway/graph.h"
#include "leeway/result.h"

namespace leeway {

struct GraphTotals {
  std::uint64_t vertices = 0;
  std::uint64_t arcs = 0;  ///< as stored: an undirected edge is two
  bool directed = true;
  WeightKind weight_kind = WeightKind::None;
  std::uint32_t left_count = 0;  ///< as in GraphParts

  GraphTotals() = default;
  // A graph is at hand wherever its totals are asked for.
  GraphTotals(const Graph& graph)  // NOLINT(google-explicit-constructor)
      : vertices(graph.vertex_count()),
        arcs(graph.arc_count()),
        directed(graph.directed()),
        weight_kind(graph.weight_kind()),
        left_count(graph.left_count()) {}

  [[nodiscard]] bool weighted() const { return weight_kind != WeightKind::None; }
};

// Edges on their way from a reader or generator to a Graph: a row of chunks, each packed so that a
// run of edges with one source stores the source once. Order counts: it decides which duplicate is
// first. A chunk is made by one thread; chunks may be made side by side and put in order
// afterwards.

/// Packed edges in memory of their own, given back when the chunk is destroyed. Move-only.
class EdgeChunk {
 public:
  [[nodiscard]] std::size_t size() const { return targets_.size(); }
  [[nodiscard]] std::span<const VertexId> targets() const { return targets_.span(); }
  /// The source of each run of edges, in order.
  [[nodiscard]] std::span<const VertexId> run_sources() const { return sources_.span(); }
  /// One an edge, or empty when the list has no weights.
  [[nodiscard]] std::span<const double> weights() const { return weights_.span(); }
  /// One an edge, or empty when the weights are not complex.
  [[nodiscard]] std::span<const double> imaginary() const { return imaginary_.span(); }

  /// Calls `visit(index, source, target)` for each edge in order.
  template <class Visit>
  void for_each(Visit&& visit) const {
    const VertexId* targets = targets_.data();
    const VertexId* source =
        sources_.data();  // the first edge always starts a run: its bit is left out
    const std::size_t count = size();
    for (std::size_t word = 0; word * 64 < count; ++word) {
      std::uint64_t starts = word == 0 ? starts_[0] & ~std::uint64_t{1} : starts_[word];
      const std::size_t end = count < word * 64 + 64 ? count : word * 64 + 64;
      for (std::size_t i = word * 64; i < end; ++i, starts >>= 1) {
        source += starts & 1;
        visit(i, *source, targets[i]);
      }
    }
  }

  /// Replaces every source by `source_of(source)` and every target by `target_of(target)`.
  template <class SourceMap, class TargetMap>
  void relabel(SourceMap&& source_of, TargetMap&& target_of) {
    for (VertexId& vertex : sources_.mutable_span()) vertex = source_of(vertex);
    for (VertexId& vertex : targets_.mutable_span()) vertex = target_of(vertex);
  }

 private:
  friend class EdgeChunkBuilder;
  Array<std::uint64_t> starts_;  // bit i: edge i begins a new run
  Array<VertexId> sources_;
  Array<VertexId> targets_;
  Array<double> weights_;
  Array<double> imaginary_;
};

/// Collects edges and packs them. One thread at a time; may be used again after `finish`.
class EdgeChunkBuilder {
 public:
  void add(VertexId source, VertexId target) {
    const std::size_t index = targets_.size();
    if (index % 64 == 0) starts_.push_back(0);
    if (index == 0 || sources_.back() != source) {
      starts_.back() |= std::uint64_t{1} << (index % 64);
      sources_.push_back(source);
    }
    targets_.push_back(target);
  }
  /// Every edge of a list has a weight or none has (checked when packed).
  void add(VertexId source, VertexId target, double weight) {
    add(source, target);
    weights_.push_back(weight);
  }
  void add(VertexId source, VertexId target, double real, double imaginary) {
    add(source, target, real);
    imaginary_.push_back(imaginary);
  }
  [[nodiscard]] std::size_t size() const { return targets_.size(); }

  /// The packed edges; the builder is empty afterwards. Fails when memory is refused.
  Result<EdgeChunk> finish();

 private:
  std::vector<std::uint64_t> starts_;
  std::vector<VertexId> sources_;
  std::vector<VertexId> targets_;
  std::vector<double> weights_;
  std::vector<double> imaginary_;
};

/// All edges of a graph to be. Owns its chunks; whoever consumes it may free them one by one.
struct EdgeList {
  std::vector<EdgeChunk> chunks;
  WeightKind weight_kind = WeightKind::None;  ///< what every chunk carries

  [[nodiscard]] std::uint64_t size() const;
};

// Whether some vertices of a graph have many times the arcs of others, as in social and web graphs, and not in meshes or
// on roads: it tells which division is worth its time, and whether it helps to put such vertices together.

/// Out of one vertex.
[[nodiscard]] std::uint64_t most_arcs(const Graph& graph);

/// `most`: arcs of the vertex that has most of them.
[[nodiscard]] constexpr bool has_hubs(std::uint64_t most, std::uint64_t arcs,
                                      std::uint64_t vertices) {
  constexpr double kTimesTheMean = 16;
  return static_cast<double>(most) * static_cast<double>(vertices) >
         kTimesTheMean * static_cast<double>(arcs);
}

// The second half of building a graph: lists that hold the right arcs in the order of the input are
// sorted, merged and weighted in place. Works on the vertex shares of several threads at once.

/// Sorts every list by target, equal targets keeping their order, then merges duplicates if asked.
/// Thread t works on vertices shares[t] … shares[t+1].
void arrange_lists(GraphParts& parts, const std::vector<std::size_t>& shares,
                   const LoadOptions& options);

/// An error unless the range of random weights holds a whole number. Always fine for other weights.
Status check_weight_range(const LoadOptions& options);

/// Gives every arc a weight that depends on its ends and the seed, where the first vertex is `first`; both arcs of an undirected edge
/// get the same. Requires a checked range.
Status draw_weights(GraphParts& parts, std::uint64_t first, const std::vector<std::size_t>& shares,
                    const LoadOptions& options);

// From edges in any order to the graph in memory: counting sort by source, then each list by
// target. The same edges and options give the same graph on any number of threads.

/// What a source says of its graph beside the edges.
struct GraphShape {
  std::uint32_t vertex_count = 0;
  bool directed = true;
  std::uint32_t left_count = 0;  ///< as in GraphParts
  VertexNames names;             ///< one a vertex
  std::uint64_t first = 0;       ///< of a part of a graph: what its vertex 0 is in the whole
  /// An undirected source that lists each edge from both its ends (METIS), not once (SNAP).
  bool from_both_ends = false;
};

/// What a reader or a generator gives.
struct ListedGraph {
  EdgeList edges;
  GraphShape shape;
};

/// How listed edges become arcs.
struct ArcRule {
  bool directed = true;
  bool mirror = false;  ///< each edge also gives its reverse
  bool drop_loops = false;
};
[[nodiscard]] ArcRule arc_rule(const GraphShape& shape, const LoadOptions& options);

/// Calls `visit(index, source, target)` for every arc that the edges of a chunk become, in their order.
template <class Visit>
void for_each_arc(const EdgeChunk& chunk, const ArcRule& rule, Visit&& visit) {
  chunk.for_each([&](std::size_t index, VertexId source, VertexId target) {
    if (source == target) [[unlikely]] {
      if (!rule.drop_loops) visit(index, source, target);
      return;
    }
    visit(index, source, target);
    if (rule.mirror) visit(index, target, source);
  });
}

/// Consumes the edges: each chunk is freed as soon as it is in place, so the peak stays below the
/// edges and the graph together. Requires every end below `vertex_count` (checked).
/// `symmetrize` and Direction::Undirected both add every edge's reverse; an edge whose reverse is
/// also listed then stands twice unless duplicates are merged. Direction::Directed takes edges as
/// they are listed. Duplicates stand in the order of the list; random weights depend on the two
/// ends and the seed alone. A part of a graph has sources of its own, from 0, and targets of the whole;
/// its edges must be arcs as they are to stand (directed, or from both ends; no loops to drop). Fails for a weight range without whole numbers, or when memory is
/// refused.
Result<Graph> build_graph(EdgeList edges, GraphShape shape, const LoadOptions& options);
Result<Graph> build_graph(ListedGraph listed, const LoadOptions& options);

}  // namespace leeway
