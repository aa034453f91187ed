// Sequential oracles of the centralities. Like oracles.h, they share no code with engines or programs.
#pragma once

#include <span>
#include <vector>

#include "datasets/graph.h"

namespace leeway::reference {

/// x = 1 + attenuation A^T x, scaled to a sum of squares of 1, by repeated substitution.
[[nodiscard]] std::vector<double> katz(const Graph& graph, double attenuation, bool by_weight);
/// How far A^T x is from a multiple of x, as a share of the largest value; infinity if a value is negative. If it is 0, x is the
/// eigenvector of the largest eigenvalue, or, in a graph that is not strongly connected, one of several.
[[nodiscard]] double eigenvector_error(const Graph& graph, std::span<const double> values,
                                       bool by_weight);
/// The same for hubs and authorities, in turn for each vertex: A a is a multiple of the hubs, A^T h of the authorities.
[[nodiscard]] double hubs_error(const Graph& graph, std::span<const float> hubs_authorities);

/// NetworkX's closeness with Wasserman and Faust's factor, from these sources alone.
[[nodiscard]] std::vector<double> closeness(const Graph& graph, std::span<const VertexId> sources,
                                            bool by_weight);
/// The sum of the reciprocal distances from the sources, times the share of other vertices that they are.
[[nodiscard]] std::vector<double> harmonic(const Graph& graph, std::span<const VertexId> sources,
                                           bool by_weight);
/// Brandes' sums of dependencies on each vertex, from these sources; paths are counted by arcs.
[[nodiscard]] std::vector<double> dependencies(const Graph& graph,
                                               const std::vector<VertexId>& sources);

}  // namespace leeway::reference
