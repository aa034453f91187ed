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

#include "leeway/graph.h"
#include "leeway/vertex.h"

namespace leeway {

class Degree {
 public:
  using Value = std::uint64_t;
  static constexpr Reads kReads = Reads::None;

  static constexpr bool kDegrees = true;

  void settle(const LocalGraph& here) { degrees_.assign(here.degrees.begin(), here.degrees.end()); }
  [[nodiscard]] std::uint64_t init(VertexId) const { return 0; }
  [[nodiscard]] std::uint64_t update(const Vertex<std::uint64_t>& vertex) const {
    return degrees_[vertex.local()];
  }

 private:
  std::vector<std::uint32_t> degrees_;
};

class Clustering {
 public:
  using Value = double;  ///< below 0 until it is known
  static constexpr Reads kReads = Reads::None;

  /// Borrows the graph.
  explicit Clustering(const Graph& graph);
  [[nodiscard]] double init(VertexId) const { return -1; }
  [[nodiscard]] double update(const Vertex<double>& vertex) const {
    return vertex.value() >= 0 ? vertex.value() : coefficient(vertex.id());
  }
  /// List entries that the update looks at.
  [[nodiscard]] std::uint64_t effort(const Vertex<double>& vertex) const;

 private:
  [[nodiscard]] double coefficient(VertexId vertex) const;
  /// Distinct neighbours in either direction, ascending, without the vertex itself.
  void find_near(VertexId vertex, std::vector<VertexId>& near) const;

  const Graph* graph_;
  std::shared_ptr<const Adjacency> incoming_;  // of a directed graph
};

}  // namespace leeway
