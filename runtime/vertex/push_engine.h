// The worklist of a node's threads (SharedWorklist), and the engine that runs selecting programs by worklist
// (PushEngine).
#pragma once

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/bucket_queue.h"
#include "runtime/cluster/compute_threads.h"
#include "runtime/cluster/record.h"
#include "runtime/vertex/pace.h"
#include "runtime/vertex/sweeper.h"

namespace leeway {

/// A worklist that several threads fill in parallel: one bucket queue for each thread; the lowest bucket of all
/// queues is processed next. `own` is for its thread only; the other functions require that no thread is adding.
class SharedWorklist {
 public:
  /// `width`: of a bucket, in ranks.
  SharedWorklist(double width, unsigned threads) : queues_(threads, BucketQueue(width)) {}

  [[nodiscard]] BucketQueue& own(unsigned thread) { return queues_[thread]; }

  /// Moves the lowest non-empty bucket, from all threads' queues, to `work`, which must be empty. Returns its number,
  /// or BucketQueue::none().
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
  /// A lower bound: all buckets below are empty.
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

// Runs a selecting program on one node by worklist: takes the vertices of the best rank, offers values along their
// arcs to the local vertices that read them, and adds the vertices that took an offer. Values from other nodes are
// offered when they arrive. The cost for a graph with a large diameter is proportional to its arcs; there is no sweep
// for each hop.
//
// If a rank's values are all equal (by_levels) and most arcs lead from the current bucket, the vertices that are not
// reached yet look for one of its vertices among those they read, and stop at the first (Beamer, Asanović & Patterson,
// SC 2012).
//
// A bucket that is long enough is processed by all threads of the node: each takes a part of it, improves values by
// compare-and-exchange, and adds the improved vertices to its own queue. The final values are the same, bit for bit,
// for any number of threads. (Processing vertices that fall into the current bucket immediately, as bucket fusion
// does, was no faster on road graphs and slower on Kronecker graphs, where all threads waited for the one that had a
// few hubs.)
template <SelectingProgram P>
class PushEngine {
  using Value = typename P::Value;

 public:
  /// `width`: of a bucket, in ranks.
  PushEngine(const SweepContext<P>& context, double width, Pace& pace, NodeRecord& record)
      : context_(context),
        graph_(context.graph),
        record_(record),
        pace_(pace),
        arrivals_(context.dsm),
        view_(context.dsm),
        threads_(kShares && view_.plain() ? context.options.threads : 1),
        length_(threads_.count(), kVisit),
        list_(width, threads_.count()),
        parts_(threads_.count()),
        is_unpublished_(graph_.local_count(), false),
        batch_(batch_size(context)),
        arcs_left_(graph_.local_reader_count()) {}

  void run() {
    begin();
    run_paced(*this, context_.node, pace_, record_);
  }

  IterationSample run_round() {
    take_arrivals();
    while (process_bucket()) {
      take_arrivals();
      if (pace_.round_is_long() || round_is_full()) break;
    }
    publish();
    return std::exchange(sample_, {});
  }
  [[nodiscard]] bool has_work() const { return !list_.empty(); }
  [[nodiscard]] bool has_arrivals() { return arrivals_.any(); }

 private:
  /// The results of one thread since the last gather_parts.
  struct ThreadPart {
    std::vector<std::uint32_t> unpublished;  // local vertices that other nodes read
    std::uint64_t arcs = 0;
    std::uint64_t visited = 0;
    std::uint64_t changed = 0;

    void add(const ThreadPart& more) {
      unpublished.insert(unpublished.end(), more.unpublished.begin(), more.unpublished.end());
      arcs += more.arcs;
      visited += more.visited;
      changed += more.changed;
    }
  };

  /// Starts with all vertices of finite rank: local vertices enter the worklist, copies are offered directly.
  void begin() {
    // mutant: a-worklist-begins-empty-after-a-restart
    for (std::uint32_t v = 0; v < graph_.local_count(); ++v) {
      const double rank = context_.program.rank(view_.fetch(Handle(v)));
      if (std::isfinite(rank)) list_.own(0).add(v, rank);
    }
    read_all_copies(context_.dsm.space(), view_, graph_, [&](Handle handle, const Value& value) {
      if (std::isfinite(context_.program.rank(value))) offer(handle.value(), value);
    });
  }

  static std::uint64_t batch_size(const SweepContext<P>& context) {
    const CostModel& cost = context.cost;
    const std::uint64_t price = cost.fetch_ps + cost.edge_ps;
    return std::max<std::uint64_t>(1, context.options.batch_ps / std::max<std::uint64_t>(1, price));
  }

