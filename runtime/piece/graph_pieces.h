// Divide and Partition (AsyTick, Table 1) for graphs: a part of a partition is a worker's, and is cut into
// pieces of equally many arcs; a piece needs the pieces its vertices read. Immutable; shared by all.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "leeway/datasets/partition.h"
#include "leeway/runtime/adjacency.h"
#include "leeway/runtime/node_programs.h"
#include "leeway/runtime/piece/layout.h"

namespace leeway::piece {

class GraphPieces {
 public:
  /// An arc by the places of its ends in their pieces.
  struct Arc {
    std::uint32_t source;
    std::uint32_t target;
  };

  /// A worker a node. `reads`: whom each vertex reads. Collective where nodes are processes. An Input error for no pieces, or a graph without vertices.
  static Result<GraphPieces> make(const Graph& graph, const Adjacency& reads,
                                  PartitionOptions divide, const ClusterOptions& cluster,
                                  std::uint32_t pieces_a_worker);

  [[nodiscard]] const PieceLayout& layout() const { return layout_; }
  [[nodiscard]] std::span<const VertexId> vertices(PieceId piece) const {
    return std::span(order_).subspan(first_[piece.index()],
                                     first_[piece.index() + 1] - first_[piece.index()]);
  }
  /// What the vertices of `piece` read of those of `from`.
  [[nodiscard]] std::span<const Arc> arcs(PieceId piece, PieceId from) const;

  /// Values piece by piece, put in the order of vertices.
  template <class T>
  [[nodiscard]] std::vector<T> by_vertex(std::span<const std::vector<std::byte>> pieces) const {
    std::vector<T> values(order_.size());
    for (PieceId piece(0); piece.value() < layout_.count(); piece = piece.next()) {
      const std::byte* at = pieces[piece.index()].data();
      for (const VertexId vertex : vertices(piece)) {
        std::memcpy(static_cast<void*>(&values[vertex.index()]), at, sizeof(T));
        at += sizeof(T);
      }
    }
    return values;
  }

 private:
  std::vector<NodeId> cut(const Graph& graph, const Partition& parts,
                          std::uint32_t pieces_a_worker);
  std::vector<std::vector<PieceId>> sort_arcs(const Adjacency& reads);

  std::vector<VertexId> order_;  // piece after piece
  std::vector<std::size_t> first_ = {0};
  std::vector<std::vector<Arc>> arcs_;             // by piece, by the piece they come from
  std::vector<std::vector<PieceId>> sources_;      // by piece, ascending
  std::vector<std::vector<std::size_t>> arcs_of_;  // beside sources_: where their arcs begin
  PieceLayout layout_;
};

}  // namespace leeway::piece
