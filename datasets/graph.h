// A graph or sparse matrix in memory: for each vertex (row) its out-arcs, ascending by target. An
// undirected edge stands in both its ends' lists; a self-loop stands once. A matrix is a directed
// graph whose weights are its values. A rating matrix is bipartite: users first, then items.
#pragma once

#include <cstdint>
#include <span>
#include <utility>

#include "leeway/base/array.h"
#include "leeway/base/ids.h"
#include "leeway/datasets/vertex_names.h"

namespace leeway {

enum class WeightKind : std::uint32_t {
  None = 0,
  Integer = 1,  ///< whole numbers up to 2^53, so that a double holds them exactly
  Real = 2,
  Complex = 3,  ///< a second array holds the imaginary parts
};

/// What a Graph is made of. Whoever fills one upholds what Graph's constructor checks.
struct GraphParts {
  bool directed = true;
  WeightKind weight_kind = WeightKind::None;
  std::uint32_t left_count = 0;  ///< bipartite: vertices below this are users; 0 = not bipartite
  Array<std::uint64_t> offsets;  ///< n + 1 values, ascending, from 0 to the number of arcs
  Array<VertexId> targets;       ///< the lists one after the other, each ascending
  Array<double> weights;         ///< one an arc unless None
  Array<double> imaginary;       ///< one an arc for Complex
  VertexNames names;             ///< one a vertex
};

/// Immutable, so safe to read from any thread. Move-only. Owns its arrays (or their mapping).
class Graph {
 public:
  Graph() = default;  ///< no vertices
  /// Requires array sizes that fit together (checked); the order inside is the maker's duty.
  explicit Graph(GraphParts parts);

  [[nodiscard]] std::uint32_t vertex_count() const { return vertex_count_; }
  [[nodiscard]] std::uint64_t arc_count() const { return parts_.targets.size(); }
  /// Arcs of a directed graph; edges, self-loops included, of an undirected one.
  [[nodiscard]] std::uint64_t edge_count() const;
  [[nodiscard]] std::uint64_t self_loop_count() const;
  [[nodiscard]] bool directed() const { return parts_.directed; }
  [[nodiscard]] WeightKind weight_kind() const { return parts_.weight_kind; }
  [[nodiscard]] bool weighted() const { return parts_.weight_kind != WeightKind::None; }
  [[nodiscard]] std::uint32_t left_count() const { return parts_.left_count; }

  [[nodiscard]] std::uint64_t degree(VertexId vertex) const {
    return offsets()[vertex.index() + 1] - offsets()[vertex.index()];
  }
  [[nodiscard]] std::span<const VertexId> neighbors(VertexId vertex) const {
    return targets().subspan(offsets()[vertex.index()], degree(vertex));
  }
  /// Beside `neighbors`. Requires a weighted graph.
  [[nodiscard]] std::span<const double> weights(VertexId vertex) const {
    return parts_.weights.span().subspan(offsets()[vertex.index()], degree(vertex));
  }

  [[nodiscard]] std::span<const std::uint64_t> offsets() const { return parts_.offsets.span(); }
  [[nodiscard]] std::span<const VertexId> targets() const { return parts_.targets.span(); }
  [[nodiscard]] std::span<const double> weights() const { return parts_.weights.span(); }
  [[nodiscard]] std::span<const double> imaginary() const { return parts_.imaginary.span(); }
  [[nodiscard]] const VertexNames& names() const { return parts_.names; }
  /// Memory of all arrays.
  [[nodiscard]] std::size_t bytes() const;
  /// What it is made of; nothing is left of it.
  [[nodiscard]] GraphParts take() && {
    vertex_count_ = 0;
    return std::exchange(parts_, {});
  }

  /// Same direction, weights, arcs and names, bit for bit.
  [[nodiscard]] bool operator==(const Graph& other) const;

 private:
  GraphParts parts_;
  std::uint32_t vertex_count_ = 0;
};

}  // namespace leeway
