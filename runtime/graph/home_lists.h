// The neighbour lists of the vertices whose home is this node (HomeLists), brought from the ranges of a graph in parts, and the
// objects of remote vertices.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "base/array.h"
#include "base/ids.h"
#include "base/result.h"
#include "datasets/csr.h"
#include "runtime/cluster/group.h"
#include "runtime/graph/division.h"
#include "runtime/graph/graph_part.h"
#include "runtime/graph/lists.h"
#include "runtime/graph/vertex_records.h"

namespace leeway {

struct HomeLists {
  std::vector<VertexId> vertices;  ///< ascending
  Array<std::uint32_t> degrees;    ///< out-degree of each in the graph
  Csr lists;                       ///< by vertex number; may be a view of a mapped file
  VertexRecords records;
};

/// The lists of this node's vertices that updates read, and their records. Consumes the arcs of the part. `records`: of the range's
/// vertices, borrowed by the result; null: there are none. Collective.
Result<HomeLists> bring_home(Group& group, GraphPart& part, const Division& division, Reads reads,
                             bool weights, const VertexRecords* records);

/// The objects of vertices in the ranges of their homes, in the graph's order.
std::vector<ObjectId> objects_in(const VertexRanges& ranges, std::span<const VertexId> vertices);

/// The objects of remote vertices, in their order, asked of their homes. `place_of`: the index of a vertex that another node asks
/// for, or any number from `count` on if its home is not this node. Collective.
std::vector<ObjectId> find_objects(Group& group, const Division& division,
                                   std::span<const VertexId> remote, std::uint32_t count,
                                   const std::function<std::uint32_t(VertexId)>& place_of);

/// For each object, `value_of` its local index at its home; indices are below `count` there. Collective.
template <class T, class ValueOf>
std::vector<T> ask_objects(Group& group, std::span<const ObjectId> objects, std::uint32_t count,
                           const ValueOf& value_of) {
  std::vector<NodeId> homes;
  std::vector<std::uint32_t> places;
  for (const ObjectId id : objects) {
    homes.push_back(id.home());
    places.push_back(id.local().value());
  }
  return ask<T>(group, std::span<const NodeId>(homes), std::span<const std::uint32_t>(places),
                [&](std::uint32_t place, NodeId from) {
                  group.require(place < count, from);
                  return value_of(place);
                });
}

/// Requires of a node that the values it has sent are vertices of the graph.
void require_vertices(Group& group, NodeId from, std::span<const std::uint32_t> values,
                      std::uint64_t vertices);

}  // namespace leeway
