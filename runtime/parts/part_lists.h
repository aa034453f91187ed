// Lists of neighbours of one node's own vertices, on their way from the ranges of a graph in parts to where the
// vertices live.
#pragma once

#include <cstdint>
#include <vector>

#include "leeway/base/array.h"
#include "leeway/base/ids.h"
#include "leeway/base/result.h"
#include "leeway/runtime/adjacency.h"
#include "leeway/runtime/parts/division.h"
#include "leeway/runtime/parts/exchange.h"
#include "leeway/runtime/parts/graph_part.h"

namespace leeway {

struct PartLists {
  std::vector<VertexId> vertices;  ///< ascending
  Array<std::uint32_t> degrees;    ///< arcs that leave each in the graph
  Array<std::uint64_t> offsets;
  Array<VertexId> targets;  ///< numbers of the whole graph; may be views of a file
  Array<double> weights;
};

/// What updates of the range's vertices read. Takes the arcs out of the part. Collective.
Result<PartLists> read_lists(Exchange& exchange, GraphPart& part, Reads reads, bool weights);

/// The same lists, each at its vertex' home. Collective.
Result<PartLists> move_home(Exchange& exchange, PartLists lists, const Division& division);

/// The arcs of all nodes turned round: for each vertex of the range, the sources of its incoming arcs, ascending.
/// Collective.
Result<GraphParts> turn_arcs(Exchange& exchange, const GraphPart& part, bool weights);

}  // namespace leeway
