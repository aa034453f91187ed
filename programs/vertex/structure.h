// Programs whose answer lies in the graph alone: every vertex's home works it out from the lists, and
// nothing is shared.
//
// Degree: arcs that leave a vertex, of an undirected graph its edges (a loop counts once).
// Clustering: LDBC Graphalytics' LCC: arcs among a vertex's neighbours (in either direction, itself left
// out) over the arcs there could be; 0 with fewer than two neighbours. Parallel arcs count once.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "leeway/datasets/graph.h"
#include "leeway/runtime/vertex_program.h"

namespace leeway {

/// Values are not used: one sweep finds that nothing changes, and `result` does the work.
class Degree {
 public:
  using Value = std::uint8_t;
  static constexpr Reads kReads = Reads::Out;

  explicit Degree(const Graph& graph) : graph_(&graph) {}
  [[nodiscard]] std::uint8_t init(VertexId) const { return 0; }
  [[nodiscard]] std::uint8_t update(const Vertex<std::uint8_t>&) const { return 0; }
  [[nodiscard]] std::uint64_t result(const Vertex<std::uint8_t>& vertex) const {
    return graph_->degree(vertex.id());
  }

 private:
  const Graph* graph_;
};

class Clustering {
 public:
  using Value = std::uint8_t;
  static constexpr Reads kReads = Reads::Out;

  /// Borrows the graph.
  explicit Clustering(const Graph& graph);
  [[nodiscard]] std::uint8_t init(VertexId) const { return 0; }
  [[nodiscard]] std::uint8_t update(const Vertex<std::uint8_t>&) const { return 0; }
  [[nodiscard]] double result(const Vertex<std::uint8_t>& vertex) const;

 private:
  /// Distinct neighbours of each vertex, in either direction, ascending, without itself.
  struct Neighbourhoods {
    std::vector<std::uint64_t> offsets;
    std::vector<VertexId> targets;
  };
  const Graph* graph_;
  std::shared_ptr<const Neighbourhoods> near_;
};

}  // namespace leeway