  /// If rounds are not in step, a round has at most the work of a sweep; otherwise a round would have no bound, and
  /// rounds could not be compared.
  [[nodiscard]] bool round_is_full() const {
    return !pace_.rounds_in_step() && sample_.visited >= graph_.local_count();
  }

  /// Processes one bucket; false if there was none.
  bool process_bucket() {
    const std::size_t bucket = list_.take(work_);
    if (bucket == BucketQueue::none()) return false;
    put_in_order();
    if constexpr (by_levels<P>()) {
      if (worth_pulling(bucket)) {
        pull(bucket);
        work_.clear();
        return true;
      }
    }
    const bool on_threads = length_.worth_threads(work_.size());
    const Instant from = now();
    const std::uint64_t before = sample_.visited;
    if (on_threads) {
      process_on_threads(bucket);
    } else {
      process_on_one_thread(bucket);
    }
    length_.took(sample_.visited - before, now() - from, on_threads);
    work_.clear();
    return true;
  }
  /// The clock is read only if the time is used.
  [[nodiscard]] Instant now() const {
    return threads_.count() > 1 ? context_.node.transport().now() : Instant();
  }

  /// Sorts a long bucket by vertex, each once, so that the lists of its vertices are read in the order of memory.
  void put_in_order() {
    if (work_.size() < graph_.local_count() / kWordBits) return;
    in_bucket_.assign(graph_.local_count() / kWordBits + std::size_t{1}, 0);
    for (const std::uint32_t v : work_)
      in_bucket_[v / kWordBits] |= std::uint64_t{1} << (v % kWordBits);
    work_.clear();
    each_bit(in_bucket_, [&](std::uint32_t v) { work_.push_back(v); });
  }
  template <class Use>
  static void each_bit(const std::vector<std::uint64_t>& words, const Use& use) {
    for (std::size_t at = 0; at < words.size(); ++at) {
      for (std::uint64_t bits = words[at]; bits != 0; bits &= bits - 1)
        use(static_cast<std::uint32_t>(at * kWordBits) +
            static_cast<std::uint32_t>(std::countr_zero(bits)));
    }
  }

  void process_on_one_thread(std::size_t bucket) {
    for (std::size_t i = 0; i < work_.size(); ++i) {
      const std::uint32_t v = work_[i];
      const Value value = view_.fetch(Handle(v));
      const double rank = context_.program.rank(value);
      if (list_.own(0).bucket_of(rank) < bucket) continue;  // processed with the lower bucket
      offer(v, value);
      if (publish_finds_lower(bucket)) return add_rest_again(i + 1);
    }
  }

  void process_on_threads(std::size_t bucket) {
    const std::size_t chunk = vertices_between_publishes();
    for (std::size_t begin = 0; begin < work_.size(); begin += chunk) {
      const std::size_t count = std::min(chunk, work_.size() - begin);
      const std::size_t grain = std::max<std::size_t>(1, count / (kEach * threads_.count()));
      threads_.for_chunks(count, grain, [&](unsigned thread, std::size_t first, std::size_t last) {
        process_part(thread, bucket, begin + first, begin + last);
      });
      gather_parts();
      if (publish_finds_lower(bucket)) return add_rest_again(begin + count);
    }
  }

  /// Whether fewer arcs will be looked at if the vertices that are not reached pull.
  [[nodiscard]] bool worth_pulling(std::size_t bucket) {
    constexpr std::uint64_t kPulledArcs = 15;  // a vertex that pulls looks at few of its arcs, but
                                               // all vertices are looked at
    if (!kShares || !view_.plain() || !graph_.mutual()) return false;
    // If rounds are not in step, a level arrives in parts, and each would be looked for among all arcs.
    if (context_.node.node_count() > 1 && !pace_.rounds_in_step()) return false;
    std::uint64_t arcs = 0;
    for (const std::uint32_t v : work_) arcs += graph_.readers(v).vertices.size();
    arcs_left_ -= std::min(arcs_left_, arcs);
    if (bucket == last_pulled_ + 1)
      return work_.size() > graph_.local_count() / kPulledVertices;  // was interrupted
    return arcs > graph_.local_count() && arcs > arcs_left_ / kPulledArcs;
  }

