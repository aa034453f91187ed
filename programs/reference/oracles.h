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

#include "leeway/graph.h"
#include "leeway/result.h"
#include "programs/scene/scenes.h"

namespace leeway::reference {

inline constexpr std::uint64_t kUnreached = std::numeric_limits<std::uint64_t>::max();

struct OraclePageRank {
  double damping = 0.85;
  double tolerance =
      1e-12;  ///< stop when the sum of changes is at most this; ignored with iterations
  std::optional<std::uint32_t> iterations;  ///< exactly so many, from the uniform start
};
/// The textbook's: ranks sum to 1, each arc (listed twice: twice) carries its share, and what vertices
/// without arcs hold is spread evenly over all.
[[nodiscard]] std::vector<double> pagerank(const Graph& graph, const OraclePageRank& options);

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

// PageRank's plain iteration, tick by tick: what vertices without arcs hold is lost, not spread. The method
// is pushing along arcs, where the tick engine's program pulls. Scaled to a sum of 1, what it settles on
// is the PageRank that spreads such rank evenly.

/// `rank` after so many ticks.
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

/// From the even start.
[[nodiscard]] inline std::vector<double> rank_ticks(const Graph& graph, std::uint32_t ticks,
                                                    double damping = 0.85) {
  const std::size_t count = graph.vertex_count();
  return rank_ticks(graph, std::vector<double>(count, 1 / static_cast<double>(count)), ticks,
                    damping);
}

// The sequential answers of the simulations, ticks after a start: what runs on engines are held against.
// They take the types of a scene from `programs/scene` and none of its laws: who is near is found by a sweep over
// things sorted by x, and each law of motion is written here once more, from its description. Influences and
// pulls are whole numbers there and here, so an engine that is right gives these very bits. Pure.

/// In the order given.
[[nodiscard]] std::vector<scene::Fish> fish_after(const scene::FishModel& model,
                                                  std::vector<scene::Fish> fish,
                                                  std::uint32_t ticks);
/// Ordered by id.
[[nodiscard]] std::vector<scene::Body> bodies_after(const scene::NBodyModel& model,
                                                    std::vector<scene::Body> bodies,
                                                    std::uint32_t ticks);
/// Row by row.
[[nodiscard]] std::vector<double> plate_after(const scene::Plate& plate, std::vector<double> heat,
                                              std::uint32_t ticks);

/// How many pairs a sweep over `things` spread evenly over `width` looks at in a tick, where each acts as far as `range`.
[[nodiscard]] double swept_pairs(std::uint64_t things, double range, double width);

}  // namespace leeway::reference
