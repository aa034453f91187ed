// Runs a vertex program on one node in place (ASPIRE, Algorithm 1): sweeps over the node's vertices, fetches the
// inputs of each and stores changed values, until all nodes agree that nothing changes any more. With active visits,
// a vertex is skipped if none of its inputs changed since its last update.
#pragma once

#include <atomic>
#include <cstdint>

#include "runtime/cluster/compute_threads.h"
#include "runtime/cluster/record.h"
#include "runtime/vertex/pace.h"
#include "runtime/vertex/sweeper.h"

namespace leeway {

template <class P>
class PullEngine {
  using Value = typename P::Value;

 public:
  PullEngine(const SweepContext<P>& context, Pace& pace, NodeRecord& record)
      : context_(context),
        record_(record),
        options_(context.options),
        pace_(pace),
        measures_(context.measures),
        arrivals_(context.dsm),
        threads_(options_.threads),
        active_(context.graph.local_count(), threads_.count()),
        how_(options_.visit == Visit::Active ? How::Active : How::All) {
    if (how_ == How::Active) active_.add_all();
  }

  void run() { run_paced(*this, context_.node, pace_, record_); }

  IterationSample run_round() {
    const IterationSample sample = sweep_once();
    swept_changes_ = sample.changed > 0;
    return sample;
  }
  [[nodiscard]] bool has_work() const {
    return how_ == How::Active ? !active_.empty() : swept_changes_;
  }
  [[nodiscard]] bool has_arrivals() { return arrivals_.any(); }

 private:
  enum class How { All, AllAndMark, Active };

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
    SharedResidual residual;
    const auto chunk = [&](std::size_t begin, std::size_t end) {
      Sweeper<P> sweeper(context_);
      const std::uint64_t here =
          sweep(sweeper, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end));
      sweeper.publish();
      visited.fetch_add(sweeper.visited(), std::memory_order_relaxed);
      changed.fetch_add(here, std::memory_order_relaxed);
      residual.add(sweeper.residual());
    };
    if (threads_.count() == 1) {
      chunk(0, context_.graph.local_count());
    } else {
      const std::uint32_t count = context_.graph.local_count();
      threads_.for_chunks(count, threads_.grain(count), chunk);
    }
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
    if (how_ == How::Active) {
      Sweeper<P> sweeper(context_);
      arrivals_.take(sweeper.view(), [&](Handle handle) { mark_readers(handle.value()); });
      return;
    }
    arrivals_.pass();
    const bool few = !record_.iterations.empty() &&
                     are_few(record_.iterations.back().changed, context_.graph.local_count());
    if (options_.visit == Visit::Auto && few) how_ = How::AllAndMark;
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
  const bool measures_;  // measure residuals in every sweep
  Arrivals<Value> arrivals_;
  ComputeThreads threads_;
  ActiveSet active_;
  How how_;
  bool swept_changes_ = true;
};

}  // namespace leeway
