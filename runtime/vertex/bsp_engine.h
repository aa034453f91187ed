// Runs a vertex program on one node in supersteps (Valiant's BSP): every read returns the object's value at the
// begin of the superstep. A superstep computes all new values into a separate array, waits for all nodes, stores,
// waits until all updates have arrived everywhere, and fetches the inputs of the next superstep. Reads are current
// under every consistency mode. The mode only decides whether new values are sent with the notices of changes or are
// fetched afterwards.
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "runtime/cluster/compute_threads.h"
#include "runtime/cluster/record.h"
#include "runtime/vertex/sweeper.h"

namespace leeway {

template <class P>
class BspEngine {
  using Value = typename P::Value;

 public:
  BspEngine(const SweepContext<P>& context, P& program, NodeRecord& record)
      : context_(context),
        program_(program),
        record_(record),
        options_(context.options),
        rest_(context.options.iterations ? std::nullopt : resting_move_of(program)),
        measures_(context.measures || rest_),
        stall_(options_.patience),
        arrivals_(context.dsm),
        threads_(options_.threads),
        active_(context.graph.local_count(), threads_.count()),
        stored_(context.graph.local_count(), threads_.count()),
        next_(context.graph.local_count()) {
    context_.gathers = GatheringProgram<P>;
    for (std::uint32_t slot = 0; slot < context.graph.copy_count(); ++slot)
      remote_.emplace_back(context.graph.local_count() + slot);
  }

  void run() {
    communicate();
    if constexpr (GatheringProgram<P>) gathered_ = sum_gathered(context_);
    (void)gather({});
    const auto limit = options_.iterations ? options_.iterations : options_.most_iterations;
    const std::uint32_t before = options_.iterations ? options_.rounds_before : 0;
    record_.converged = options_.iterations && before >= *limit;
    for (std::uint32_t superstep = before; !limit || superstep < *limit; ++superstep) {
      const Instant begin = now();
      context_.measures = measures_ || stall_.needs_residual();
      IterationSample sample = compute();
      const Instant computed = now();
      const std::uint64_t changed = gather(sample);
      const Instant agreed = now();
      // mutant: values-are-copied-before-the-superstep-stores
      if (at_rest_) {
        store();
      } else if (changed > 0) {
        const bool many = !are_few(sample.changed, context_.graph.local_count());
        visits_all_ = every_vertex() || (options_.visit == Visit::Auto && many);
        store();
        communicate();
      }
      if (snapshot_is_agreed()) context_.snapshots->take(superstep + 1 - before);
      record_.span(Activity::Compute, begin, computed);
      record_.span(Activity::Barrier, computed, agreed);
      record_.span(Activity::Blocked, agreed, now());
      sample.at = now();
      record_.ended(sample);
      const bool over = changed == 0 || at_rest_;
      record_.converged = over || options_.iterations.has_value();
      if (stop_) record_.converged = false;
      if (stop_ || (!options_.iterations && (over || out_of_patience()))) break;
    }
  }

 private:
  [[nodiscard]] Instant now() { return context_.node.transport().now(); }

  IterationSample compute() {
    std::atomic<std::uint64_t> visited{0};
    std::atomic<std::uint64_t> changed{0};
    std::atomic<std::uint64_t> gathered{visits_all_ ? 0 : gathered_};
    SharedResidual residual;
    if (context_.dsm.space().bounded())
      context_.look_ahead = context_.bounded_look_ahead(visits_all_);
    for_sweeps(context_, threads_,
               [&](Sweeper<P>& sweeper, std::uint32_t begin, std::uint32_t end) {
                 std::uint64_t here = 0;
                 if (visits_all_) {
                   here = compute_all(sweeper, begin, end);
                 } else {
                   active_.take(begin, end,
                                [&](std::uint32_t v) { here += compute_one(sweeper, v) ? 1 : 0; });
                 }
                 visited.fetch_add(sweeper.visited(), std::memory_order_relaxed);
                 changed.fetch_add(here, std::memory_order_relaxed);
                 gathered.fetch_add(sweeper.gathered(), std::memory_order_relaxed);
                 residual.add(sweeper.residual());
               });
    gathered_ = gathered;
    return {.visited = visited, .changed = changed, .residual = residual.whole()};
  }

  /// Returns whether the value changes.
  bool compute_one(Sweeper<P>& sweeper, std::uint32_t v) {
    const Value now = sweeper.compute(v);
    const Value old = sweeper.value(v);
    next_[v] = now;
    sweeper.measure(v, old, now);
    if (!has_changed(program_, {context_.graph.vertices()[v], v}, old, now)) return false;
    sweeper.regather(v, old, now);
    stored_.add(v);
    return true;
  }
  std::uint64_t compute_all(Sweeper<P>& sweeper, std::uint32_t begin, std::uint32_t end) {
    Value* const next = next_.data();
    return sweeper.compute_all(begin, end, [&](std::uint32_t v, const Value& now, bool changed) {
      next[v] = now;
      if (changed) stored_.add(v);
    });
  }

