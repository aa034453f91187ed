// Which method divides a graph where nobody has said it: the one after which the answer comes soonest, dividing
// included. METIS cuts the fewest arcs but takes about a microsecond for each, many times what a run that reads
// memory spends on it; the numbers of real graphs mostly run along their structure, and then equal ranges cut
// few arcs at once.
#pragma once

#include <cstdint>
#include <optional>

#include "leeway/datasets/graph.h"
#include "leeway/datasets/partition.h"

namespace leeway {

/// What a graph is judged by.
struct CutFacts {
  std::uint64_t vertices = 0;
  std::uint64_t arcs = 0;
  std::uint64_t block_cut = 0;  ///< arcs between parts if the parts are ranges
  std::uint64_t most_arcs = 0;  ///< out of one vertex
  std::uint32_t parts = 1;
};

/// METIS up to so many arcs: it takes about ten milliseconds.
inline constexpr std::uint64_t kArcsForMetis = 10'000;

/// What `options` ask for, METIS where they speak of something that it alone heeds; none if that is left to us.
[[nodiscard]] std::optional<PartitionMethod> method_said(const PartitionOptions& options);

/// One of Metis, Block and Ldg.
[[nodiscard]] PartitionMethod choose_method(const CutFacts& facts);

/// The method that `options` ask for, else the one to take for this graph, of which every arc is looked at.
[[nodiscard]] PartitionMethod method_for(const Graph& graph, const PartitionOptions& options);

}  // namespace leeway
