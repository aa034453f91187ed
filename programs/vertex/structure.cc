#include "programs/vertex/structure.h"

#include <algorithm>
#include <bit>
#include <span>

#include "base/array.h"
#include "base/check.h"

namespace leeway {

namespace {

/// True if a neighbour's list is searched for each of the vertex's neighbours instead of being scanned, because it is
/// much longer.
bool searches(std::uint64_t near, std::uint64_t degree) {
  return near * std::bit_width(degree) < degree;
}

std::uint64_t searched(std::span<const VertexId> near, std::span<const VertexId> list,
                       VertexId own) {
  std::uint64_t found = 0;
  for (const VertexId w : near) {
    if (w != own && std::binary_search(list.begin(), list.end(), w)) ++found;
  }
  return found;
}

std::uint64_t walked(const std::vector<bool>& is_near, std::span<const VertexId> list,
                     VertexId own) {
  std::uint64_t found = 0;
  VertexId previous = VertexId::none();
  for (const VertexId w : list) {
    if (w != previous && w != own && is_near[w.index()]) ++found;
    previous = w;
  }
  return found;
}

}  // namespace

Clustering::Clustering(const Graph& graph) : graph_(&graph) {
  if (!graph.directed()) return;
  auto incoming = lists_of(graph, Reads::In, false);
  LEEWAY_CHECK(incoming.has_value(), "no memory for the reversed arcs");
  incoming_ = std::make_shared<const Csr>(std::move(*incoming));
}

void Clustering::find_near(VertexId vertex, std::vector<VertexId>& near) const {
  const auto own = graph_->neighbors(vertex);
  near.assign(own.begin(), own.end());
  if (incoming_) {
    for (const std::uint32_t u : incoming_->row(vertex.value())) near.emplace_back(u);
    std::inplace_merge(near.begin(), near.begin() + static_cast<std::ptrdiff_t>(own.size()),
                       near.end());
  }
  near.erase(std::unique(near.begin(), near.end()), near.end());
  std::erase(near, vertex);
}

std::uint64_t Clustering::effort(const Vertex<double>& vertex) const {
  if (vertex.value() >= 0) return 0;
  Scratch<VertexId, Clustering> scratch;
  std::vector<VertexId>& near = *scratch;
  find_near(vertex.id(), near);
  if (near.size() < 2) return near.size();
  std::uint64_t entries = 0;
  for (const VertexId u : near) {
    const std::uint64_t degree = graph_->degree(u);
    entries += searches(near.size(), degree) ? near.size() * std::bit_width(degree) : degree;
  }
  return entries;
}

double Clustering::coefficient(VertexId vertex) const {
  Scratch<VertexId, Clustering> scratch;
  std::vector<VertexId>& near = *scratch;
  find_near(vertex, near);
  if (near.size() < 2) return 0;
  Scratch<bool, Clustering, ScratchBegins::AsLeft> marks;
  std::vector<bool>& is_near = *marks;  // all false between calls
  if (is_near.size() < graph_->vertex_count()) is_near.resize(graph_->vertex_count());
  for (const VertexId u : near) is_near[u.index()] = true;
  std::uint64_t arcs = 0;
  for (const VertexId u : near) {
    const auto list = graph_->neighbors(u);
    arcs += searches(near.size(), list.size()) ? searched(near, list, u) : walked(is_near, list, u);
  }
  for (const VertexId u : near) is_near[u.index()] = false;
  const auto size = static_cast<double>(near.size());
  return static_cast<double>(arcs) / (size * (size - 1));
}

}  // namespace leeway
