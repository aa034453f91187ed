// The second half of building a graph: lists that hold the right arcs in the order of the input are
// sorted, merged and weighted in place. Works on the vertex shares of several threads at once.
#pragma once

#include <cstdint>
#include <vector>

#include "leeway/base/result.h"
#include "leeway/datasets/graph.h"
#include "leeway/datasets/load_options.h"

namespace leeway {

/// Sorts every list by target, equal targets keeping their order, then merges duplicates if asked.
/// Thread t works on vertices shares[t] … shares[t+1].
void arrange_lists(GraphParts& parts, const std::vector<std::size_t>& shares,
                   const LoadOptions& options);

/// An error unless the range of random weights holds a whole number. Always fine for other weights.
Status check_weight_range(const LoadOptions& options);

/// Gives every arc a weight that depends on its ends and the seed, where the first vertex is `first`; both arcs of an undirected edge
/// get the same. Requires a checked range.
Status draw_weights(GraphParts& parts, std::uint64_t first, const std::vector<std::size_t>& shares,
                    const LoadOptions& options);

}  // namespace leeway
