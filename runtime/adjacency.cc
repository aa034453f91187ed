#include "leeway/runtime/adjacency.h"

#include <algorithm>
#include <numeric>

namespace leeway {

Result<Adjacency> Adjacency::make(const Graph& graph, Reads reads, bool weights) {
  const bool keep = weights && graph.weighted();
  if (reads == Reads::None) {
    Adjacency lists;
    LEEWAY_ASSIGN(lists.offsets_,
                  Array<std::uint64_t>::make(graph.vertex_count() + std::size_t{1}));
    return lists;
  }
  if (!graph.directed() || reads == Reads::Out) return borrowed(graph, keep);
  return turned(graph, reads == Reads::Both, keep);
}

Result<Adjacency> Adjacency::borrowed(const Graph& graph, bool weights) {
  Adjacency lists;
  if (graph.vertex_count() == 0) {
    LEEWAY_ASSIGN(lists.offsets_, Array<std::uint64_t>::make(1));
    return lists;
  }
  lists.offsets_ = Array<std::uint64_t>::view(graph.offsets(), nullptr);
  lists.targets_ = Array<VertexId>::view(graph.targets(), nullptr);
  if (weights) lists.weights_ = Array<double>::view(graph.weights(), nullptr);
  return lists;
}

/// Every vertex's incoming arcs, after its own ones if they are wanted too. Sources ascend.
Result<Adjacency> Adjacency::turned(const Graph& graph, bool with_own, bool weights) {
  Adjacency lists;
  const std::size_t count = graph.vertex_count();
  const std::size_t arcs = graph.arc_count() * (with_own ? 2 : 1);
  LEEWAY_ASSIGN(lists.offsets_, Array<std::uint64_t>::make(count + 1));
  LEEWAY_ASSIGN(lists.targets_, Array<VertexId>::make(arcs));
  if (weights) {
    LEEWAY_ASSIGN(lists.weights_, Array<double>::make(arcs));
  }
  const auto offsets = lists.offsets_.mutable_span();
  for (const VertexId target : graph.targets()) ++offsets[target.index() + 1];
  for (std::size_t v = 0; with_own && v < count; ++v) {
    offsets[v + 1] += graph.degree(VertexId(static_cast<std::uint32_t>(v)));
  }
  std::partial_sum(offsets.begin(), offsets.end(), offsets.begin());
  std::vector<std::uint64_t> next(offsets.begin(), offsets.end() - 1);
  const auto put = [&](VertexId at, VertexId neighbor, std::uint64_t arc) {
    const std::uint64_t place = next[at.index()]++;
    lists.targets_.mutable_span()[place] = neighbor;
    if (weights) lists.weights_.mutable_span()[place] = graph.weights()[arc];
  };
  for (VertexId v(0); v.index() < count; v = v.next()) {
    const std::uint64_t first = graph.offsets()[v.index()];
    const auto own = graph.neighbors(v);
    for (std::size_t i = 0; i < own.size(); ++i) {
      if (with_own) put(v, own[i], first + i);
      put(own[i], v, first + i);
    }
  }
  return lists;
}

bool is_symmetric(const Graph& graph) {
  if (!graph.directed()) return true;
  // Lists ascend, so the sources of a vertex's incoming arcs come in the order in which it lists its
  // targets. Of parallel arcs one in each direction is enough.
  std::vector<std::uint64_t> next(graph.offsets().begin(), graph.offsets().end());
  for (VertexId v(0); v.value() < graph.vertex_count(); v = v.next()) {
    VertexId previous = VertexId::none();
    for (const VertexId target : graph.neighbors(v)) {
      if (target == previous) continue;
      previous = target;
      std::uint64_t& at = next[target.index()];
      const std::uint64_t end = graph.offsets()[target.index() + 1];
      if (at == end || graph.targets()[at] != v) return false;
      while (at != end && graph.targets()[at] == v) ++at;
    }
  }
  return true;
}

}  // namespace leeway
