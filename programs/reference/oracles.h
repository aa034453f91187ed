// Sequential oracles of the shipped programs: the simplest algorithm for each, sharing no code with engines or
// programs. `--verify` and the tests compare results with them. Pure functions; vertices are dense indices of the
// graph.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/result.h"
#include "datasets/graph.h"
#include "programs/scene/scenes.h"

namespace leeway::reference {

inline constexpr std::uint64_t kUnreached = std::numeric_limits<std::uint64_t>::max();

struct OraclePageRank {
  double damping = 0.85;
  /// Stops when the sum of changes is at most this value; ignored with `iterations`.
  double tolerance = 1e-12;
  std::optional<std::uint32_t> iterations;  ///< exact number, from the uniform start
  std::span<const double> restart = {};     ///< by vertex, in proportion; empty: equal
  bool by_weight = false;                   ///< arcs carry shares in proportion to their weights
};
/// The textbook's ranks, which sum to 1. Each listed arc carries a share, and the rank of vertices without arcs is
/// spread over all vertices like that of restarts. They begin with the restarts.
[[nodiscard]] std::vector<double> pagerank(const Graph& graph, const OraclePageRank& options);

/// Dijkstra's algorithm. An unweighted arc has length 1; infinity for unreachable vertices. Requires weights >= 0.
[[nodiscard]] std::vector<double> shortest_distances(const Graph& graph, VertexId source);
/// Number of arcs on the shortest path; kUnreached for unreachable vertices.
[[nodiscard]] std::vector<std::uint64_t> depths(const Graph& graph, VertexId source);
/// The smallest vertex of each vertex's connected component, ignoring directions.
[[nodiscard]] std::vector<std::uint32_t> components(const Graph& graph);

/// Whether a vertex's own label counts with its neighbours': ASPIRE counts it, LDBC Graphalytics does not.
enum class OwnLabel { Counts, LeftOut };
/// Label propagation: `rounds` synchronous rounds; each vertex takes the most frequent label, the smallest of equally
/// frequent ones. Both ends of a directed arc are neighbours, and two arcs between two vertices count twice. A vertex
/// without neighbours keeps its label.
[[nodiscard]] std::vector<std::uint64_t> communities(const Graph& graph,
                                                     std::span<const std::uint64_t> first_labels,
                                                     std::uint32_t rounds, OwnLabel own);
/// LDBC Graphalytics' LCC: the number of arcs among a vertex's neighbours (in either direction, without the vertex)
/// divided by the possible number; 0 with fewer than two neighbours.
[[nodiscard]] std::vector<double> clustering(const Graph& graph);
/// The number of triangles of each vertex in a graph that has the reverse of every arc: the pairs of its neighbours that are joined,
/// without loops; parallel arcs count once.
[[nodiscard]] std::vector<std::uint64_t> triangles(const Graph& graph);

inline constexpr std::uint64_t kUncounted = std::numeric_limits<std::uint64_t>::max();

/// The number of paths from the source that do not return to it: 1 for the source, 0 for unreachable vertices;
/// parallel arcs make different paths. kUncounted above 2^63 - 1, and for vertices on or behind cycles that the
/// source reaches.
[[nodiscard]] std::vector<std::uint64_t> path_counts(const Graph& graph, VertexId source);
/// The number of paths with the fewest arcs from the source to each vertex: 1 for the source, 0 for unreachable
/// vertices; parallel arcs make different paths. Above 2^63 - 1 the result is an error that names the vertex.
Result<std::vector<std::uint64_t>> shortest_path_counts(const Graph& graph, VertexId source);

/// Solves A x = b by Gauss-Seidel, where the graph's lists are A's rows, until no value moves by more than
/// `tolerance` times the largest. Fails if a diagonal entry is zero, or if it does not converge.
Result<std::vector<double>> linear_solution(const Graph& matrix, std::span<const double> right_side,
                                            double tolerance = 1e-13);
/// Jacobi's method from `start`, where the graph's lists are A's rows without zeros on the diagonal: `ticks` times, all
/// values simultaneously, x_i' = (b_i - sum of a_ij x_j over j != i) / a_ii.
[[nodiscard]] std::vector<double> jacobi_ticks(const Graph& matrix,
                                               std::span<const double> right_side,
                                               std::vector<double> start, std::uint32_t ticks);
/// The largest |b - A x| divided by the largest |b|, or by 1 if b is 0.
[[nodiscard]] double residual(const Graph& matrix, std::span<const double> right_side,
                              std::span<const double> solution);

/// The first pair of neighbours with equal colours, if there is one.
[[nodiscard]] std::optional<std::pair<VertexId, VertexId>> first_clash(
    const Graph& graph, std::span<const std::uint32_t> colours);

// PageRank in ticks: plain iteration in which the rank of vertices without arcs is lost. It pushes along arcs,
// whereas the tick engine's program pulls. Scaled to a sum of 1, its limit is the PageRank that spreads such rank
// evenly.

/// `rank` after `ticks` ticks.
[[nodiscard]] inline std::vector<double> rank_ticks(const Graph& graph, std::vector<double> rank,
                                                    std::uint32_t ticks, double damping = 0.85) {
  const std::size_t count = graph.vertex_count();
  for (std::uint32_t tick = 0; tick < ticks; ++tick) {
    std::vector<double> sum(count, 0.0);
    for (VertexId vertex(0); vertex.value() < count; vertex = vertex.next()) {
      const double share = rank[vertex.index()] / static_cast<double>(graph.degree(vertex));
      for (const VertexId target : graph.neighbors(vertex)) sum[target.index()] += share;
    }
    for (std::size_t i = 0; i < count; ++i)
      rank[i] = (1 - damping) / static_cast<double>(count) + damping * sum[i];
  }
  return rank;
}

/// From uniform ranks.
[[nodiscard]] inline std::vector<double> rank_ticks(const Graph& graph, std::uint32_t ticks,
                                                    double damping = 0.85) {
  const std::size_t count = graph.vertex_count();
  return rank_ticks(graph, std::vector<double>(count, 1 / static_cast<double>(count)), ticks,
                    damping);
}

// Sequential simulations. They use the scene types of `programs/scene`, but none of its laws: neighbours are found by
// a sweep over things sorted by x, and each law of motion is implemented a second time from its description.
// Influences and pulls are integers in both, so a correct engine gives bitwise equal results.

/// Fish stay in the given order.
[[nodiscard]] std::vector<scene::Fish> fish_after(const scene::FishModel& model,
                                                  std::vector<scene::Fish> fish,
                                                  std::uint32_t ticks);
/// Fish and food stay in the given order.
[[nodiscard]] scene::Pond pond_after(const scene::FishModel& model, const scene::FoodModel& food,
                                     scene::Pond pond, std::uint32_t ticks);
/// Bodies are ordered by id.
[[nodiscard]] std::vector<scene::Body> bodies_after(const scene::NBodyModel& model,
                                                    std::vector<scene::Body> bodies,
                                                    std::uint32_t ticks);
/// In row-major order.
[[nodiscard]] std::vector<double> plate_after(const scene::Plate& plate, std::vector<double> heat,
                                              std::uint32_t ticks);

/// The number of pairs that the sweep visits per tick for `things` things spread evenly over `width` that interact up
/// to `range`.
[[nodiscard]] double swept_pairs(std::uint64_t things, double range, double width);

}  // namespace leeway::reference
