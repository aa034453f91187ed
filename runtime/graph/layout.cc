#include "runtime/graph/layout.h"

#include <algorithm>
#include <numeric>

#include "base/check.h"
#include "datasets/build_graph.h"

namespace leeway {

Result<Layout> Layout::single(std::uint32_t vertices) {
  Layout layout;
  layout.firsts_ = {0, vertices};
  LEEWAY_ASSIGN(layout.vertices_, Array<VertexId>::make(vertices));
  LEEWAY_ASSIGN(layout.places_, Array<LocalIndex>::make(vertices));
  for (std::uint32_t v = 0; v < vertices; ++v) {
    layout.vertices_.mutable_span()[v] = VertexId(v);
    layout.places_.mutable_span()[v] = LocalIndex(v);
  }
  return layout;
}

Result<Layout> Layout::make(const Graph& graph, const Partition& partition, VertexOrder order) {
  LEEWAY_CHECK(partition.owner.size() == graph.vertex_count());
  Layout layout;
  layout.order_ = order;
  const std::uint32_t count = graph.vertex_count();
  LEEWAY_ASSIGN(layout.vertices_, Array<VertexId>::make(count));
  LEEWAY_ASSIGN(layout.places_, Array<LocalIndex>::make(count));
  LEEWAY_ASSIGN(layout.homes_, Array<PartId>::copy_of(partition.owner.span()));
  layout.firsts_.assign(partition.part_count + std::size_t{1}, 0);
  for (const PartId owner : layout.homes_) ++layout.firsts_[owner.index() + 1];
  std::partial_sum(layout.firsts_.begin(), layout.firsts_.end(), layout.firsts_.begin());
  const auto vertices = layout.vertices_.mutable_span();
  std::vector<std::size_t> next(layout.firsts_.begin(), layout.firsts_.end() - 1);
  for (VertexId v(0); v.value() < count; v = v.next()) {
    vertices[next[layout.homes_[v.index()].index()]++] = v;
  }
  const bool hubs =
      order == VertexOrder::Hubs && has_hubs(most_arcs(graph), graph.arc_count(), count);
  layout.by_ranges_ = !hubs && order != VertexOrder::Degree &&
                      std::is_sorted(layout.homes_.begin(), layout.homes_.end());
  for (std::uint32_t node = 0; node < layout.node_count(); ++node) {
    const auto mine =
        vertices.subspan(layout.firsts_[node], layout.firsts_[node + 1] - layout.firsts_[node]);
    arrange(mine, order, hubs, [&](VertexId v) { return graph.degree(v); });
    for (std::size_t i = 0; i < mine.size(); ++i) {
      layout.places_.mutable_span()[mine[i].index()] = LocalIndex(static_cast<std::uint32_t>(i));
    }
  }
  return layout;
}

}  // namespace leeway
