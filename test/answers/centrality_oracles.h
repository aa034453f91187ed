// The expected answers of the programs on centrality and on minimum spanning forests and communities, by definition and by the
// simplest method. Calls no program, reference or reader of the library. Pure.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "test/answers/graph_input.h"

namespace leeway::answers {

/// (r / s) (r / sources): r other sources reach the vertex, and s is the sum of their distances.
[[nodiscard]] std::vector<double> closeness_from(const Lists& graph,
                                                 const std::vector<std::uint32_t>& sources,
                                                 bool by_weight);
/// The sum of 1 / distance from other sources, times the number of other vertices over that of other sources.
[[nodiscard]] std::vector<double> harmonic_from(const Lists& graph,
                                                const std::vector<std::uint32_t>& sources,
                                                bool by_weight);
/// Brandes' method (2001); parallel arcs are different paths.
[[nodiscard]] std::vector<double> betweenness_from(const Lists& graph,
                                                   const std::vector<std::uint32_t>& sources);

/// The solution of x = 1 + A M^T x by Gaussian elimination. A must be below the reciprocal of the largest eigenvalue.
[[nodiscard]] std::vector<long double> walk_sums(const Lists& graph, double attenuation,
                                                 bool by_weight);
/// 1 / (1 + the greatest sum of a vertex's out-arcs).
[[nodiscard]] double default_attenuation(const Lists& graph, bool by_weight);

inline constexpr std::uint32_t kMostSteps = 2'000;

/// The vectors of a power iteration.
struct PowerSteps {
  std::vector<long double> vector;
  std::vector<long double> other;  ///< hits: the authorities, where `vector` has the hubs
  bool converged = true;           ///< false: needs more than kMostSteps
};
/// Power iteration on M^T + I from equal values: `steps` of them, or, if `steps` is 0, until the sum of all changes is at most
/// `tolerance` times the sum of all values. The sum of squares is 1.
[[nodiscard]] PowerSteps eigenvector_after(const Lists& graph, std::uint32_t steps, bool by_weight,
                                           double tolerance);
/// Hubs and authorities from equal hubs; odd steps compute authorities, and even ones hubs. Each sums to 1.
[[nodiscard]] PowerSteps hubs_after(const Lists& graph, std::uint32_t steps, double tolerance);

/// The weights of the edges of a minimum spanning forest in ascending order, by Kruskal's method. All such forests have the same.
[[nodiscard]] std::vector<double> forest_weights(const Lists& graph);
/// The weight of the lightest arc between two vertices, in either direction; infinity if there is none.
[[nodiscard]] double lightest_between(const Lists& graph, std::uint32_t a, std::uint32_t b);
/// The modularity of a division of the vertices (Newman & Girvan, 2004), without directions.
[[nodiscard]] long double quality_of(const Lists& graph,
                                     const std::vector<std::uint32_t>& communities,
                                     double resolution, bool by_weight);

}  // namespace leeway::answers
