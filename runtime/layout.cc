#include "leeway/runtime/layout.h"

#include <algorithm>
#include <array>
#include <bit>
#include <functional>
#include <numeric>

#include "leeway/base/check.h"

namespace leeway {

namespace {

/// Times the mean that a vertex has to have for groups to be made.
constexpr std::uint64_t kManyTimes = 16;

bool has_hubs(const Graph& graph) {
  if (graph.vertex_count() == 0) return false;
  const std::uint64_t least = kManyTimes * (graph.arc_count() / graph.vertex_count() + 1);
  for (VertexId v(0); v.value() < graph.vertex_count(); v = v.next()) {
    if (graph.degree(v) >= least) return true;
  }
  return false;
}

/// 0 without arcs, 1 with one, 2 with two or three, ...
std::size_t group_of(std::uint64_t degree) {
  return static_cast<std::size_t>(std::bit_width(degree));
}
constexpr std::size_t kMostGroups = 65;

/// Orders `mine`, ascending before, by groups, and says where those end that are not empty.
std::vector<std::uint32_t> group(const Graph& graph, std::span<VertexId> mine) {
  std::array<std::uint32_t, kMostGroups + 1> at{};  // by group, the greatest first
  const auto place = [&](VertexId v) { return kMostGroups - 1 - group_of(graph.degree(v)); };
  for (const VertexId v : mine) ++at[place(v) + 1];
  std::partial_sum(at.begin(), at.end(), at.begin());
  std::vector<std::uint32_t> ends;
  for (std::size_t i = 0; i < kMostGroups; ++i) {
    if (at[i + 1] > at[i]) ends.push_back(at[i + 1]);
  }
  const std::vector<VertexId> as_they_were(mine.begin(), mine.end());
  for (const VertexId v : as_they_were) mine[at[place(v)]++] = v;
  return ends;
}

}  // namespace

Result<Layout> Layout::single(std::uint32_t vertices) {
  Layout layout;
  layout.firsts_ = {0, vertices};
  layout.groups_ = {{vertices}};
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
  const bool groups = order == VertexOrder::Hubs && has_hubs(graph);
  for (std::uint32_t node = 0; node < layout.node_count(); ++node) {
    const auto mine =
        vertices.subspan(layout.firsts_[node], layout.firsts_[node + 1] - layout.firsts_[node]);
    layout.groups_.push_back({static_cast<std::uint32_t>(mine.size())});
    if (order == VertexOrder::Degree) {
      std::ranges::stable_sort(mine, std::greater(), [&](VertexId v) { return graph.degree(v); });
    } else if (groups) {
      layout.groups_[node] = group(graph, mine);
    }
    for (std::size_t i = 0; i < mine.size(); ++i) {
      layout.places_.mutable_span()[mine[i].index()] = LocalIndex(static_cast<std::uint32_t>(i));
    }
  }
  return layout;
}

}  // namespace leeway
