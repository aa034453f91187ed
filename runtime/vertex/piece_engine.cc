// run_pieces: AsyTick for vertex programs.
#include <cstdint>
#include <vector>

#include "dsm/node.h"
#include "leeway/options.h"
#include "runtime/cluster/record.h"
#include "runtime/graph/local_graph.h"
#include "runtime/vertex/arrivals.h"
#include "runtime/vertex/engines.h"
#include "runtime/vertex/gathered_sum.h"
#include "runtime/vertex/kernel.h"
#include "runtime/vertex/pace.h"
#include "runtime/vertex/piece_queue.h"

namespace leeway {

namespace {

class PieceEngine final : public PacedEngine {
 public:
  PieceEngine(SweepContext& context, SweepKernel& kernel, Pace& pace, NodeRecord& record)
      : context_(context),
        kernel_(kernel),
        moves_on_(kernel.traits().moves_on),
        pace_(pace),
        record_(record),
        measures_(context.measures),
        arrivals_(context.space),
        queue_(context.graph, context.options.pieces, context.options.alpha, context.options.beta),
        sum_(context_, kernel, pace) {
    if (kernel.traits().starts_with_some) {
      ActiveSet starting(context.graph.local_count(), 1);
      kernel.add_starting(starting);
      starting.take(0, context.graph.local_count(), [&](std::uint32_t v) { queue_.add(v); });
    } else {
      queue_.add_all();
    }
    // A piece may read more objects than a small cache holds.
    if (context_.space.bounded()) context_.look_ahead = context_.bounded_look_ahead(false);
  }

  void run() {
    sum_.add_up();
    sum_.begin();
    run_paced(*this, context_.node, pace_, record_);
  }

  /// Runs as many pieces as the node has, fewer if no work is left.
  IterationSample run_round() override {
    take_sum();
    context_.measures = measures_ || pace_.needs_residual();
    std::uint64_t changes = 0;
    kernel_.begin_round();
    for (std::uint32_t turn = 0; turn < queue_.count(); ++turn) {
      if (context_.node.node_count() > 1) take_arrivals(turn == 0);
      const auto vertices = queue_.take();
      if (vertices.empty()) break;
      changed_.clear();
      kernel_.run_piece(vertices, changed_);
      changes += changed_.size();
      for (const std::uint32_t v : changed_) {
        add_readers(v);
        if (moves_on_) queue_.add(v);
      }
      kernel_.publish_if_worth_it();
    }
    const Swept swept = kernel_.end_round();
    sum_.ran(sum_.mine() + swept.gathered, changes);
    return {.visited = swept.visited, .changed = changes, .residual = swept.residual};
  }
  [[nodiscard]] bool has_work() override {
    take_sum();
    return !queue_.empty();
  }
  [[nodiscard]] bool has_arrivals() override { return arrivals_.any(); }

 private:
  void take_sum() {
    if (sum_.take()) queue_.add_all();
  }
  void take_arrivals(bool reads_stale) {
    for (const Handle copy : arrivals_.take(kernel_, reads_stale)) add_readers(copy.value());
  }
  void add_readers(std::uint32_t handle) {
    for (const std::uint32_t reader : kernel_.concerned(handle)) queue_.add(reader);
  }

  SweepContext& context_;
  SweepKernel& kernel_;
  const bool moves_on_;
  Pace& pace_;
  NodeRecord& record_;
  const bool measures_;  // measure residuals in every round
  Arrivals arrivals_;
  PieceQueue queue_;
  GatheredSum sum_;
  std::vector<std::uint32_t> changed_;  // by the present piece
};

}  // namespace

void run_pieces(SweepContext& context, SweepKernel& kernel, Pace& pace, NodeRecord& record) {
  PieceEngine(context, kernel, pace, record).run();
}

}  // namespace leeway
