// Programs whose result depends on the graph alone: every vertex's home computes it from the neighbour lists, and no
// values are shared.
//
// Degree: the number of arcs that leave a vertex; in an undirected graph its edges (a loop counts once).
//
// Clustering: LDBC Graphalytics' LCC: the number of arcs among a vertex's neighbours (in either direction, without
// the vertex) divided by the possible number; 0 with fewer than two neighbours. Parallel arcs count once.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "datasets/csr.h"
#include "datasets/graph.h"
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

class Clustering {
 public:
  using Value = double;  ///< negative: not computed yet
  static constexpr bool kMovesOn = false;
  static constexpr Reads kReads = Reads::None;

  /// Refers to the graph, which must outlive it.
  explicit Clustering(const Graph& graph);
  [[nodiscard]] double init(VertexId) const { return -1; }
  [[nodiscard]] double update(const Vertex<double>& vertex) const {
    return vertex.value() >= 0 ? vertex.value() : coefficient(vertex.id());
  }
  /// Number of list entries that the update visits.
  [[nodiscard]] std::uint64_t effort(const Vertex<double>& vertex) const;

 private:
  [[nodiscard]] double coefficient(VertexId vertex) const;
  /// Distinct neighbours in either direction, ascending, without the vertex itself.
  void find_near(VertexId vertex, std::vector<VertexId>& near) const;

  const Graph* graph_;
  std::shared_ptr<const Csr> incoming_;  // directed graphs only
};

}  // namespace leeway
