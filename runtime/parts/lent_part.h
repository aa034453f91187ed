// A node's part of a graph that every node of a job has whole.
#pragma once

#include <cstdint>

#include "leeway/base/result.h"
#include "leeway/datasets/graph.h"
#include "leeway/datasets/partition.h"
#include "leeway/datasets/vertex_names.h"
#include "leeway/runtime/parts/graph_part.h"

namespace leeway {

/// Its arcs are views of the graph's, which outlives it. The same ranges on every node.
Result<GraphPart> part_of(const Graph& graph, NodeId self, std::uint32_t nodes, BalanceBy balance);

/// Of `count` vertices from `first` on.
Result<VertexNames> names_of_range(const VertexNames& names, std::uint32_t first,
                                   std::uint32_t count);

}  // namespace leeway
