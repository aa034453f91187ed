// Counting triangles before a vertex program runs: the forward algorithm (Schank & Wagner, 2005; Latapy, 2008) on a graph in
// parts. Two vertices are neighbours if an arc joins them; loops are ignored, and parallel arcs count once.
#pragma once

#include <cstdint>

#include "base/array.h"
#include "base/result.h"
#include "runtime/cluster/group.h"
#include "runtime/graph/graph_part.h"

namespace leeway {

/// The triangles of a vertex.
struct TriangleCount {
  static constexpr bool kDetailed = false;
  static constexpr std::uint32_t entries = 0;

  std::uint64_t count = 0;
  [[nodiscard]] std::uint64_t value() const { return count; }
};

/// The same and what counting found besides.
struct TriangleRow {
  static constexpr bool kDetailed = true;

  std::uint64_t count = 0;    ///< triangles that it is part of, or arcs among its neighbours
  std::uint32_t near = 0;     ///< number of its neighbours
  std::uint32_t entries = 0;  ///< list entries that were visited for this vertex, at most 2^32 - 1
  [[nodiscard]] std::uint64_t value() const { return count; }
};

/// For the vertices of this node's range, the triangles of a graph that has the reverse of every arc. Each triangle is found once, at
/// its vertex with the lowest degree, and counts for all three vertices. Lists of other ranges are fetched in batches, so that a node
/// never holds more than a batch of them. Exact, whatever the ranges and the number of threads. Collective. `Row`: TriangleCount or
/// TriangleRow.
template <class Row>
Result<Array<Row>> count_triangles(Group& group, const GraphPart& part, unsigned threads);

/// The same for the arcs among the neighbours of each vertex, in a graph with directed arcs that need not have a reverse. Collective.
Result<Array<TriangleRow>> count_opposite_arcs(Group& group, const GraphPart& part,
                                               unsigned threads);

}  // namespace leeway
