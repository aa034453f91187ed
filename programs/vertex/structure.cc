#include "leeway/programs/vertex/structure.h"

#include <algorithm>
#include <span>

namespace leeway {

Clustering::Clustering(const Graph& graph) : graph_(&graph) {
  auto near = std::make_shared<Neighbourhoods>();
  near->offsets.push_back(0);
  const auto both = Adjacency::make(graph, Reads::Both, false);
  std::vector<VertexId> list;
  for (VertexId v(0); both && v.value() < graph.vertex_count(); v = v.next()) {
    list.assign(both->of(v).begin(), both->of(v).end());
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
    std::erase(list, v);
    near->targets.insert(near->targets.end(), list.begin(), list.end());
    near->offsets.push_back(near->targets.size());
  }
  near_ = std::move(near);
}

double Clustering::result(const Vertex<std::uint8_t>& vertex) const {
  const std::size_t v = vertex.id().index();
  const auto near = std::span(near_->targets)
                        .subspan(near_->offsets[v], near_->offsets[v + 1] - near_->offsets[v]);
  if (near.size() < 2) return 0;
  thread_local std::vector<bool> is_near;
  is_near.resize(graph_->vertex_count());
  for (const VertexId u : near) is_near[u.index()] = true;
  std::uint64_t arcs = 0;
  for (const VertexId u : near) {
    VertexId previous = VertexId::none();
    for (const VertexId w : graph_->neighbors(u)) {
      if (w != previous && w != u && is_near[w.index()]) ++arcs;
      previous = w;
    }
  }
  for (const VertexId u : near) is_near[u.index()] = false;
  const auto size = static_cast<double>(near.size());
  return static_cast<double>(arcs) / (size * (size - 1));
}

}  // namespace leeway
