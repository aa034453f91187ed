// Components: the smallest vertex of the connected component (weakly connected if directed). Exact under every scheduler.
// Requires a graph with every arc's reverse.
#pragma once

#include <algorithm>
#include <cstdint>

#include "datasets/graph.h"
#include "leeway/vertex.h"

namespace leeway {

class Components {
 public:
  using Value = std::uint32_t;
  static constexpr Reads kReads = Reads::Both;
  static constexpr bool kContracts = true;  // components within a node are contracted to one vertex

  explicit Components(const GraphTotals& graph)
      : width_(std::max(1.0, static_cast<double>(graph.vertices) / kBuckets)) {}

  [[nodiscard]] std::uint32_t init(VertexId v) const { return v.value(); }
  [[nodiscard]] std::uint32_t along(std::uint32_t from, double) const { return from; }
  [[nodiscard]] bool better(std::uint32_t a, std::uint32_t b) const { return a < b; }
  [[nodiscard]] double rank(std::uint32_t label) const { return label; }
  [[nodiscard]] double width() const { return width_; }

 private:
  static constexpr std::uint32_t kBuckets = 4096;
  double width_;
};

}  // namespace leeway
