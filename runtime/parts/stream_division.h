// Dividing a graph in parts by one pass over its vertices (LDG, Fennel), which each node makes over its own range at the
// same time as the others. In batches: within one a node sees where the others' vertices went before it, and what they have
// put into each part since then it guesses to be what it has put there itself. No node holds more than its
// range and the vertices that its arcs lead to.
#pragma once

#include <vector>

#include "leeway/base/ids.h"
#include "leeway/datasets/partition.h"
#include "leeway/runtime/parts/exchange.h"
#include "leeway/runtime/parts/graph_part.h"

namespace leeway {

/// The parts of the vertices of this node's range, a part a node; `how.method` is Ldg or Fennel. No part gets more
/// than the method's limit and its heaviest vertices beyond. The same for as many nodes. Collective.
[[nodiscard]] std::vector<PartId> stream_division(Exchange& exchange, const GraphPart& part,
                                                  const PartitionOptions& how);

}  // namespace leeway
