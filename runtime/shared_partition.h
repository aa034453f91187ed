// One division of a graph for processes that cannot see each other's memory: node 0 works it out, the
// others fetch it, for METIS takes longer than most of what is then computed. Collective; works over
// every fabric.
#pragma once

#include "leeway/base/result.h"
#include "leeway/datasets/partition.h"
#include "leeway/dsm/node.h"

namespace leeway {

/// Every node gives the same graph and options. Where node 0 fails, all fail.
Result<Partition> share_partition(Node& node, const Graph& graph, const PartitionOptions& how);

}  // namespace leeway