  [[nodiscard]] bool every_vertex() const {
    return options_.visit == Visit::All || sum_moves_all_ || !context_.graph.has_readers();
  }

  [[nodiscard]] bool out_of_patience() const {
    return !always_rests<P>() && stall_.rounds() >= options_.patience;
  }

  /// Ends a superstep's computation: a barrier, the sum of all nodes' changes, and the sum that the program requests,
  /// over the new values.
  std::uint64_t gather(const IterationSample& sample) {
    const std::uint64_t stop = stopped(options_) ? 1 : 0;
    const bool nearer = sample.changed > 0 && stall_.nearer(sample.changed, sample.residual);
    std::vector<std::uint64_t> numbers{sample.changed, gathered_, stop, nearer ? 1U : 0U};
    if (rest_) numbers.insert(numbers.end(), {moves_of(sample), context_.graph.local_count()});
    const std::size_t own = numbers.size();
    if (context_.snapshots != nullptr) {
      const auto numbers_of_snapshot = context_.snapshots->numbers(supersteps_++);
      numbers.insert(numbers.end(), numbers_of_snapshot.begin(), numbers_of_snapshot.end());
    }
    const auto sums = context_.node.sum(numbers);
    if (context_.snapshots != nullptr) context_.snapshots->agreed(std::span(sums).subspan(own));
    stop_ = sums[2] > 0;
    if (sums[0] > 0) stall_.count(sums[3] > 0);
    if constexpr (GatheringProgram<P>) sum_moves_all_ = give_sum(program_, sums[1]);
    at_rest_ = rest_ && sums[4] <= kMoveParts * sums[5];
    return sums[0];
  }

  /// The moves of a superstep as whole numbers, so that all nodes have the same sum: in parts of the move at rest, rounded up.
  [[nodiscard]] std::uint64_t moves_of(const IterationSample& sample) const {
    constexpr double kMost = 1e16;  // so that the sum of many nodes does not overflow
    if (!sample.residual) return 0;
    const double moves = std::ceil(sample.residual->sum / *rest_ * static_cast<double>(kMoveParts));
    return static_cast<std::uint64_t>(std::min(kMost, moves));
  }

  void store() {
    Sweeper<P> sweeper(context_);
    stored_.take(0, context_.graph.local_count(), [&](std::uint32_t v) {
      sweeper.store(v, next_[v]);
      mark_readers(v);
      if constexpr (moves_on<P>()) {
        if (!visits_all_) active_.add(v);
      }
    });
    sweeper.publish();
  }

  /// Between two stores, all nodes have the values of one superstep, so that a snapshot is consistent.
  [[nodiscard]] bool snapshot_is_agreed() const {
    return context_.snapshots != nullptr && context_.snapshots->open_request();
  }

  /// Waits until this node has all inputs of the next superstep.
  void communicate() {
    if (context_.node.node_count() == 1) return;
    context_.node.quiesce();
    // With a bounded cache, the rest is fetched during the superstep: homes keep its values until all nodes have
    // computed.
    if (!context_.dsm.space().bounded()) context_.dsm.replicate(std::span<const Handle>(remote_));
    if (visits_all_) return arrivals_.pass();
    Sweeper<P> sweeper(context_);
    arrivals_.take(sweeper.view(), [&](Handle handle) { mark_readers(handle.value()); });
  }

  void mark_readers(std::uint32_t handle) {
    if (visits_all_) return;
    active_.add(context_.graph.readers(handle).vertices);
  }

  SweepContext<P> context_;
  P& program_;
  NodeRecord& record_;
  const EngineOptions& options_;
  static constexpr std::uint64_t kMoveParts = 16;

  const std::optional<double> rest_;  // resting_move_of the program
  const bool measures_;               // measure residuals in every superstep
  StallCounter stall_;                // equal on all nodes
  Arrivals<Value> arrivals_;
  ComputeThreads threads_;
  ActiveSet active_;
  ActiveSet stored_;
  std::vector<Value> next_;
  std::vector<Handle> remote_;
  std::uint64_t supersteps_ = 0;
  std::uint64_t gathered_ = 0;  // over this node's values, or those that the superstep will store
  bool sum_moves_all_ = false;  // every vertex must be updated again because of the program's sum
  bool at_rest_ = false;
  bool visits_all_ = true;  // in the current superstep; after its store: in the next one
  bool stop_ = false;       // a node was asked to stop, so all stop
};

}  // namespace leeway