  /// Processes this bucket and the next ones from the other ends of their arcs, as long as they are wide.
  void pull(std::size_t bucket) {
    const P& program = context_.program;
    const std::size_t words = graph_.local_count() / kWordBits + std::size_t{1};
    frontier_.assign(words, 0);
    reached_.assign(words, 0);
    std::optional<Value> offered;
    for (const std::uint32_t v : work_) {
      const Value value = view_.fetch_local(Handle(v));
      if (list_.own(0).bucket_of(program.rank(value)) < bucket) continue;
      offered = program.along(value, 1.0);
      frontier_[v / kWordBits] |= std::uint64_t{1} << (v % kWordBits);
    }
    if (!offered) return;
    while (true) {
      const std::uint64_t reached = pull_level(*offered);
      std::swap(frontier_, reached_);
      if (units_ >= batch_) publish();
      take_arrivals();
      last_pulled_ = list_.own(0).bucket_of(program.rank(*offered)) - 1;
      if (reached <= graph_.local_count() / kPulledVertices || !list_.empty() ||
          pace_.round_is_long() || round_is_full())
        break;
      std::fill(reached_.begin(), reached_.end(), 0);
      offered = program.along(*offered, 1.0);
    }
    add_reached(program.rank(*offered));
  }

  /// All that read a vertex of frontier_ and would be improved take `offered`, and enter reached_; returns their number.
  std::uint64_t pull_level(const Value& offered) {
    const std::uint64_t before = sample_.changed;
    const std::uint32_t count = graph_.local_count();
    threads_.for_chunks(count, threads_.grain(count),
                        [&](unsigned thread, std::size_t first, std::size_t last) {
                          pull_part(thread, offered, static_cast<std::uint32_t>(first),
                                    static_cast<std::uint32_t>(last));
                        });
    gather_parts();
    return sample_.changed - before;
  }
  /// Begins at a word of reached_, so that no two threads write to one.
  void pull_part(unsigned thread, const Value& offered, std::uint32_t first, std::uint32_t last) {
    ThreadPart part;
    const std::uint64_t* const frontier = frontier_.data();
    std::byte* const memory = view_.memory();
    for (std::uint32_t v = first; v < last; ++v) {
      if (!context_.program.better(offered, View<Value>::load_in(memory, v))) continue;
      ++part.visited;
      const std::span<const std::uint32_t> read = graph_.readers(v).vertices;
      std::size_t at = 0;
      while (at < read.size() &&
             (frontier[read[at] / kWordBits] >> (read[at] % kWordBits) & 1) == 0)
        ++at;
      part.arcs += at;
      if (at == read.size()) continue;
      View<Value>::store_in(memory, v, offered);
      ++part.changed;
      if (graph_.read_remotely(v)) part.unpublished.push_back(v);
      reached_[v / kWordBits] |= std::uint64_t{1} << (v % kWordBits);
    }
    parts_[thread].add(part);
  }
  /// Adds the vertices of frontier_ to the worklist.
  void add_reached(double rank) {
    each_bit(frontier_, [&](std::uint32_t v) { list_.own(0).add(v, rank); });
  }

  /// Number of vertices of a bucket that all threads process between two publications.
  [[nodiscard]] std::size_t vertices_between_publishes() const {
    if (context_.node.node_count() == 1) return work_.size();
    const std::uint64_t arcs = graph_.local_reader_count();
    const std::uint64_t each = 1 + arcs / std::max(1U, graph_.local_count());
    return std::max<std::uint64_t>(kLeastChunk, batch_ * threads_.count() / each);
  }

  /// Processes one thread's part of a bucket.
  void process_part(unsigned thread, std::size_t bucket, std::size_t first, std::size_t last) {
    BucketQueue& list = list_.own(thread);
    ThreadPart& part = parts_[thread];
    for (std::size_t i = first; i < last; ++i) process_one(list, part, bucket, work_[i]);
  }

  void process_one(BucketQueue& list, ThreadPart& part, std::size_t bucket, std::uint32_t v) {
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
      if (graph_.read_remotely(to)) part.unpublished.push_back(to);
      list.add(to, context_.program.rank(offered));
    });
    ++part.visited;
  }

  /// Adds up the results of all threads.
  void gather_parts() {
    for (ThreadPart& part : parts_) {
      for (const std::uint32_t local : part.unpublished) publish_later(local);
      part.unpublished.clear();
      units_ += std::exchange(part.arcs, 0) + part.visited;
      vertices_ += part.visited;
      sample_.visited += std::exchange(part.visited, 0);
      stores_ += part.changed;
      sample_.changed += std::exchange(part.changed, 0);
    }
  }

