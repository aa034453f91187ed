#include "leeway/datasets/graph.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "leeway/base/check.h"

namespace leeway {

namespace {

template <class T>
bool same_bits(std::span<const T> a, std::span<const T> b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size_bytes()) == 0);
}

bool same_names(const VertexNames& a, const VertexNames& b) {
  return a.kind() == b.kind() && a.count() == b.count() && a.first() == b.first() &&
         same_bits(a.ids().span(), b.ids().span()) && same_bits(a.text().span(), b.text().span());
}

}  // namespace

Graph::Graph(GraphParts parts) : parts_(std::move(parts)) {
  LEEWAY_CHECK(!parts_.offsets.empty());
  vertex_count_ = static_cast<std::uint32_t>(parts_.offsets.size() - 1);
  LEEWAY_CHECK(parts_.offsets[0] == 0u);
  LEEWAY_CHECK(parts_.offsets[vertex_count_] == parts_.targets.size());
  LEEWAY_CHECK(parts_.weights.size() == (weighted() ? arc_count() : 0u));
  LEEWAY_CHECK(parts_.imaginary.size() ==
               (weight_kind() == WeightKind::Complex ? arc_count() : 0u));
  LEEWAY_CHECK(parts_.names.count() == vertex_count_);
  LEEWAY_CHECK(parts_.left_count <= vertex_count_);
}

std::uint64_t Graph::self_loop_count() const {
  std::uint64_t loops = 0;
  for (std::uint32_t v = 0; v < vertex_count_; ++v) {
    const auto list = neighbors(VertexId(v));
    const auto [first, last] = std::equal_range(list.begin(), list.end(), VertexId(v));
    loops += static_cast<std::uint64_t>(last - first);
  }
  return loops;
}

std::uint64_t Graph::edge_count() const {
  return directed() ? arc_count() : (arc_count() + self_loop_count()) / 2;
}

std::size_t Graph::bytes() const {
  return parts_.offsets.bytes() + parts_.targets.bytes() + parts_.weights.bytes() +
         parts_.imaginary.bytes() + parts_.names.bytes();
}

bool Graph::operator==(const Graph& other) const {
  return directed() == other.directed() && weight_kind() == other.weight_kind() &&
         left_count() == other.left_count() && same_bits(offsets(), other.offsets()) &&
         same_bits(targets(), other.targets()) && same_bits(weights(), other.weights()) &&
         same_bits(imaginary(), other.imaginary()) && same_names(names(), other.names());
}

}  // namespace leeway
