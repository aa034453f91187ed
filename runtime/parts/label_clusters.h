// Size-constrained label propagation over a level of a graph in parts (Meyerhenke, Sanders & Schulz, "Parallel Graph
// Partitioning for Complex Networks", TPDS 2017): each vertex takes the label that most of its arcs' weight leads to, as
// long as no label gets too heavy. Whose number a label is keeps its weight and lets vertices in.
#pragma once

#include <cstdint>
#include <vector>

#include "leeway/base/ids.h"
#include "leeway/runtime/parts/exchange.h"
#include "leeway/runtime/parts/halo.h"
#include "leeway/runtime/parts/part_level.h"

namespace leeway {

struct LabelClusters {
  std::vector<VertexId> labels;              ///< by the halo's index
  std::vector<std::uint64_t> label_weights;  ///< of this node's numbers; 0: nobody has it
};

/// No label gets heavier than `limit`, but for a vertex that is. The same for as many nodes. Collective.
[[nodiscard]] LabelClusters find_clusters(Exchange& exchange, const PartLevel& level,
                                          const Halo& halo, std::uint64_t limit);

}  // namespace leeway
