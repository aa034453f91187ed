// A worklist that the threads of a node fill side by side: a bucket queue each, of which the lowest bucket of all is
// processed next. `own` is its thread's alone; everything else is called while no thread adds.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/bucket_queue.h"
#include "runtime/cluster/compute_threads.h"
#include "runtime/cluster/record.h"
#include "runtime/vertex/pace.h"
#include "runtime/vertex/sweeper.h"

namespace leeway {

class SharedWorklist {
 public:
  /// `width`: of a bucket, in ranks.
  SharedWorklist(double width, unsigned threads) : queues_(threads, BucketQueue(width)) {}

  [[nodiscard]] BucketQueue& own(unsigned thread) { return queues_[thread]; }

  /// The lowest bucket with anything in it, all threads' parts of it, moves to `work`, which is empty; its number, or
  /// BucketQueue::none().
  std::size_t take(std::vector<std::uint32_t>& work) {
    std::size_t lowest = BucketQueue::none();
    for (BucketQueue& queue : queues_) lowest = std::min(lowest, queue.find());
    if (lowest == BucketQueue::none()) return lowest;
    for (BucketQueue& queue : queues_) {
      if (queue.lowest() != lowest) continue;
      if (work.empty()) {
        queue.take(work);
        continue;
      }
      queue.take(part_);
      work.insert(work.end(), part_.begin(), part_.end());
      part_.clear();
    }
    return lowest;
  }
  /// No bucket below this holds anything.
  [[nodiscard]] std::size_t lowest() const {
    std::size_t lowest = BucketQueue::none();
    for (const BucketQueue& queue : queues_) lowest = std::min(lowest, queue.lowest());
    return lowest;
  }
  [[nodiscard]] bool empty() const {
    return std::all_of(queues_.begin(), queues_.end(),
                       [](const BucketQueue& queue) { return queue.empty(); });
  }

 private:
  std::vector<BucketQueue> queues_;
  std::vector<std::uint32_t> part_;
};

// Runs a selecting program on one node by worklist: takes the vertices of the best rank, offers what
// their values are worth along their arcs to the local vertices that read them, and lists those that
// took an offer. What other nodes' stores are worth is offered when it arrives. So a graph of great
// diameter costs its arcs, not a sweep a hop.
//
// A bucket that is long enough is processed by all threads of the node at once: each takes a part of it, puts better
// values in place by compare-and-exchange, and lists what took them in a queue of its own. Values come to rest at the
// same, bit for bit, however many threads there are. (Working off what falls into the same bucket at once, as bucket
// fusion does, was no faster on roads and slower on kron graphs, where a few hubs in one thread's hands kept all waiting.)
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
        threads_(kShares && view_.plain() ? context.options.threads : 1),
        length_(threads_.count(), kVisit),
        list_(width, threads_.count()),
        parts_(threads_.count()),
        unsaid_at_(shard_.local_count(), false),
        batch_(batch_size(context)) {}

  void run() {
    begin();
    run_paced(*this, context_.node, pace_, log_);
  }

  IterationSample run_round() {
    take_arrivals();
    while (work_off()) {
      take_arrivals();
      if (pace_.round_is_long() || round_is_full()) break;
    }
    publish();
    return std::exchange(sample_, {});
  }
  [[nodiscard]] bool has_work() const { return !list_.empty(); }
  [[nodiscard]] bool has_arrivals() { return arrivals_.any(); }

 private:
  /// What one thread has done since the others' was last gathered.
  struct ThreadPart {
    std::vector<std::uint32_t> unsaid;  // local vertices that others read
    std::uint64_t arcs = 0;
    std::uint64_t visited = 0;
    std::uint64_t changed = 0;
  };

  /// Whatever is worth anything from the start: local values by list, copies at once.
  void begin() {
    for (std::uint32_t v = 0; v < shard_.local_count(); ++v) {
      const double rank = context_.program.rank(view_.fetch(Handle(v)));
      if (std::isfinite(rank)) list_.own(0).add(v, rank);
    }
    read_all_copies(context_.dsm.space(), view_, shard_, [&](Handle handle, const Value& value) {
      if (std::isfinite(context_.program.rank(value))) offer(handle.value(), value);
    });
  }

  static std::uint64_t batch_size(const SweepContext<P>& context) {
    const CostModel& cost = context.options.cost;
    const std::uint64_t price = cost.fetch_ps + cost.edge_ps;
    return std::max<std::uint64_t>(1, context.options.batch_ps / std::max<std::uint64_t>(1, price));
  }

  /// Where nodes are not in step, a round is worth no more than a sweep: without an end in sight none could be ahead.
  [[nodiscard]] bool round_is_full() const {
    return !pace_.rounds_in_step() && sample_.visited >= shard_.local_count();
  }

  /// One bucket; false if there was none.
  bool work_off() {
    const std::size_t bucket = list_.take(work_);
    if (bucket == BucketQueue::none()) return false;
    const bool on_threads = length_.worth_threads(work_.size());
    const Instant from = now();
    const std::uint64_t before = sample_.visited;
    if (on_threads) {
      work_on_threads(bucket);
    } else {
      work_alone(bucket);
    }
    length_.took(sample_.visited - before, now() - from, on_threads);
    work_.clear();
    return true;
  }
  /// Read only where it decides something.
  [[nodiscard]] Instant now() const {
    return threads_.count() > 1 ? context_.node.transport().now() : Instant();
  }

  void work_alone(std::size_t bucket) {
    for (std::size_t i = 0; i < work_.size(); ++i) {
      const std::uint32_t v = work_[i];
      const Value value = view_.fetch(Handle(v));
      const double rank = context_.program.rank(value);
      if (list_.own(0).bucket_of(rank) < bucket) continue;  // processed with that one
      offer(v, value);
      if (told_of_lower(bucket)) return list_again(i + 1);
    }
  }

