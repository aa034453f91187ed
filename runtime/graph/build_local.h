// A node's graph made from its part of a graph that no node holds whole.
#pragma once

#include "base/result.h"
#include "leeway/cluster.h"
#include "runtime/cluster/group.h"
#include "runtime/graph/graph_part.h"
#include "runtime/graph/local_graph.h"

namespace leeway {

struct BuiltLocal {
  LocalGraph graph;
  double division_seconds = 0;  ///< time to determine all homes, by all nodes together
};

/// Divides a graph in parts among the nodes and makes this node's local graph. The arcs in the ranges are moved to their
/// vertices' homes; no array has an entry for every vertex of the graph. Consumes the arcs of `part`; its names stay. `known`:
/// as in Division::make. Collective; an error of one node ends it for all.
Result<BuiltLocal> build_local(Group& group, GraphPart& part, const LocalNeeds& needs,
                               const PartitionOptions& how, VertexOrder order,
                               const Partition* known);

}  // namespace leeway
