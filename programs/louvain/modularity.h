// Communities by modularity (Newman & Girvan, 2004), by the method of Louvain (Blondel et al., 2008) on a graph in parts: vertices move
// to the neighbouring community of the largest gain until few do, then each community becomes a vertex, level by level. Vertices move
// in pseudo-random batches (Ghosh et al., IPDPS 2018): all of a batch decide by the communities before it, so the result depends neither
// on the number of nodes nor of threads, as long as sums of weights are exact.
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "runtime/cluster/group.h"
#include "runtime/graph/graph_part.h"

namespace leeway {

struct ModularityOptions {
  double resolution = 1;  ///< gamma: communities are smaller above 1
  bool by_weight = false;
  std::uint64_t seed = 1;
  unsigned threads = 1;
};

struct CommunityRow {
  std::uint32_t community = 0;  ///< its first vertex
  std::uint32_t entries = 0;    ///< list entries that were visited for this vertex, on all levels
  [[nodiscard]] std::uint32_t value() const { return community; }
};

struct FoundCommunities {
  std::vector<CommunityRow> rows;  ///< of this node's range
  double modularity = 0;
  std::uint32_t levels = 0;
};

/// Directions are ignored; a loop counts at both of its ends. Collective.
Result<FoundCommunities> find_communities(Group& group, const GraphPart& part,
                                          const ModularityOptions& options);

}  // namespace leeway
