// Adjacency the other way round, or both ways at once, for methods that need it. Plain vectors.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "leeway/graph.h"

namespace leeway::reference {

struct Lists {
  std::vector<std::uint64_t> offsets;
  std::vector<std::uint32_t> targets;

  [[nodiscard]] std::span<const std::uint32_t> of(std::size_t vertex) const {
    return std::span(targets).subspan(offsets[vertex], offsets[vertex + 1] - offsets[vertex]);
  }
};

/// For each vertex the sources of its arcs, ascending; of an undirected graph its neighbours.
[[nodiscard]] Lists incoming(const Graph& graph);
/// For each vertex the far ends of all arcs that touch it: its own and, in a directed graph, those that
/// come in.
[[nodiscard]] Lists both_ways(const Graph& graph);

/// The vertex with the most arcs, the first of several: from where much can be reached.
[[nodiscard]] VertexId busiest(const Graph& graph);

// The best single-thread methods we know, tuned: what a cluster must beat to be worth its cost. They serve
// `--cost` and the benchmarks that set Leeway beside them. Setting up (turning lists round) is the
// constructor's, as loading is for Leeway; running is what is timed.

/// PageRank by pulling along incoming arcs: one gather an arc of ready-made shares.
class PullPageRank {
 public:
  explicit PullPageRank(const Graph& graph);
  /// Exactly so many iterations from the uniform start; dangling rank spread evenly.
  [[nodiscard]] std::vector<double> run(std::uint32_t iterations, double damping = 0.85) const;

 private:
  std::uint32_t count_;
  Lists incoming_;
  std::vector<double> per_arc_;  // 1 / out-degree; 0 without arcs
  std::vector<std::uint32_t> dangling_;
};

/// Single-source distances by buckets of width delta (Meyer & Sanders, J. Algorithms 49, 2003), each
/// bucket processed until it stays empty.
class DeltaStepping {
 public:
  /// `delta` 0: chosen from the mean weight and degree.
  explicit DeltaStepping(const Graph& graph, double delta = 0);
  /// Infinity where no path leads. Requires weights >= 0.
  [[nodiscard]] std::vector<double> run(VertexId source) const;
  [[nodiscard]] double delta() const { return delta_; }

 private:
  const Graph& graph_;
  double delta_;
};

/// The smallest vertex joined to each vertex, by union-find that looks at two neighbours each first and
/// then leaves out the component that is by then the largest (Sutton, Ben-Nun & Barak, IPDPS 2018).
[[nodiscard]] std::vector<std::uint32_t> sampled_components(const Graph& graph);

}  // namespace leeway::reference
