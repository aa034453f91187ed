#include "leeway/datasets/hubs.h"

#include <algorithm>

namespace leeway {

std::uint64_t most_arcs(const Graph& graph) {
  std::uint64_t most = 0;
  for (VertexId v(0); v.index() < graph.vertex_count(); v = v.next())
    most = std::max<std::uint64_t>(most, graph.degree(v));
  return most;
}

}  // namespace leeway
