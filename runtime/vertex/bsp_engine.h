// Runs a vertex program on one node in supersteps (Valiant's BSP): every read is of the value its object
// had when the superstep began. Computes all new values aside, waits for everybody, stores, waits until
// everything is known everywhere, and fetches what the next superstep reads. Whatever the mode, reads are
// current; it decides only whether values travel with the news of them or are asked for.
#pragma once

#include <atomic>
#include <cstdint>
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
  BspEngine(const SweepContext<P>& context, P& program, NodeLog& log)
      : context_(context),
        program_(program),
        log_(log),
        options_(context.options),
        measures_(context.measures),
        stall_(options_.patience),
        arrivals_(context.dsm),
        threads_(options_.threads),
        active_(context.shard.local_count(), threads_.count()),
        stored_(context.shard.local_count(), threads_.count()),
        next_(context.shard.local_count()) {
    for (std::uint32_t slot = 0; slot < context.shard.remote_count(); ++slot)
      remote_.emplace_back(context.shard.local_count() + slot);
  }

  void run() {
    communicate();
    (void)gather({});
    const auto limit = options_.iterations ? options_.iterations : options_.most_iterations;
    const std::uint32_t before = options_.iterations ? options_.rounds_before : 0;
    log_.converged = options_.iterations && before >= *limit;
    for (std::uint32_t superstep = before; !limit || superstep < *limit; ++superstep) {
      const Instant begin = now();
      context_.measures = measures_ || stall_.wants_residual();
      IterationSample sample = compute();
      const Instant computed = now();
      const std::uint64_t changed = gather(sample);
      const Instant agreed = now();
      if (changed > 0) {
        const bool many = !are_few(sample.changed, context_.shard.local_count());
        visits_all_ = every_vertex() || (options_.visit == Visit::Auto && many);
        store();
        communicate();
      }
      if (snapshot_is_agreed()) context_.snapshots->take(superstep + 1 - before);
      log_.span(Activity::Compute, begin, computed);
      log_.span(Activity::Barrier, computed, agreed);
      log_.span(Activity::Blocked, agreed, now());
      sample.at = now();
      log_.ended(sample);
      log_.converged = changed == 0 || options_.iterations.has_value();
      if (stop_) log_.converged = false;
      if (stop_ || (!options_.iterations && (changed == 0 || given_up()))) break;
    }
  }

 private:
  [[nodiscard]] Instant now() { return context_.node.transport().now(); }

  template <class Body>
  void in_stretches(Body&& body) {
    const std::uint32_t count = context_.shard.local_count();
    const auto stretch = [&](std::size_t begin, std::size_t end) {
      Sweeper<P> sweeper(context_);
      body(sweeper, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end));
      sweeper.publish();
    };
    if (threads_.count() == 1) {
      stretch(0, count);
    } else {
      threads_.for_chunks(count, threads_.grain(count), stretch);
    }
  }

  IterationSample compute() {
    std::atomic<std::uint64_t> visited{0};
    std::atomic<std::uint64_t> changed{0};
    SharedResidual residual;
    if (context_.dsm.space().bounded())
      context_.look_ahead = context_.bounded_look_ahead(visits_all_);
    in_stretches([&](Sweeper<P>& sweeper, std::uint32_t begin, std::uint32_t end) {
      std::uint64_t here = 0;
      if (visits_all_) {
        here = compute_all(sweeper, begin, end);
      } else {
        active_.take(begin, end, [&](std::uint32_t v) { here += compute_one(sweeper, v) ? 1 : 0; });
      }
      visited.fetch_add(sweeper.visited(), std::memory_order_relaxed);
      changed.fetch_add(here, std::memory_order_relaxed);
      residual.add(sweeper.residual());
    });
    return {.visited = visited, .changed = changed, .residual = residual.whole()};
  }

  /// Whether it changes.
  bool compute_one(Sweeper<P>& sweeper, std::uint32_t v) {
    const Value now = sweeper.compute(v);
    const Value old = sweeper.value(v);
    next_[v] = now;
    sweeper.measure(v, old, now);
    if (!has_changed(program_, context_.shard.vertices()[v], old, now)) return false;
    stored_.add(v);
    return true;
  }
  /// Everything a vertex needs in one loop: where arcs are few, calls would cost more than they do.
  [[gnu::flatten]] std::uint64_t compute_all(Sweeper<P>& sweeper, std::uint32_t begin,
                                             std::uint32_t end) {
    std::uint64_t changed = 0;
    for (std::uint32_t v = begin; v < end; ++v) changed += compute_one(sweeper, v) ? 1 : 0;
    return changed;
  }

  /// A program whose update reads the sum over all vertices depends on all of them.
  [[nodiscard]] bool every_vertex() const {
    return options_.visit == Visit::All || GatheringProgram<P> ||
           context_.shard.dependent_offsets() == nullptr;
  }

  [[nodiscard]] bool given_up() const {
    return !always_rests<P>() && stall_.rounds() >= options_.patience;
  }

  /// A barrier, the sum of everybody's changes, and what the program wants summed, from new values.
  std::uint64_t gather(const IterationSample& sample) {
    std::uint64_t mine = 0;
    if constexpr (GatheringProgram<P>) {
      Sweeper<P> sweeper(context_);
      for (std::uint32_t v = 0; v < context_.shard.local_count(); ++v) {
        const Value value = stored_.contains(v) ? next_[v] : sweeper.value(v);
        mine += program_.gather(LocalVertex{context_.shard.vertices()[v], v}, value);
      }
    }
    const std::uint64_t stop = stopped(options_) ? 1 : 0;
    const bool nearer = sample.changed > 0 && stall_.nearer(sample.changed, sample.residual);
    std::vector<std::uint64_t> numbers{sample.changed, mine, stop, nearer ? 1U : 0U};
    if (context_.snapshots != nullptr) {
      const auto asked = context_.snapshots->numbers(supersteps_++);
      numbers.insert(numbers.end(), asked.begin(), asked.end());
    }
    const auto sums = context_.node.sum(numbers);
    if (context_.snapshots != nullptr) context_.snapshots->agreed(std::span(sums).subspan(4));
    stop_ = sums[2] > 0;
    if (sums[0] > 0) stall_.count(sums[3] > 0);
    if constexpr (GatheringProgram<P>) program_.gathered(sums[1]);
    return sums[0];
  }

  void store() {
    Sweeper<P> sweeper(context_);
    stored_.take(0, context_.shard.local_count(), [&](std::uint32_t v) {
      sweeper.store(v, next_[v]);
      mark_dependents(v);
      if constexpr (moves_on<P>()) {
        if (!visits_all_) active_.add(v);
      }
    });
    sweeper.publish();
  }

  /// Values are those of one superstep everywhere until the next one stores.
  [[nodiscard]] bool snapshot_is_agreed() const {
    return context_.snapshots != nullptr && context_.snapshots->open_request();
  }

  /// Until every node has what it will read.
  void communicate() {
    if (context_.node.node_count() == 1) return;
    context_.node.quiesce();
    // What does not fit is asked for while a superstep computes: until all have, homes keep its values.
    if (!context_.dsm.space().bounded()) context_.dsm.replicate(std::span<const Handle>(remote_));
    if (visits_all_) return arrivals_.pass();
    Sweeper<P> sweeper(context_);
    arrivals_.take(sweeper.view(), [&](Handle handle) { mark_dependents(handle.value()); });
  }

  void mark_dependents(std::uint32_t handle) {
    if (visits_all_) return;
    const std::uint64_t* offsets = context_.shard.dependent_offsets();
    const std::uint32_t* dependents = context_.shard.dependents();
    active_.add({dependents + offsets[handle], dependents + offsets[handle + std::size_t{1}]});
  }

  SweepContext<P> context_;
  P& program_;
  NodeLog& log_;
  const EngineOptions& options_;
  const bool measures_;  // residuals of every superstep
  StallCounter stall_;   // the same on every node
  Arrivals<Value> arrivals_;
  ComputeThreads threads_;
  ActiveSet active_;
  ActiveSet stored_;
  std::vector<Value> next_;
  std::vector<Handle> remote_;
  std::uint64_t supersteps_ = 0;
  bool visits_all_ = true;  // in the superstep under way, or in the next once the last has stored
  bool stop_ = false;       // some node is to stop, so all do
};

}  // namespace leeway
