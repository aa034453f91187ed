// Tuned single-threaded kernels: the baselines that a distributed run must beat to be worth its cost (COST). Used by
// `--cost` and the benchmarks; and reversed adjacency lists, which the kernels need.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "datasets/graph.h"

namespace leeway::reference {

struct Lists {
  std::vector<std::uint64_t> offsets;
  std::vector<std::uint32_t> targets;

  [[nodiscard]] std::span<const std::uint32_t> of(std::size_t vertex) const {
    return std::span(targets).subspan(offsets[vertex], offsets[vertex + 1] - offsets[vertex]);
  }
};

/// For each vertex the sources of its incoming arcs, ascending; in an undirected graph its neighbours.
[[nodiscard]] Lists incoming(const Graph& graph);
/// For each vertex its neighbours along outgoing and, in a directed graph, incoming arcs.
[[nodiscard]] Lists both_ways(const Graph& graph);

/// The vertex with the most arcs; the first if there are several.
[[nodiscard]] VertexId busiest(const Graph& graph);

// Constructors do the set-up, such as reversing lists, which corresponds to loading; only `run` is timed.

/// PageRank by pulling along incoming arcs: one gather of a precomputed share per arc.
class PullPageRank {
 public:
  explicit PullPageRank(const Graph& graph);
  /// `iterations` iterations from the uniform start; dangling rank is spread evenly.
  [[nodiscard]] std::vector<double> run(std::uint32_t iterations, double damping = 0.85) const;

 private:
  std::uint32_t count_;
  Lists incoming_;
  std::vector<double> per_arc_;  // 1 / out-degree; 0 without arcs
  std::vector<std::uint32_t> dangling_;
};

/// Single-source distances by delta-stepping (Meyer & Sanders, J. Algorithms 49, 2003). Each bucket is processed
/// until it stays empty.
class DeltaStepping {
 public:
  /// `delta` 0: derived from the mean weight and degree.
  explicit DeltaStepping(const Graph& graph, double delta = 0);
  /// Infinity for unreachable vertices. Requires weights >= 0.
  [[nodiscard]] std::vector<double> run(VertexId source) const;
  [[nodiscard]] double delta() const { return delta_; }

 private:
  const Graph& graph_;
  double delta_;
};

/// Connected components, as the smallest vertex of each, by union-find with sampling: it links two neighbours of each
/// vertex first, and then skips the vertices of the largest component (Sutton, Ben-Nun & Barak, IPDPS 2018).
[[nodiscard]] std::vector<std::uint32_t> sampled_components(const Graph& graph);

}  // namespace leeway::reference
