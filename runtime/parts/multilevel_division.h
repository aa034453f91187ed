// Dividing a graph in parts by several levels, as ParHIP does (Meyerhenke, Sanders & Schulz, TPDS 2017): clusters that
// label propagation finds are contracted, over all nodes, until node 0 may hold what is left; METIS divides that; on the
// way back label propagation refines the division of each level. No node holds more than its share of a level and the
// vertices that its arcs lead to.
#pragma once

#include <cstdint>
#include <vector>

#include "leeway/base/ids.h"
#include "leeway/base/result.h"
#include "leeway/datasets/partition.h"
#include "leeway/runtime/parts/exchange.h"
#include "leeway/runtime/parts/graph_part.h"

namespace leeway {

/// The parts of the vertices of this node's range, a part a node. Contracts until at most `most_arcs` are left, or
/// contracting no longer makes the graph smaller. Parts hold at most 3 % more than an equal share, as far as whole vertices
/// allow. The same for as many nodes. Collective.
Result<std::vector<PartId>> multilevel_division(Exchange& exchange, const GraphPart& part,
                                                const PartitionOptions& how,
                                                std::uint64_t most_arcs);

}  // namespace leeway
