// Edges between a reader or generator and the Graph: edge chunks and lists, the rules by which listed edges become arcs,
// and `build_graph`, which sorts them into adjacency arrays. The same edges and options give the same graph for any
// number of threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/array.h"
#include "base/ids.h"
#include "base/result.h"
#include "datasets/graph.h"

namespace leeway {

/// A chunk of packed edges: a run of edges with the same source stores the source once. The order of the edges matters:
/// it decides which duplicate comes first. One thread builds a chunk; several threads may build chunks in parallel and
/// order them afterwards. Owns its memory. Move-only.
class EdgeChunk {
 public:
  [[nodiscard]] std::size_t size() const { return targets_.size(); }
  [[nodiscard]] std::span<const VertexId> targets() const { return targets_.span(); }
  /// The source of each run of edges, in order.
  [[nodiscard]] std::span<const VertexId> run_sources() const { return sources_.span(); }
  /// One value for each edge, or empty if the list has no weights.
  [[nodiscard]] std::span<const double> weights() const { return weights_.span(); }

  /// Calls `visit(index, source, target)` for each edge in order.
  template <class Visit>
  void for_each(Visit&& visit) const {
    const VertexId* targets = targets_.data();
    const VertexId* source =
        sources_.data();  // the first edge always starts a run, so its bit is masked out
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
};

/// Collects edges and packs them. Not thread-safe; reusable after `finish`.
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
  /// Either every edge of a chunk has a weight or none has (checked in `finish`).
  void add(VertexId source, VertexId target, double weight) {
    add(source, target);
    weights_.push_back(weight);
  }
  [[nodiscard]] std::size_t size() const { return targets_.size(); }

  /// Returns the packed edges and empties the builder. Fails if memory allocation fails.
  Result<EdgeChunk> finish();

 private:
  std::vector<std::uint64_t> starts_;
  std::vector<VertexId> sources_;
  std::vector<VertexId> targets_;
  std::vector<double> weights_;
};

/// All edges of a graph to build. Owns its chunks; a consumer may free them one by one.
struct EdgeList {
  std::vector<EdgeChunk> chunks;
  WeightKind weight_kind = WeightKind::None;  ///< of every chunk

  [[nodiscard]] std::uint64_t size() const;
};

/// Maximum out-degree.
[[nodiscard]] std::uint64_t most_arcs(const Graph& graph);

/// True if the maximum out-degree `most` is many times the mean, as in social and web graphs but not in meshes or road
/// networks. The choice of a partitioner and of a vertex order depends on it.
[[nodiscard]] constexpr bool has_hubs(std::uint64_t most, std::uint64_t arcs,
                                      std::uint64_t vertices) {
  constexpr double kTimesTheMean = 16;
  return static_cast<double>(most) * static_cast<double>(vertices) >
         kTimesTheMean * static_cast<double>(arcs);
}

/// Gives every arc a weight that depends only on its two ends and the seed; both arcs of an undirected edge get the same
/// weight. `first` is the global number of vertex 0. The range must contain a whole number.
Status draw_weights(GraphArrays& parts, std::uint64_t first, const std::vector<std::size_t>& shares,
                    const LoadOptions& options);

/// The properties of a graph, apart from its edges, that a reader or generator delivers.
struct GraphShape {
  std::uint32_t vertex_count = 0;
  bool directed = true;
  std::uint32_t left_count = 0;  ///< as in GraphArrays
  VertexNames names;             ///< one for each vertex
  std::uint64_t first = 0;       ///< for a part of a graph: global number of its vertex 0
  /// True if an undirected source lists each edge from both ends (METIS) instead of once (SNAP).
  bool from_both_ends = false;
};

/// The result of a reader or a generator.
struct ListedGraph {
  EdgeList edges;
  GraphShape shape;
};

/// How listed edges become arcs.
struct ArcRule {
  bool directed = true;
  bool mirror = false;  ///< each edge also becomes its reverse arc
  bool drop_loops = false;
};
[[nodiscard]] ArcRule arc_rule(const GraphShape& shape, const LoadOptions& options);

/// Calls `visit(index, source, target)` for every arc that the edges of a chunk become, in edge order.
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

/// Builds the graph by a counting sort by source, then sorts each list by target. Consumes the edges: a chunk is freed as
/// soon as its arcs are placed, so the peak stays below the edges plus the graph. Requires every end below `vertex_count`
/// (checked).
/// `symmetrize` and Direction::Undirected both add the reverse of every edge; an edge whose reverse is also listed then
/// occurs twice unless duplicates are merged. Direction::Directed takes edges as listed. Duplicates keep the order of the
/// list. Random weights depend only on the two ends and the seed.
/// For a part of a graph, sources are local (from 0) and targets global; its edges must already be the final arcs
/// (directed, or listed from both ends; no loops to drop).
/// Fails if the weight range contains no whole number or if memory allocation fails.
Result<Graph> build_graph(EdgeList edges, GraphShape shape, const LoadOptions& options);
Result<Graph> build_graph(ListedGraph listed, const LoadOptions& options);

}  // namespace leeway
