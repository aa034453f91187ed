// Runs a vertex program on one node in place (ASPIRE, Algorithm 1): sweeps over the node's vertices, fetches the
// inputs of each and stores changed values, until all nodes agree that nothing changes any more. With active visits,
// a vertex is skipped if none of its inputs changed since its last update.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>

#include "runtime/cluster/compute_threads.h"
#include "runtime/cluster/record.h"
#include "runtime/vertex/gathered_sum.h"
#include "runtime/vertex/pace.h"
#include "runtime/vertex/sweeper.h"

namespace leeway {

template <class P>
class PullEngine {
  using Value = typename P::Value;

 public:
  PullEngine(const SweepContext<P>& context, P& program, Pace& pace, NodeRecord& record)
      : context_(context),
        record_(record),
        options_(context.options),
        pace_(pace),
        rest_(context.options.iterations ? std::nullopt : resting_move_of(program)),
        measures_(context.measures || rest_),
        arrivals_(context.dsm),
        threads_(options_.threads),
        active_(context.graph.local_count(), threads_.count()),
        how_(options_.visit == Visit::Active ? How::Active : How::All),
        sum_(context_, program, pace, how_ == How::All) {
    if (how_ == How::Active) active_.add_all();
  }

  void run() {
    sum_.begin();
    run_paced(*this, context_.node, pace_, record_);
  }

  IterationSample run_round() {
    take_sum();
    IterationSample sample;
    if (stays_at_rest(sample)) return sample;
    sample = sweep_once();
    swept_changes_ = sample.changed > 0;
    sample.at_rest = resting_ = rest_ && sample.residual && sample.residual->sum <= most_at_rest();
    return sample;
  }
  [[nodiscard]] bool has_work() {
    take_sum();
    if (resting_) return false;
    return how_ == How::Active ? !active_.empty() : swept_changes_;
  }
  [[nodiscard]] bool has_arrivals() { return arrivals_.any(); }

 private:
  enum class How { All, AllAndMark, Active };

  void take_sum() {
    if (!sum_.take()) return;
    swept_changes_ = true;
    resting_ = false;
  }

  /// The sum of this node's moves at which it is at rest.
  [[nodiscard]] double most_at_rest() const { return *rest_ * context_.graph.local_count(); }
  /// A node at rest only looks how much its values would move with what has arrived: as long as nodes store values, they
  /// cannot agree on the end.
  [[nodiscard]] bool stays_at_rest(IterationSample& sample) {
    if (!resting_) return false;
    sample.at_rest = true;
    Sweeper<P> sweeper(context_);
    if (!arrivals_.any() || arrivals_.only_stale(sweeper.view())) return true;
    if (how_ == How::AllAndMark) how_ = How::Active;
    take_arrivals();
    context_.measures = true;
    std::atomic<std::uint64_t> visited{0};
    SharedResidual residual;
    for_sweeps(context_, threads_, [&](Sweeper<P>& part, std::uint32_t begin, std::uint32_t end) {
      try_all(part, begin, end);
      visited.fetch_add(part.visited(), std::memory_order_relaxed);
      residual.add(part.residual());
    });
    sample.visited = visited;
    resting_ = residual.whole()->sum <= most_at_rest();
    return resting_;
  }
  /// Measures the moves of what a sweep would visit.
  void try_all(Sweeper<P>& sweeper, std::uint32_t begin, std::uint32_t end) {
    if (how_ == How::All) {
      (void)sweeper.compute_all(begin, end, [](std::uint32_t, const Value&, bool) {});
      return;
    }
    for (std::uint32_t v = begin; v < end; ++v) {
      if (active_.contains(v)) sweeper.measure(v, sweeper.value(v), sweeper.compute(v));
    }
  }

  /// True if a node without work was woken only by stale copies: then a sweep would change nothing.
  [[nodiscard]] bool woken_by_stale() {
    if (how_ != How::All || swept_changes_ || pace_.rounds_in_step() || options_.iterations)
      return false;
    Sweeper<P> sweeper(context_);
    return arrivals_.only_stale(sweeper.view());
  }

  IterationSample sweep_once() {
    if (woken_by_stale()) return {};
    prepare_visits();
    context_.measures = measures_ || pace_.needs_residual();
    context_.look_ahead = ahead();
    std::atomic<std::uint64_t> visited{0};
    std::atomic<std::uint64_t> changed{0};
    std::atomic<std::uint64_t> gathered{how_ == How::All ? 0 : sum_.mine()};
    SharedResidual residual;
    for_sweeps(context_, threads_,
               [&](Sweeper<P>& sweeper, std::uint32_t begin, std::uint32_t end) {
                 changed.fetch_add(sweep(sweeper, begin, end), std::memory_order_relaxed);
                 visited.fetch_add(sweeper.visited(), std::memory_order_relaxed);
                 gathered.fetch_add(sweeper.gathered(), std::memory_order_relaxed);
                 residual.add(sweeper.residual());
               });
    sum_.ran(gathered, changed);
    return {.visited = visited, .changed = changed, .residual = residual.whole()};
  }

  [[nodiscard]] std::uint32_t ahead() const {
    const Space& space = context_.dsm.space();
    const bool misses = pace_.iterations() == 0 || space.bounded() ||
                        space.policy().threshold < Space::kMostAge / 4;
    if (context_.node.node_count() == 1 || !misses) return 0;
    return space.bounded() ? context_.bounded_look_ahead(how_ != How::Active) : options_.lookahead;
  }

  /// Decides which vertices this sweep visits, and processes arrivals.
  void prepare_visits() {
    if (how_ == How::AllAndMark) how_ = How::Active;
    take_arrivals();
    if (how_ == How::Active || !sum_.is_settled()) return;
    const bool few = !record_.iterations.empty() &&
                     are_few(record_.iterations.back().changed, context_.graph.local_count());
    if (options_.visit == Visit::Auto && few) how_ = How::AllAndMark;
  }
  void take_arrivals() {
    if (how_ == How::All) return arrivals_.pass();
    Sweeper<P> sweeper(context_);
    arrivals_.take(sweeper.view(), [&](Handle handle) { mark_readers(handle.value()); });
  }

  std::uint64_t sweep(Sweeper<P>& sweeper, std::uint32_t begin, std::uint32_t end) {
    std::uint64_t changed = 0;
    if (how_ == How::All) return sweeper.run_all(begin, end);
    const auto run = [&](std::uint32_t v) {
      if (!sweeper.run(v)) return;
      ++changed;
      mark_readers(v);
      if constexpr (moves_on<P>()) active_.add(v);
    };
    if (how_ == How::AllAndMark) {
      for (std::uint32_t v = begin; v < end; ++v) run(v);
    } else {
      active_.take(begin, end, run);
    }
    return changed;
  }

  void mark_readers(std::uint32_t handle) { active_.add(context_.graph.readers(handle).vertices); }

  SweepContext<P> context_;
  NodeRecord& record_;
  const EngineOptions& options_;
  Pace& pace_;
  const std::optional<double> rest_;  // resting_move_of the program
  const bool measures_;               // measure residuals in every sweep
  Arrivals<Value> arrivals_;
  ComputeThreads threads_;
  ActiveSet active_;
  How how_;
  GatheredSum<P> sum_;
  bool swept_changes_ = true;
  bool resting_ = false;  // moves so little that its values count as unchanged
};

}  // namespace leeway
