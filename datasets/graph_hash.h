// A hash of all properties of a graph that determine a result: direction, weights and arcs. It identifies a graph in reports and
// snapshots.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "datasets/build_graph.h"
#include "datasets/graph.h"

namespace leeway {

[[nodiscard]] std::string hash_of(const Graph& graph);

// The same hash from parts: the hash of all arcs is the sum of the hashes of disjoint sets of them.

/// `lists`: the neighbour lists of consecutive vertices from `first` on.
[[nodiscard]] std::uint64_t hash_arcs(VertexId first, const GraphArrays& lists);
[[nodiscard]] std::string hash_text(const GraphTotals& graph, std::uint64_t arcs);

/// The hash of a list of numbers.
[[nodiscard]] std::string hash_text(std::span<const double> numbers);

}  // namespace leeway
