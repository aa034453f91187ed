// AsyTick for vertex programs: the pieces of a node's part of the graph and their order (PieceQueue).
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "runtime/graph/local_graph.h"

namespace leeway {

/// The pieces of a node, and which runs next: among those with work, the piece with the least priority α·D(P) +
/// β·N(P) (AsyTick §4.2.2). D(P) is the number of pieces between it and the boundary of the part, so pieces that
/// other nodes wait for run first. N(P) is the number of times it has run, so no piece falls behind. Ties: the piece
/// that has waited longer. Independent of the weights, a piece that has waited for kPatience rounds of all pieces
/// runs next; this keeps the convergence guarantee of programs that need every vertex to run again and again. A piece
/// is a range of the local vertices; all have about the same number of arcs. Not thread-safe.
class PieceQueue {
 public:
  static constexpr std::uint64_t kPatience = 32;

  /// Makes at most `pieces` pieces, and at most one for each vertex. Requires a graph with inputs.
  PieceQueue(const LocalGraph& graph, std::uint32_t pieces, double alpha, double beta);

  /// Adds the vertex to the work of its piece, if it is not there already.
  void add(std::uint32_t local);
  void add_all();
  [[nodiscard]] bool empty() const { return by_priority_.empty(); }
  /// Takes the next piece and returns its vertices to run, ascending; valid until the next call. Empty if there is no
  /// work.
  std::span<const std::uint32_t> take();

  [[nodiscard]] std::uint32_t count() const { return static_cast<std::uint32_t>(pieces_.size()); }
  /// D(P).
  [[nodiscard]] std::uint32_t distance(std::uint32_t piece) const {
    return pieces_[piece].distance;
  }

 private:
  struct VertexPiece {
    std::uint32_t begin = 0;  // its local vertices: [begin, end)
    std::uint32_t end = 0;
    std::uint32_t distance = 0;
    std::uint32_t runs = 0;             // N(P)
    std::uint64_t since = 0;            // Waiting::since of its current wait
    std::vector<std::uint32_t> to_run;  // vertices
  };
  struct Waiting {
    double priority;
    std::uint64_t since;  // sequence number of the begin of the wait
    std::uint64_t turn;   // turn in which the wait began
    std::uint32_t piece;
    bool operator==(const Waiting& other) const { return since == other.since; }
    bool operator<(const Waiting& other) const {
      // mutant: a-piece-may-wait-for-ever
      return priority != other.priority ? priority > other.priority : since > other.since;
    }
  };

  /// Removes the next piece from the queue and returns it. Requires a waiting piece.
  std::uint32_t next();
  [[nodiscard]] bool waits(const Waiting& queued) const {
    const VertexPiece& piece = pieces_[queued.piece];
    return !piece.to_run.empty() && piece.since == queued.since;
  }
  void cut(const LocalGraph& graph, std::uint32_t pieces);
  void find_distances(const LocalGraph& graph);
  [[nodiscard]] std::vector<std::vector<std::uint32_t>> neighbours(const LocalGraph& graph) const;

  double alpha_;
  double beta_;
  std::vector<VertexPiece> pieces_;
  std::vector<std::uint32_t> piece_of_;  // by local vertex
  std::vector<std::uint8_t> queued_;     // by local vertex
  std::vector<Waiting> by_priority_;     // a heap of the waiting pieces
  std::deque<Waiting> by_age_;     // all of them in order of `since`, and some that no longer wait
  std::uint64_t waits_begun_ = 0;  // number of waits begun
  std::uint64_t turns_ = 0;        // number of pieces taken
  std::vector<std::uint32_t> taken_;
};

}  // namespace leeway
