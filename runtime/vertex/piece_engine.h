// AsyTick for vertex programs: the pieces of a node's part of the graph and their order (PieceQueue), and the engine
// that runs them (PieceEngine).
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "runtime/cluster/record.h"
#include "runtime/graph/local_graph.h"
#include "runtime/vertex/gathered_sum.h"
#include "runtime/vertex/pace.h"
#include "runtime/vertex/sweeper.h"

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
    std::uint32_t runs = 0;           // N(P)
    std::uint64_t since = 0;          // Waiting::since of its current wait
    std::vector<std::uint32_t> todo;  // vertices to run
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
    return !piece.todo.empty() && piece.since == queued.since;
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

// Runs a vertex program on one node piece by piece (AsyTick). The next piece updates those of its vertices whose
// inputs have changed. Its changes are published once the pieces since the last time are worth a message; arrivals are
// processed before the next piece is chosen. One thread for each node.
template <class P>
class PieceEngine {
  using Value = typename P::Value;

 public:
  /// Requires a graph with inputs and readers.
  PieceEngine(const SweepContext<P>& context, P& program, Pace& pace, NodeRecord& record)
      : context_(context),
        pace_(pace),
        record_(record),
        measures_(context.measures),
        arrivals_(context.dsm),
        queue_(context.graph, context.options.pieces, context.options.alpha, context.options.beta),
        sum_(context_, program, pace) {
    queue_.add_all();
    // A piece may read more objects than a small cache holds.
    if (context_.dsm.space().bounded()) context_.look_ahead = context_.bounded_look_ahead(false);
  }

  void run() {
    sum_.add_up();
    sum_.begin();
    run_paced(*this, context_.node, pace_, record_);
  }

  /// Runs as many pieces as the node has, fewer if no work is left.
  IterationSample run_round() {
    take_sum();
    context_.measures = measures_ || pace_.needs_residual();
    Sweeper<P> sweeper(context_);
    IterationSample sample;
    for (std::uint32_t turn = 0; turn < queue_.count(); ++turn) {
      if (context_.node.node_count() > 1)
        arrivals_.take(
            sweeper.view(), [this](Handle handle) { add_readers(handle.value()); }, turn == 0);
      const auto vertices = queue_.take();
      if (vertices.empty()) break;
      if (!context_.dsm.space().bounded()) sweeper.fetch_ahead(vertices);
      for (const std::uint32_t v : vertices) {
        if (!sweeper.run(v)) continue;
        ++sample.changed;
        add_readers(v);
        if constexpr (moves_on<P>()) queue_.add(v);
      }
      sweeper.publish_if_worth_it();
    }
    sweeper.publish();
    sample.visited = sweeper.visited();
    sample.residual = sweeper.residual();
    sum_.ran(sum_.mine() + sweeper.gathered(), sample.changed);
    return sample;
  }
  [[nodiscard]] bool has_work() {
    take_sum();
    return !queue_.empty();
  }
  [[nodiscard]] bool has_arrivals() { return arrivals_.any(); }

 private:
  void take_sum() {
    if (sum_.take()) queue_.add_all();
  }
  void add_readers(std::uint32_t handle) {
    for (const std::uint32_t reader : context_.graph.readers(handle).vertices) queue_.add(reader);
  }

  SweepContext<P> context_;
  Pace& pace_;
  NodeRecord& record_;
  const bool measures_;  // measure residuals in every round
  Arrivals<Value> arrivals_;
  PieceQueue queue_;
  GatheredSum<P> sum_;
};

}  // namespace leeway
