// One division of a graph for all processes of a job, whatever engine runs on it: node 0 works it out and
// sends it to the others, for METIS takes longer than most of what is then computed, and processes on one
// machine that all run it take turns on its cores.
#pragma once

#include "leeway/base/result.h"
#include "leeway/datasets/partition.h"
#include "leeway/runtime/node_programs.h"

namespace leeway {

/// The method that `how` asks for; where nobody said one, what suits this graph and, if messages are slow or their
/// time is simulated, the fewest of them.
[[nodiscard]] PartitionMethod method_for(const ClusterOptions& cluster, const Graph& graph,
                                         const PartitionOptions& how);

/// `graph` in `how.parts` parts. Where nodes are processes: collective, a run of its own before the run that
/// the parts are for; every node gives the same graph and options, and where node 0 fails all do. Where all
/// nodes are in this process it is `partition_graph`.
Result<Partition> divide_once(const ClusterOptions& cluster, const Graph& graph,
                              const PartitionOptions& how);

}  // namespace leeway
