// Skew as AAP's evaluation makes it: a small portion of a partitioned graph is reshuffled, at random, until
// one fragment is r times the median (AAP §8, Exp-4: r = ||F_max|| / ||F_median||).
#pragma once

#include <cstdint>

#include "leeway/datasets/graph.h"
#include "leeway/datasets/partition.h"

namespace leeway::replay {

/// Moves vertices drawn at random from all other parts into part 0 until its size, vertices and arcs, is
/// `ratio` times the median part's. Requires a ratio of at least 1. Same arguments: same partition.
void reshuffle(const Graph& graph, double ratio, std::uint64_t seed, Partition& partition);

}  // namespace leeway::replay
