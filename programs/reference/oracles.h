// Sequential answers to what the shipped programs compute: the plainest method each has, sharing no code
// with any engine or program. `--verify` and the tests hold results against these. Pure functions of
// their arguments; vertices are dense indices of the graph.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "leeway/base/result.h"
#include "leeway/datasets/graph.h"

namespace leeway::reference {

inline constexpr std::uint64_t kUnreached = std::numeric_limits<std::uint64_t>::max();

struct PageRankOptions {
  double damping = 0.85;
  double tolerance =
      1e-12;  ///< stop when the sum of changes is at most this; ignored with iterations
  std::optional<std::uint32_t> iterations;  ///< exactly so many, from the uniform start
};
/// The textbook's: ranks sum to 1, each arc (listed twice: twice) carries its share, and what vertices
/// without arcs hold is spread evenly over all.
[[nodiscard]] std::vector<double> pagerank(const Graph& graph, const PageRankOptions& options);

/// Dijkstra. An unweighted arc is 1 long; infinity where no path leads. Requires weights >= 0.
[[nodiscard]] std::vector<double> shortest_distances(const Graph& graph, VertexId source);
/// Arcs on the shortest path; kUnreached where none leads.
[[nodiscard]] std::vector<std::uint64_t> depths(const Graph& graph, VertexId source);
/// The smallest vertex that is joined to each, whatever the direction of the arcs.
[[nodiscard]] std::vector<std::uint32_t> components(const Graph& graph);

/// Whether a vertex's own label is counted with its neighbours': ASPIRE counts it, LDBC Graphalytics leaves it out.
enum class OwnLabel { Counts, LeftOut };
/// Label propagation: `rounds` synchronous rounds; each vertex takes the most frequent label, the smallest of equally
/// frequent ones. Both ends of a directed arc are neighbours, and two arcs between two vertices count twice. A vertex
/// without neighbours keeps its label.
[[nodiscard]] std::vector<std::uint64_t> communities(const Graph& graph,
                                                     std::span<const std::uint64_t> first_labels,
                                                     std::uint32_t rounds, OwnLabel own);
/// LDBC Graphalytics' LCC: arcs among a vertex's neighbours (in either direction, itself left out) over
/// the arcs there could be; 0 with fewer than two neighbours.
[[nodiscard]] std::vector<double> clustering(const Graph& graph);

inline constexpr std::uint64_t kUncounted = std::numeric_limits<std::uint64_t>::max();

/// The number of paths from the source that do not come back to it: 1 for the source itself, 0 where none leads; parallel
/// arcs make different paths. kUncounted above 2^63 - 1, and for vertices on and behind cycles that the source reaches.
[[nodiscard]] std::vector<std::uint64_t> path_counts(const Graph& graph, VertexId source);
/// How many paths with the fewest arcs lead from the source to each vertex: 1 for the source itself, 0
/// where none leads; parallel arcs make different paths. Nothing beyond 2^63 - 1 is counted: an error
/// then names the vertex.
Result<std::vector<std::uint64_t>> shortest_path_counts(const Graph& graph, VertexId source);

/// The x with A x = b, where A's rows are the graph's lists: Gauss-Seidel, until no value moves by more
/// than `tolerance` times the largest. Fails without a diagonal, or when it does not settle.
Result<std::vector<double>> linear_solution(const Graph& matrix, std::span<const double> right_side,
                                            double tolerance = 1e-13);
/// The largest |b - A x| over the largest |b| (or over 1 where b is 0).
[[nodiscard]] double residual(const Graph& matrix, std::span<const double> right_side,
                              std::span<const double> solution);

/// Two neighbours of one colour, if there are any.
[[nodiscard]] std::optional<std::pair<VertexId, VertexId>> first_clash(
    const Graph& graph, std::span<const std::uint32_t> colours);

}  // namespace leeway::reference
