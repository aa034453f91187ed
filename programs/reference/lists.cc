#include "leeway/programs/reference/lists.h"

namespace leeway::reference {
namespace {

Lists collect(const Graph& graph, bool outgoing, bool incoming) {
  const std::uint32_t n = graph.vertex_count();
  Lists lists;
  lists.offsets.assign(std::size_t{n} + 1, 0);
  for (VertexId v(0); v.value() < n; v = v.next()) {
    if (outgoing) lists.offsets[v.index() + 1] += graph.degree(v);
    if (!incoming) continue;
    for (const VertexId target : graph.neighbors(v)) ++lists.offsets[target.index() + 1];
  }
  for (std::size_t v = 0; v < n; ++v) lists.offsets[v + 1] += lists.offsets[v];
  lists.targets.resize(lists.offsets.back());
  std::vector<std::uint64_t> place(lists.offsets.begin(), lists.offsets.end() - 1);
  for (VertexId v(0); v.value() < n; v = v.next()) {
    for (const VertexId target : graph.neighbors(v)) {
      if (outgoing) lists.targets[place[v.index()]++] = target.value();
      if (incoming) lists.targets[place[target.index()]++] = v.value();
    }
  }
  return lists;
}

}  // namespace

Lists incoming(const Graph& graph) { return collect(graph, !graph.directed(), graph.directed()); }

Lists both_ways(const Graph& graph) { return collect(graph, true, graph.directed()); }

VertexId busiest(const Graph& graph) {
  VertexId best(0);
  for (VertexId v(0); v.value() < graph.vertex_count(); v = v.next()) {
    if (graph.degree(v) > graph.degree(best)) best = v;
  }
  return best;
}

}  // namespace leeway::reference
