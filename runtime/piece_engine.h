// Runs a vertex program on one node piece by piece (AsyTick): the piece whose turn it is runs those of its
// vertices whose inputs have changed, tells at once what that changed, and the next turn goes by what has
// come meanwhile. One thread a node.
#pragma once

#include <cstdint>

#include "leeway/runtime/arrivals.h"
#include "leeway/runtime/node_log.h"
#include "leeway/runtime/paced_loop.h"
#include "leeway/runtime/piece_queue.h"
#include "leeway/runtime/sweeper.h"

namespace leeway {

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
