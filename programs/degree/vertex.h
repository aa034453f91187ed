// Degree: the number of arcs that leave a vertex; in an undirected graph its edges (a loop counts once). Every vertex's home
// computes it from the neighbour lists, and no values are shared.
#pragma once

#include <cstdint>
#include <vector>

#include "leeway/vertex.h"

namespace leeway {

class Degree {
 public:
  using Value = std::uint64_t;
  static constexpr bool kMovesOn = false;
  static constexpr Reads kReads = Reads::None;

  static constexpr bool kDegrees = true;

  void settle(const LocalGraph& here) {
    degrees_.assign(here.degrees().begin(), here.degrees().end());
  }
  [[nodiscard]] std::uint64_t init(VertexId) const { return 0; }
  [[nodiscard]] std::uint64_t update(const Vertex<std::uint64_t>& vertex) const {
    return degrees_[vertex.local()];
  }

 private:
  std::vector<std::uint32_t> degrees_;
};

}  // namespace leeway
