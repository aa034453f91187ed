// What the nodes of a job have of a result, each of its own range of vertices, brought to where it is wanted without
// any node holding all of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "leeway/base/result.h"
#include "leeway/runtime/parts/exchange.h"
#include "leeway/runtime/parts/graph_part.h"

namespace leeway {

/// What vertices of any range are called: each of `vertices` once. Collective.
Result<std::unordered_map<std::uint32_t, std::string>> names_of(
    Exchange& exchange, const GraphPart& part, std::span<const std::uint64_t> vertices);

/// The vertex called so, if there is one. Collective.
[[nodiscard]] VertexId find_vertex(Exchange& exchange, const GraphPart& part,
                                   std::string_view name);

/// Everybody's text, node after node, to node 0's `take`, a piece at a time: at most `most` bytes are there at once. A
/// failure of `take` ends it for all. Collective.
Status stream_text(Exchange& exchange,
                   const std::function<std::string(std::size_t most)>& next_piece,
                   const std::function<Status(std::string_view)>& take);

/// Everybody's values, node after node, at node 0: for who has room for them. Collective.
template <class T>
std::vector<T> gather_values(Exchange& exchange, std::span<const T> mine) {
  std::vector<std::vector<T>> lists(exchange.count());
  lists[0].assign(mine.begin(), mine.end());
  std::vector<T> all;
  for (const auto& list : exchange.swap(lists)) all.insert(all.end(), list.begin(), list.end());
  return all;
}

}  // namespace leeway
