// The expected answer of each graph program, by the simplest method and by definition. Calls no
// program, reference or reader of the library. Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "test/answers/graph_input.h"

namespace leeway::answers {

inline constexpr std::uint64_t kNoPath = ~std::uint64_t{0};
inline constexpr std::uint64_t kMostPaths = ~std::uint64_t{0} >> 1U;

/// Bellman-Ford; infinity for unreachable vertices. Sums are rounded in path order.
[[nodiscard]] std::vector<double> lengths(const Lists& graph, std::uint32_t source);
/// Number of arcs of the shortest path; kNoPath for unreachable vertices.
[[nodiscard]] std::vector<std::uint64_t> depths(const Lists& graph, std::uint32_t source);
/// Number of paths from the source that do not return to it; numbers above kMostPaths become
/// kMostPaths + 1.
[[nodiscard]] std::vector<std::uint64_t> path_counts(const Lists& graph, std::uint32_t source);
/// Number of paths with the fewest arcs; numbers above kMostPaths become kMostPaths + 1.
[[nodiscard]] std::vector<std::uint64_t> shortest_path_counts(const Lists& graph,
                                                              std::uint32_t source);
/// The smallest vertex of each weakly connected component.
[[nodiscard]] std::vector<std::uint32_t> smallest_joined(const Lists& graph);
/// One synchronous round of label propagation applied to `labels`, with or without the vertex's own
/// label.
[[nodiscard]] std::vector<std::uint32_t> next_labels(const Lists& graph,
                                                     const std::vector<std::uint32_t>& labels,
                                                     bool own_counts);
/// Local clustering coefficient: arcs among neighbours divided by the possible arcs.
[[nodiscard]] std::vector<double> clustering(const Lists& graph);
/// The number of pairs of a vertex's neighbours that are joined, in a symmetric graph.
[[nodiscard]] std::vector<std::uint64_t> triangles(const Lists& graph);

/// The largest k of a subgraph in which every vertex has k arcs to others, in either direction.
[[nodiscard]] std::vector<std::size_t> cores(const Lists& graph);
/// The smallest vertex that each vertex reaches and that reaches it.
[[nodiscard]] std::vector<std::uint32_t> smallest_in_cycles(const Lists& graph);
/// The parity of the distance from the first vertex of the component, arcs in both directions; 2 if a closed walk is odd.
[[nodiscard]] std::vector<std::uint32_t> parities(const Lists& graph);

/// PageRank by definition, with the rank of vertices without arcs spread evenly, after `rounds` of
/// power iteration, or at convergence if `rounds` is 0.
[[nodiscard]] std::vector<long double> page_ranks(const Lists& graph, double damping,
                                                  std::uint32_t rounds);
/// PageRank without spreading, scaled to a sum of 1 after `rounds`: the definition of the tick
/// engine's program. Starts from equal ranks, or with `nothing` from ranks of (1 - damping)/n.
[[nodiscard]] std::vector<long double> leaking_ranks(const Lists& graph, double damping,
                                                     std::uint32_t rounds, bool nothing);

/// A system of linear equations; the last column is the right-hand side.
using EquationRows = std::vector<std::vector<long double>>;
/// Gaussian elimination with column pivoting. Requires an invertible matrix.
[[nodiscard]] std::vector<long double> eliminate(EquationRows matrix);

/// Values of the cells of heat and wave from files, by vertex; NaN: no value. Empty: no such file.
struct GivenCells {
  std::vector<double> rhs, start, fixed;
};

/// The state at which heat and wave converge: A u = b with A the matrix of a weighted graph and b =
/// 1, or A = 5/4 D - W of an unweighted graph with every sixteenth cell heated, unless `given`
/// overrides it. Computed by Gaussian elimination.
struct Rest {
  bool divided_by_zero = false;  ///< a diagonal entry is zero: no solution
  bool dominant = true;          ///< diagonally dominant: every order of updates converges
  std::vector<long double> heat;
};
/// Jacobi's method: `ticks` simultaneous updates of all values of a weighted graph's system.
[[nodiscard]] std::vector<long double> jacobi_values(const Lists& graph, const GivenCells& given,
                                                     std::uint32_t ticks);
[[nodiscard]] Rest rest_of(const Lists& graph, const GivenCells& given = {});

}  // namespace leeway::answers
