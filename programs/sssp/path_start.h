// Distances before changes of a graph, prepared for a run that continues from them.
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "datasets/graph.h"
#include "programs/catalog/continuation.h"

namespace leeway {

/// A vertex before the changes.
struct OldDistance {
  double distance = 0;
  bool loses = false;  ///< an arc to it was removed or has another length
  bool gains = false;  ///< an arc to it was added or became shorter
};

/// By vertex. `by_weight`: else every arc has length 1. An Input error if the old paths begin elsewhere.
Result<std::vector<OldDistance>> old_distances(const Continuation& from, VertexId source,
                                               bool by_weight);

/// The old distances that still hold.
struct PathStart {
  std::vector<double> distance;      ///< by vertex; infinite where it rested on a lost arc
  std::vector<std::uint8_t> offers;  ///< by vertex: its distance may shorten others
  std::uint64_t searched = 0;        ///< vertices that the search visited
};

/// Finds them on the whole graph, as the first stage of ContinuedDistances does.
Result<PathStart> path_start(const Graph& graph, const Continuation& from, VertexId source,
                             bool by_weight);

}  // namespace leeway
