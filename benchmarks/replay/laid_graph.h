// A graph dealt out to the nodes of a cluster: every vertex an object of its part's home, numbered there
// in the order of the graph; every neighbour named by its object. Immutable once made.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "leeway/base/result.h"
#include "leeway/datasets/graph.h"
#include "leeway/protocol/ids.h"

namespace leeway::replay {

/// What one node computes on.
struct Part {
  std::vector<std::uint64_t> offsets;  ///< one more than vertices
  std::vector<ObjectId> targets;
  std::uint32_t remote_objects = 0;  ///< different neighbours that live elsewhere

  [[nodiscard]] std::uint32_t vertices() const {
    return static_cast<std::uint32_t>(offsets.size() - 1);
  }
  [[nodiscard]] std::span<const ObjectId> neighbors(std::uint32_t vertex) const {
    return std::span(targets).subspan(offsets[vertex], offsets[vertex + 1] - offsets[vertex]);
  }
};

struct LaidGraph {
  std::string name;
  std::uint64_t vertices = 0;
  std::uint64_t arcs = 0;
  std::uint64_t cut_arcs = 0;
  std::vector<Part> parts;
};

/// Divides by METIS, one part a node.
Result<LaidGraph> lay_out(const Graph& graph, std::string name, std::uint32_t nodes,
                          std::uint64_t seed);

/// The graph the figures use unless told otherwise: a social graph of the folder that LEEWAY_DATA names,
/// else a generated stand-in.
struct DefaultGraph {
  std::string source;  ///< a path or a spec
  bool stand_in = false;
};
[[nodiscard]] DefaultGraph default_graph();

}  // namespace leeway::replay
