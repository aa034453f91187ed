// Multilevel partitioning of a graph in parts.
#pragma once

#include <cstdint>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "datasets/graph.h"
#include "runtime/cluster/group.h"
#include "runtime/graph/graph_part.h"

namespace leeway {

/// Multilevel partitioning as in ParHIP (Meyerhenke, Sanders & Schulz, TPDS 2017): label propagation finds clusters,
/// which are contracted on all nodes until node 0 may hold the remaining graph. METIS partitions that graph. On the
/// way back, label propagation refines the partition of each level. A node holds only its share of a level and the
/// targets of its arcs.
///
/// Returns the parts of the vertices of this node's range; there is one part for each node. Contracts until at most
/// `most_arcs` are left, or contraction no longer makes the graph smaller. Parts are at most 3 % heavier than the
/// mean, as far as whole vertices allow. The same number of nodes gives the same result. Collective.
Result<std::vector<PartId>> multilevel_division(Group& group, const GraphPart& part,
                                                const PartitionOptions& how,
                                                std::uint64_t most_arcs);

}  // namespace leeway
