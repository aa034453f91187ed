// What each graph program's answer must be, by the plainest method and by definition. Nothing here calls
// the library: not its programs, not its references, not its readers. Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "test/answers/graph_input.h"

namespace leeway::answers {

inline constexpr std::uint64_t kNoPath = ~std::uint64_t{0};
inline constexpr std::uint64_t kMostPaths = ~std::uint64_t{0} >> 1U;

/// Bellman-Ford; infinity where no path leads. Sums are rounded as the path is walked.
[[nodiscard]] std::vector<double> lengths(const Lists& graph, std::uint32_t source);
/// Arcs of the shortest path; kNoPath where none leads.
[[nodiscard]] std::vector<std::uint64_t> depths(const Lists& graph, std::uint32_t source);
/// How many paths lead from the source that do not come back to it; anything above kMostPaths is kMostPaths + 1.
[[nodiscard]] std::vector<std::uint64_t> path_counts(const Lists& graph, std::uint32_t source);
/// How many paths have the fewest arcs; anything above kMostPaths is kMostPaths + 1.
[[nodiscard]] std::vector<std::uint64_t> shortest_path_counts(const Lists& graph,
                                                              std::uint32_t source);
/// The smallest vertex joined to each, whatever the direction of arcs.
[[nodiscard]] std::vector<std::uint32_t> smallest_joined(const Lists& graph);
/// What label propagation's rule makes of `labels` in one synchronous round, with or without the vertex's own label.
[[nodiscard]] std::vector<std::uint32_t> next_labels(const Lists& graph,
                                                     const std::vector<std::uint32_t>& labels,
                                                     bool own_counts);
/// Arcs among neighbours over the arcs there could be.
[[nodiscard]] std::vector<double> clustering(const Lists& graph);

/// The textbook's PageRank, rank of vertices without arcs spread evenly; after `rounds` of power
/// iteration, or until it rests if `rounds` is 0.
[[nodiscard]] std::vector<long double> page_ranks(const Lists& graph, double damping,
                                                  std::uint32_t rounds);
/// The same without spreading, scaled to a sum of 1 after `rounds`: what the tick engine's program says.
/// Starts from equal ranks, or from `nothing` but the share that jumps.
[[nodiscard]] std::vector<long double> leaking_ranks(const Lists& graph, double damping,
                                                     std::uint32_t rounds, bool nothing);

/// What files say of heat's and wave's cells, by vertex; NaN: nothing. Empty: there is no such file.
struct GivenCells {
  std::vector<double> rhs, start, fixed;
};

/// What heat and wave rest at: A u = b of a weighted graph (a matrix, b = 1), or of
/// A = 5/4 D - W with every sixteenth cell heated of an unweighted one, unless `given` says otherwise. By Gaussian
/// elimination.
struct Rest {
  bool divided_by_zero = false;  ///< a diagonal entry is zero: there is no answer
  bool dominant = true;          ///< diagonals outweigh their rows: every order of updates settles
  std::vector<long double> heat;
};
[[nodiscard]] Rest rest_of(const Lists& graph, const GivenCells& given = {});

}  // namespace leeway::answers