  void work_on_threads(std::size_t bucket) {
    const std::size_t stretch = stretch_of_all();
    for (std::size_t begin = 0; begin < work_.size(); begin += stretch) {
      const std::size_t count = std::min(stretch, work_.size() - begin);
      const std::size_t grain = std::max<std::size_t>(1, count / (kEach * threads_.count()));
      threads_.for_chunks(count, grain, [&](unsigned thread, std::size_t first, std::size_t last) {
        work_part(thread, bucket, begin + first, begin + last);
      });
      gather_parts();
      if (told_of_lower(bucket)) return list_again(begin + count);
    }
  }

  /// Of a bucket, that threads process before the others hear of it.
  [[nodiscard]] std::size_t stretch_of_all() const {
    if (context_.node.node_count() == 1) return work_.size();
    const std::uint64_t arcs = shard_.dependent_offsets()[shard_.local_count()];
    const std::uint64_t each = 1 + arcs / std::max(1U, shard_.local_count());
    return std::max<std::uint64_t>(kLeastStretch, batch_ * threads_.count() / each);
  }

  /// One thread's part of a bucket.
  void work_part(unsigned thread, std::size_t bucket, std::size_t first, std::size_t last) {
    BucketQueue& list = list_.own(thread);
    ThreadPart& part = parts_[thread];
    for (std::size_t i = first; i < last; ++i) work_one(list, part, bucket, work_[i]);
  }

  void work_one(BucketQueue& list, ThreadPart& part, std::size_t bucket, std::uint32_t v) {
    const Value value = view_.fetch_local(Handle(v));
    if (list.bucket_of(context_.program.rank(value)) < bucket) return;
    const auto better = [&](const Value& a, const Value& b) {
      return context_.program.better(a, b);
    };
    part.arcs += each_offer(v, value, [&](std::uint32_t to, const Value& offered) {
      if constexpr (kShares) {
        if (!view_.improve_local(Handle(to), offered, better)) return;
      }
      ++part.changed;
      if (shard_.read_afar(to)) part.unsaid.push_back(to);
      list.add(to, context_.program.rank(offered));
    });
    ++part.visited;
  }

  /// What the threads have done, as if one had.
  void gather_parts() {
    for (ThreadPart& part : parts_) {
      for (const std::uint32_t local : part.unsaid) say_later(local);
      part.unsaid.clear();
      units_ += std::exchange(part.arcs, 0) + part.visited;
      vertices_ += part.visited;
      sample_.visited += std::exchange(part.visited, 0);
      stores_ += part.changed;
      sample_.changed += std::exchange(part.changed, 0);
    }
  }

  /// Publishes once a batch is full; whether there is something lower than this bucket then.
  bool told_of_lower(std::size_t bucket) {
    if (units_ < batch_) return false;
    publish();
    take_arrivals();
    return list_.lowest() < bucket;
  }
  /// What is left of a bucket, from `i` on, for later.
  void list_again(std::size_t i) {
    for (; i < work_.size(); ++i)
      list_.own(0).add(work_[i], context_.program.rank(view_.fetch(Handle(work_[i]))));
  }

  /// Calls `take(to, offered)` for every local vertex that reads the object; returns how many do.
  template <class Take>
  std::uint64_t each_offer(std::uint32_t handle, const Value& value, const Take& take) {
    const std::uint32_t* dependents = shard_.dependents();
    const double* weights = shard_.dependent_weights();
    const std::uint64_t first = shard_.dependent_offsets()[handle];
    const std::uint64_t last = shard_.dependent_offsets()[handle + std::size_t{1}];
    for (std::uint64_t i = first; i < last; ++i)
      take(dependents[i], context_.program.along(value, weights == nullptr ? 1.0 : weights[i]));
    return last - first;
  }

  /// What the object's value is worth to the local vertices that read it.
  void offer(std::uint32_t handle, const Value& value) {
    units_ += 1 + each_offer(handle, value, [&](std::uint32_t to, const Value& offered) {
                if (!context_.program.better(offered, view_.fetch(Handle(to)))) return;
                store(to, offered);
                list_.own(0).add(to, context_.program.rank(offered));
              });
    ++vertices_;
    ++sample_.visited;
  }

  void store(std::uint32_t local, const Value& value) {
    ++sample_.changed;
    ++stores_;
    if (!view_.plain()) return view_.store(Handle(local), value);
    view_.store_local(Handle(local), value);
    if (shard_.read_afar(local)) say_later(local);
  }
  void say_later(std::uint32_t local) {
    if (unsaid_at_[local]) return;
    unsaid_at_[local] = true;
    unsaid_.push_back(local);
  }

  void take_arrivals() {
    if (context_.node.node_count() == 1) return;
    arrivals_.read(view_, [&](Handle handle, const Value& value) { offer(handle.value(), value); });
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

  static constexpr bool kShares =
      sizeof(Value) <= 8;  // so that one instruction puts a value in place
  static constexpr Duration kVisit =
      std::chrono::nanoseconds(50);                   // of a vertex, until one is known
  static constexpr std::size_t kEach = 8;             // stretches a thread, so that none waits long
  static constexpr std::size_t kLeastStretch = 1024;  // or starting the threads would show

  SweepContext<P> context_;
  const Shard& shard_;
  NodeLog& log_;
  Pace& pace_;
  Arrivals<Value> arrivals_;
  View<Value> view_;
  ComputeThreads threads_;
  LoopLength length_;
  SharedWorklist list_;
  std::vector<ThreadPart> parts_;  // by thread
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
