#include "leeway/base/disjoint_sets.h"
#include "leeway/programs/reference/kernels.h"

namespace leeway::reference {

std::vector<std::uint32_t> sampled_components(const Graph& graph) {
  DisjointSets sets(graph.vertex_count());
  const NeighbourLists<VertexId> lists{.count = graph.vertex_count(),
                                       .offsets = graph.offsets().data(),
                                       .targets = graph.targets().data()};
  // In a directed graph an arc into the largest set may leave from outside and be listed there only.
  if (graph.directed()) {
    join_all(sets, lists);
  } else {
    join_sampled(sets, lists);
  }
  sets.flatten();
  return sets.take();
}

}  // namespace leeway::reference