  /// Publishes if a batch is full. Returns true if a bucket below this one then has work.
  bool publish_finds_lower(std::size_t bucket) {
    if (units_ < batch_) return false;
    publish();
    take_arrivals();
    return list_.lowest() < bucket;
  }
  /// Returns the rest of a bucket, from index `i` on, to the worklist.
  void add_rest_again(std::size_t i) {
    for (; i < work_.size(); ++i)
      list_.own(0).add(work_[i], context_.program.rank(view_.fetch(Handle(work_[i]))));
  }

  /// Calls `take(to, offered)` for every local vertex that reads the object; returns their number.
  template <class Take>
  std::uint64_t each_offer(std::uint32_t handle, const Value& value, const Take& take) {
    const auto [readers, weights] = graph_.readers(handle);
    const P& program = context_.program;
    for (std::size_t i = 0; i < readers.size(); ++i)
      take(readers[i], program.along(value, weights == nullptr ? 1.0 : weights[i]));
    return readers.size();
  }

  /// Offers the object's value to the local vertices that read it.
  void offer(std::uint32_t handle, const Value& value) {
    const P& program = context_.program;
    BucketQueue& list = list_.own(0);
    std::uint64_t changed = 0;
    if (kShares && view_.plain()) {
      std::byte* const memory = view_.memory();
      units_ += each_offer(handle, value, [&](std::uint32_t to, const Value& offered) {
        if (!program.better(offered, View<Value>::load_in(memory, to))) return;
        View<Value>::store_in(memory, to, offered);
        ++changed;
        list.add(to, program.rank(offered));
        if (graph_.read_remotely(to)) publish_later(to);
      });
    } else {
      units_ += each_offer(handle, value, [&](std::uint32_t to, const Value& offered) {
        if (!program.better(offered, view_.fetch(Handle(to)))) return;
        store(to, offered);
        ++changed;
        list.add(to, program.rank(offered));
      });
    }
    ++units_;
    ++vertices_;
    ++sample_.visited;
    sample_.changed += changed;
    stores_ += changed;
  }

  void store(std::uint32_t local, const Value& value) {
    if (!view_.plain()) return view_.store(Handle(local), value);
    view_.store_local(Handle(local), value);
    if (graph_.read_remotely(local)) publish_later(local);
  }
  void publish_later(std::uint32_t local) {
    if (is_unpublished_[local]) return;
    is_unpublished_[local] = true;
    unpublished_.push_back(local);
  }

  void take_arrivals() {
    if (context_.node.node_count() == 1) return;
    arrivals_.read(view_, [&](Handle handle, const Value& value) { offer(handle.value(), value); });
  }

  /// Publishes the improved values, each vertex once, and accounts for the computing time.
  void publish() {
    for (const std::uint32_t local : std::exchange(unpublished_, {})) {
      is_unpublished_[local] = false;
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

  static constexpr std::uint32_t kWordBits = 64;
  // While this part of all vertices is reached by a level, the next one pulls.
  static constexpr std::uint64_t kPulledVertices = 18;
  // Values that one instruction can replace.
  static constexpr bool kShares = sizeof(Value) <= 8;
  // Assumed time of a vertex until one has been measured.
  static constexpr Duration kVisit = std::chrono::nanoseconds(50);
  static constexpr std::size_t kEach =
      8;  // chunks per thread, so that no thread waits long for another
  // Smallest chunk for which starting the threads pays.
  static constexpr std::size_t kLeastChunk = 1024;

  SweepContext<P> context_;
  const LocalGraph& graph_;
  NodeRecord& record_;
  Pace& pace_;
  Arrivals<Value> arrivals_;
  View<Value> view_;
  ComputeThreads threads_;
  LoopLength length_;
  SharedWorklist list_;
  std::vector<ThreadPart> parts_;  // by thread
  std::vector<std::uint32_t> work_;
  std::vector<std::uint32_t>
      unpublished_;  // local vertices whose remote readers have an older value
  std::vector<bool> is_unpublished_;
  const std::uint64_t batch_;
  std::uint64_t arcs_left_;  // those of vertices that were not in a bucket yet
  std::size_t last_pulled_ = BucketQueue::none() - 1;  // bucket
  // While pulling, bits for the local vertices of a bucket, and of the next one.
  std::vector<std::uint64_t> frontier_;
  std::vector<std::uint64_t> reached_;
  std::vector<std::uint64_t> in_bucket_;  // scratch
  IterationSample sample_;
  std::uint64_t units_ = 0;
  std::uint64_t vertices_ = 0;
  std::uint64_t stores_ = 0;
};

}  // namespace leeway
