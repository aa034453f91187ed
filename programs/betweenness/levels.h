// Betweenness level by level: the supersteps of Brandes' algorithm on a graph in parts, for the schedule bsp. The search from a source
// reaches the vertices of one depth in each superstep, by all threads of a node, and keeps a bit for each arc of a shortest path; then
// dependencies are summed along these arcs, from the greatest depth back (Madduri et al., IPDPS 2009).
#pragma once

#include <cstdint>

#include "base/array.h"
#include "base/result.h"
#include "programs/catalog/sources.h"
#include "runtime/cluster/group.h"
#include "runtime/graph/graph_part.h"

namespace leeway {

struct DependencyRow {
  double total = 0;
  std::uint64_t entries = 0;  ///< list entries that were visited for this vertex
  [[nodiscard]] double value() const { return total; }
};

struct DependencySums {
  Array<DependencyRow> rows;  ///< of the vertices of this node's range
  std::uint64_t supersteps = 0;
};

/// Sums of the dependencies of all sources. Collective.
Result<DependencySums> sum_dependencies(Group& group, const GraphPart& part,
                                        const PathSources& sources, unsigned threads);

}  // namespace leeway
