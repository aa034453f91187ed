// Which vertices an update reads, as lists over the whole graph: the graph's own arrays where they serve,
// turned round or joined where they do not. Borrows from the graph, which outlives it. Immutable.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "leeway/base/array.h"
#include "leeway/base/ids.h"
#include "leeway/base/result.h"
#include "leeway/datasets/graph.h"

namespace leeway {

/// Of an undirected graph they are all the same.
enum class Reads {
  In,    ///< the sources of a vertex's incoming arcs
  Out,   ///< the targets of its own arcs, as a matrix's row does
  Both,  ///< either end of every arc that touches it; an arc each way counts twice
  None,  ///< nothing: its answer lies in the graph alone
};

[[nodiscard]] constexpr Reads reversed(Reads reads) {
  if (reads == Reads::Both || reads == Reads::None) return reads;
  return reads == Reads::In ? Reads::Out : Reads::In;
}

class Adjacency {
 public:
  /// Without `weights` none are kept.
  static Result<Adjacency> make(const Graph& graph, Reads reads, bool weights);

  [[nodiscard]] std::uint32_t vertex_count() const {
    return static_cast<std::uint32_t>(offsets_.size() - 1);
  }
  [[nodiscard]] std::uint64_t arc_count() const { return targets_.size(); }
  [[nodiscard]] std::span<const VertexId> of(VertexId vertex) const {
    return targets_.span().subspan(begin(vertex), end(vertex) - begin(vertex));
  }
  [[nodiscard]] bool weighted() const { return !weights_.empty(); }
  /// Beside `of`.
  [[nodiscard]] std::span<const double> weights(VertexId vertex) const {
    return weights_.span().subspan(begin(vertex), end(vertex) - begin(vertex));
  }
  [[nodiscard]] std::span<const std::uint64_t> offsets() const { return offsets_.span(); }
  [[nodiscard]] std::span<const VertexId> targets() const { return targets_.span(); }
  [[nodiscard]] std::span<const double> weights() const { return weights_.span(); }

 private:
  [[nodiscard]] std::uint64_t begin(VertexId vertex) const { return offsets_[vertex.index()]; }
  [[nodiscard]] std::uint64_t end(VertexId vertex) const { return offsets_[vertex.index() + 1]; }
  static Result<Adjacency> borrowed(const Graph& graph, bool weights);
  static Result<Adjacency> turned(const Graph& graph, bool with_own, bool weights);

  Array<std::uint64_t> offsets_;
  Array<VertexId> targets_;
  Array<double> weights_;
};

/// True if every arc has its reverse (weights aside).
[[nodiscard]] bool is_symmetric(const Graph& graph);

}  // namespace leeway
