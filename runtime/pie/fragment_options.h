// How a graph lies in fragments, and how the times of their rounds are predicted: what a run of a PIE program is told
// besides what every engine on vertices is. Plain data.
#pragma once

#include <cstdint>
#include <string>

namespace leeway::pie {

/// How a graph is divided.
enum class Cut : std::uint8_t {
  Edge,    ///< vertices are dealt out; an arc between two fragments has a copy in both
  Vertex,  ///< arcs are dealt out; a vertex has a copy wherever it has an arc
};

struct FragmentOptions {
  std::uint32_t workers = 0;  ///< virtual workers, each of a fragment; 0: one a node
  Cut cut = Cut::Edge;
  std::uint32_t hops = 0;  ///< behind an edge cut, that fragments hold lists of

  [[nodiscard]] std::uint32_t workers_on(std::uint32_t nodes) const {
    return workers > 0 ? workers : nodes;
  }
};

struct PredictorOptions {
  bool forest = false;    ///< by a random forest; else by the mean of what rounds took
  std::string log;        ///< of earlier rounds, to train it on; empty: the run's first
  bool keep_log = false;  ///< for a later run
};

}  // namespace leeway::pie
