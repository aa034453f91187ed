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

// The same hash in steps: begin, then all offsets, all targets, all weights.
[[nodiscard]] std::uint64_t begin_hash(const GraphTotals& graph);
[[nodiscard]] std::uint64_t hash_offset(std::uint64_t hash, std::uint64_t offset);
[[nodiscard]] std::uint64_t hash_targets(std::uint64_t hash, std::span<const VertexId> targets);
[[nodiscard]] std::uint64_t hash_weights(std::uint64_t hash, std::span<const double> weights);
[[nodiscard]] std::string hash_text(std::uint64_t hash);

}  // namespace leeway
