// How a node orders its vertices, and so its memory and its sweep.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <span>
#include <vector>

namespace leeway {

enum class VertexOrder {
  Graph,   ///< as the graph does
  Degree,  ///< most arcs first
  Hubs,  ///< in groups by the power of two of their arcs, most first, each group as Graph: what is read most
  ///< stands together, and lists of about one length follow each other. Where none has many
  ///< times the mean nothing moves
};

/// Of each node: where each group of its vertices ends that stands in the graph's order, under Graph and Hubs.
using VertexGroups = std::vector<std::vector<std::uint32_t>>;

/// Orders the vertices of a node, in the graph's order before, and gives where its groups end. `hubs`: whether the graph
/// has some (datasets/hubs.h).
template <class Vertex, class Degree>
std::vector<std::uint32_t> arrange(std::span<Vertex> mine, VertexOrder order, bool hubs,
                                   Degree&& degree) {
  if (order == VertexOrder::Degree) std::ranges::stable_sort(mine, std::greater(), degree);
  if (order != VertexOrder::Hubs || !hubs) return {static_cast<std::uint32_t>(mine.size())};
  // By group, the greatest first: 0 without arcs, 1 with one, 2 with two or three, ...
  constexpr std::size_t kMostGroups = 65;
  std::array<std::uint32_t, kMostGroups + 1> at{};
  const auto group = [&](Vertex v) {
    return kMostGroups - 1 - static_cast<std::size_t>(std::bit_width(std::uint64_t{degree(v)}));
  };
  for (const Vertex v : mine) ++at[group(v) + 1];
  std::partial_sum(at.begin(), at.end(), at.begin());
  std::vector<std::uint32_t> ends;
  for (std::size_t i = 0; i < kMostGroups; ++i) {
    if (at[i + 1] > at[i]) ends.push_back(at[i + 1]);
  }
  const std::vector<Vertex> as_they_were(mine.begin(), mine.end());
  for (const Vertex v : as_they_were) mine[at[group(v)]++] = v;
  return ends;
}

}  // namespace leeway
