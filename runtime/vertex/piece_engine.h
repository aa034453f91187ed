// The pieces of a node's part of the graph, and which of them runs next: the one of least priority
// α·D(P) + β·N(P) among those with something to do (AsyTick §4.2.2). D(P) is how many pieces lie between it
// and the boundary of the part, so what other nodes wait for runs first; N(P) how often it has run, so none
// falls behind; of two alike the one that has waited longer. Whatever the weights, one that has waited for as
// many turns as kPatience rounds of all pieces take runs next: what settles if everything runs again and again
// settles then, too. A piece is a range of the local vertices, with about as many arcs as every other. One
// thread's own.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "runtime/cluster/record.h"
#include "runtime/graph/shard.h"
#include "runtime/vertex/pace.h"
#include "runtime/vertex/sweeper.h"

namespace leeway {

class PieceQueue {
 public:
  static constexpr std::uint64_t kPatience = 32;

  /// At most `pieces`, and no more than vertices. Requires a shard with inputs.
  PieceQueue(const Shard& shard, std::uint32_t pieces, double alpha, double beta);

  /// The vertex is to run, once however often it is added before.
  void add(std::uint32_t local);
  void add_all();
  [[nodiscard]] bool empty() const { return by_priority_.empty(); }
  /// The vertices to run of the piece whose turn it is, ascending; valid until the next call. Empty if
  /// nothing waits.
  std::span<const std::uint32_t> take();

  [[nodiscard]] std::uint32_t count() const { return static_cast<std::uint32_t>(pieces_.size()); }
  /// D(P).
  [[nodiscard]] std::uint32_t distance(std::uint32_t piece) const {
    return pieces_[piece].distance;
  }

 private:
  struct VertexPiece {
    std::uint32_t begin = 0;  // of its local vertices
    std::uint32_t end = 0;
    std::uint32_t distance = 0;
    std::uint32_t runs = 0;           // N(P)
    std::uint64_t since = 0;          // it waits, as Waiting::since counts
    std::vector<std::uint32_t> todo;  // vertices to run
  };
  struct Waiting {
    double priority;
    std::uint64_t since;  // how many had come to wait before
    std::uint64_t turn;   // that was next then
    std::uint32_t piece;
    bool operator==(const Waiting& other) const { return since == other.since; }
    bool operator<(const Waiting& other) const {
      return priority != other.priority ? priority > other.priority : since > other.since;
    }
  };

  /// The piece whose turn it is, which waits no more. Requires that one waits.
  std::uint32_t next();
  [[nodiscard]] bool waits(const Waiting& queued) const {
    const VertexPiece& piece = pieces_[queued.piece];
    return !piece.todo.empty() && piece.since == queued.since;
  }
  void cut(const Shard& shard, std::uint32_t pieces);
  void find_distances(const Shard& shard);
  [[nodiscard]] std::vector<std::vector<std::uint32_t>> neighbours(const Shard& shard) const;

  double alpha_;
  double beta_;
  std::vector<VertexPiece> pieces_;
  std::vector<std::uint32_t> piece_of_;  // by local vertex
  std::vector<std::uint8_t> queued_;     // by local vertex
  std::vector<Waiting> by_priority_;     // what waits, a heap
  std::deque<Waiting> by_age_;           // the same, and what has waited but for its first
  std::uint64_t came_ = 0;               // to wait, so far
  std::uint64_t turns_ = 0;              // taken
  std::vector<std::uint32_t> taken_;
};

// Runs a vertex program on one node piece by piece (AsyTick): the piece whose turn it is runs those of its
// vertices whose inputs have changed, tells at once what that changed, and the next turn goes by what has
// come meanwhile. One thread a node.
template <class P>
class PieceEngine {
  using Value = typename P::Value;

 public:
  /// Requires a shard with inputs and dependents.
  PieceEngine(const SweepContext<P>& context, Pace& pace, NodeLog& log)
      : context_(context),
        pace_(pace),
        log_(log),
        measures_(context.measures),
        arrivals_(context.dsm),
        queue_(context.shard, context.options.pieces, context.options.alpha, context.options.beta) {
    queue_.add_all();
    // A piece may read more than a small cache holds.
    if (context_.dsm.space().bounded()) context_.look_ahead = context_.bounded_look_ahead(false);
  }

  void run() { run_paced(*this, context_.node, pace_, log_); }

  /// As many turns as there are pieces, or until nothing waits.
  IterationSample run_round() {
    context_.measures = measures_ || pace_.wants_residual();
    Sweeper<P> sweeper(context_);
    IterationSample sample;
    for (std::uint32_t turn = 0; turn < queue_.count(); ++turn) {
      if (context_.node.node_count() > 1)
        arrivals_.take(sweeper.view(), [this](Handle handle) { add_dependents(handle.value()); });
      const auto vertices = queue_.take();
      if (vertices.empty()) break;
      if (!context_.dsm.space().bounded()) sweeper.fetch_ahead(vertices);
      for (const std::uint32_t v : vertices) {
        if (!sweeper.run(v)) continue;
        ++sample.changed;
        add_dependents(v);
        if constexpr (moves_on<P>()) queue_.add(v);
      }
      sweeper.publish();
    }
    sample.visited = sweeper.visited();
    sample.residual = sweeper.residual();
    return sample;
  }
  [[nodiscard]] bool has_work() const { return !queue_.empty(); }
  [[nodiscard]] bool has_arrivals() { return arrivals_.any(); }

 private:
  void add_dependents(std::uint32_t handle) {
    const std::uint64_t* offsets = context_.shard.dependent_offsets();
    const std::uint32_t* dependents = context_.shard.dependents();
    for (std::uint64_t i = offsets[handle]; i < offsets[handle + std::size_t{1}]; ++i)
      queue_.add(dependents[i]);
  }

  SweepContext<P> context_;
  Pace& pace_;
  NodeLog& log_;
  const bool measures_;  // residuals of every round
  Arrivals<Value> arrivals_;
  PieceQueue queue_;
};

}  // namespace leeway
