// Runs a selecting program on one node by worklist: takes the vertices of the best rank, offers what
// their values are worth along their arcs to the local vertices that read them, and lists those that
// took an offer. What other nodes' stores are worth is offered when it arrives. So a graph of great
// diameter costs its arcs, not a sweep a hop. One thread a node works the list.
#pragma once

#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "leeway/base/bucket_queue.h"
#include "leeway/runtime/arrivals.h"
#include "leeway/runtime/node_log.h"
#include "leeway/runtime/paced_loop.h"
#include "leeway/runtime/sweeper.h"

namespace leeway {

template <SelectingProgram P>
class PushEngine {
  using Value = typename P::Value;

 public:
  /// `width`: of a bucket, in ranks.
  PushEngine(const SweepContext<P>& context, double width, Pace& pace, NodeLog& log)
      : context_(context),
        shard_(context.shard),
        log_(log),
        pace_(pace),
        arrivals_(context.dsm),
        view_(context.dsm),
        list_(width),
        unsaid_at_(shard_.local_count(), false),
        batch_(batch_size(context)) {}

  /// Requires copies of all remote objects that are read here.
  void run() {
    begin();
    run_paced(*this, context_.node, pace_, log_);
    log_.converged = !pace_.spent() || context_.options.iterations.has_value();
  }

  IterationSample run_round() {
    take_arrivals();
    while (work_off()) take_arrivals();
    publish();
    return std::exchange(sample_, {});
  }
  [[nodiscard]] bool has_work() const { return !list_.empty(); }
  [[nodiscard]] bool has_arrivals() { return arrivals_.any(); }

 private:
  /// Whatever is worth anything from the start: local values by list, copies at once.
  void begin() {
    for (std::uint32_t v = 0; v < shard_.local_count(); ++v) {
      const double rank = context_.program.rank(view_.fetch(Handle(v)));
      if (std::isfinite(rank)) list_.add(v, rank);
    }
    for (std::uint32_t slot = 0; slot < shard_.remote_count(); ++slot) {
      const Handle handle(shard_.local_count() + slot);
      const Value value = view_.fetch(handle);
      if (std::isfinite(context_.program.rank(value))) offer(handle.value(), value);
    }
  }

  static std::uint64_t batch_size(const SweepContext<P>& context) {
    const CostModel& cost = context.options.cost;
    const std::uint64_t price = cost.fetch_ps + cost.edge_ps;
    return std::max<std::uint64_t>(1, context.options.batch_ps / std::max<std::uint64_t>(1, price));
  }

  /// One bucket; false if there was none.
  bool work_off() {
    const std::size_t bucket = list_.take(work_);
    if (bucket == BucketQueue::none()) return false;
    for (std::size_t i = 0; i < work_.size(); ++i) {
      const std::uint32_t v = work_[i];
      const Value value = view_.fetch(Handle(v));
      const double rank = context_.program.rank(value);
      if (list_.bucket_of(rank) < bucket) continue;  // worked off with that one
      offer(v, value);
      if (units_ < batch_) continue;
      publish();
      take_arrivals();
      if (list_.lowest() >= bucket) continue;
      for (++i; i < work_.size(); ++i) {
        list_.add(work_[i], context_.program.rank(view_.fetch(Handle(work_[i]))));
      }
    }
    work_.clear();
    return true;
  }

  /// What the object's value is worth to the local vertices that read it.
  void offer(std::uint32_t handle, const Value& value) {
    const std::uint64_t* offsets = shard_.dependent_offsets();
    const std::uint32_t* dependents = shard_.dependents();
    const double* weights = shard_.dependent_weights();
    const std::uint64_t last = offsets[handle + std::size_t{1}];
    for (std::uint64_t i = offsets[handle]; i < last; ++i) {
      const std::uint32_t to = dependents[i];
      const Value offered = context_.program.along(value, weights == nullptr ? 1.0 : weights[i]);
      if (!context_.program.better(offered, view_.fetch(Handle(to)))) continue;
      store(to, offered);
      list_.add(to, context_.program.rank(offered));
    }
    units_ += last - offsets[handle] + 1;
    ++vertices_;
    ++sample_.visited;
  }

  void store(std::uint32_t local, const Value& value) {
    ++sample_.changed;
    ++stores_;
    if (!view_.plain()) return view_.store(Handle(local), value);
    view_.store_local(Handle(local), value);
    if (!shard_.read_afar(local) || unsaid_at_[local]) return;
    unsaid_at_[local] = true;
    unsaid_.push_back(local);
  }

  void take_arrivals() {
    if (context_.node.node_count() == 1) return;
    arrivals_.take(view_, [&](Handle handle) { offer(handle.value(), view_.fetch(handle)); });
  }

  /// Tells the others what has become better, once each, and accounts for the time that has passed.
  void publish() {
    for (const std::uint32_t local : std::exchange(unsaid_, {})) {
      unsaid_at_[local] = false;
      view_.store(Handle(local), view_.fetch(Handle(local)));
    }
    view_.publish();
    context_.node.transport().charge({.fetches = units_ - vertices_,
                                      .stores = stores_,
                                      .edges = units_ - vertices_,
                                      .vertices = vertices_});
    units_ = vertices_ = stores_ = 0;
    if (context_.node.node_count() > 1) context_.node.progress();
  }

  SweepContext<P> context_;
  const Shard& shard_;
  NodeLog& log_;
  Pace& pace_;
  Arrivals<Value> arrivals_;
  View<Value> view_;
  BucketQueue list_;
  std::vector<std::uint32_t> work_;
  std::vector<std::uint32_t> unsaid_;  // local vertices whose readers elsewhere know an older value
  std::vector<bool> unsaid_at_;
  const std::uint64_t batch_;
  IterationSample sample_;
  std::uint64_t units_ = 0;
  std::uint64_t vertices_ = 0;
  std::uint64_t stores_ = 0;
};

}  // namespace leeway
