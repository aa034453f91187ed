// CoreNumbers: the largest k for which a vertex belongs to a subgraph of minimum degree k (Seidman, 1983), by the distributed
// method of Montresor, De Pellegrini & Miorandi (2013): an estimate only decreases, to the largest i such that i neighbours
// have estimates of at least i. Every estimate is an upper bound, so old values of neighbours are safe. Directions are ignored,
// each arc counts, loops do not.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "leeway/vertex.h"

namespace leeway {

struct SupportCounts;

/// The largest core up to `own` for which enough neighbours have estimates that are not below it. `estimate_of`: from a neighbour's value.
template <class Value, class EstimateOf>
[[nodiscard]] std::uint32_t supported_core(const Vertex<Value>& vertex, std::uint32_t own,
                                           const EstimateOf& estimate_of) {
  const auto most = std::min(own, static_cast<std::uint32_t>(vertex.degree()));
  Scratch<std::uint32_t, SupportCounts> scratch;
  std::vector<std::uint32_t>& with =
      *scratch;  // by estimate, the number of neighbours; the last has the larger ones
  with.assign(most + std::size_t{1}, 0);
  vertex.each([&](const Value& from) { ++with[std::min(estimate_of(from), most)]; });
  std::uint32_t core = most;
  for (std::uint32_t at_least = with[core]; at_least < core; at_least += with[core]) --core;
  return core;
}

class CoreNumbers {
 public:
  using Value = std::uint32_t;
  static constexpr bool kMovesOn = false;
  static constexpr Reads kReads = Reads::Both;
  static constexpr bool kDropLoops = true;
  static constexpr bool kAlwaysRests = true;

  [[nodiscard]] std::uint32_t init(VertexId) const {
    return std::numeric_limits<std::uint32_t>::max();
  }
  [[nodiscard]] std::uint32_t update(const Vertex<std::uint32_t>& vertex) const {
    return supported_core(vertex, vertex.value(), [](std::uint32_t estimate) { return estimate; });
  }
};

}  // namespace leeway
