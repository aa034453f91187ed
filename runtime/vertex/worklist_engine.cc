// run_worklist.
#include <algorithm>
#include <bit>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/bucket_queue.h"
#include "dsm/node.h"
#include "leeway/options.h"
#include "runtime/cluster/compute_threads.h"
#include "runtime/cluster/record.h"
#include "runtime/graph/local_graph.h"
#include "runtime/vertex/arrivals.h"
#include "runtime/vertex/engines.h"
#include "runtime/vertex/kernel.h"
#include "runtime/vertex/pace.h"

namespace leeway {

namespace {

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

class WorklistEngine final : public PacedEngine {
 public:
  WorklistEngine(const SweepContext& context, ListKernel& kernel, Pace& pace, NodeRecord& record)
      : context_(context),
        kernel_(kernel),
        graph_(context.graph),
        record_(record),
        pace_(pace),
        arrivals_(context.space),
        threads_(kernel.shares() ? context.options.threads : 1),
        length_(threads_.count(), kVisit),
        list_(kernel.bucket_width(), threads_.count()),
        counts_(threads_.count()),
        is_unpublished_(graph_.local_count(), false),
        batch_(context.batch_size()),
        arcs_left_(graph_.local_reader_count()) {}

  void run() {
    kernel_.begin(list_.own(0), counts_[0]);
    gather_counts();
    run_paced(*this, context_.node, pace_, record_);
  }

  IterationSample run_round() override {
    take_arrivals();
    while (process_bucket()) {
      take_arrivals();
      if (pace_.round_is_long() || round_is_full()) break;
    }
    publish();
    return std::exchange(sample_, {});
  }
  [[nodiscard]] bool has_work() override { return !list_.empty(); }
  [[nodiscard]] bool has_arrivals() override { return arrivals_.any(); }

 private:
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
    if (worth_pulling(bucket)) {
      pull(bucket);
      work_.clear();
      return true;
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
    if (work_.size() < graph_.local_count() / kVertexWordBits) return;
    in_bucket_.assign(word_count(), 0);
    for (const std::uint32_t v : work_)
      in_bucket_[v / kVertexWordBits] |= std::uint64_t{1} << (v % kVertexWordBits);
    work_.clear();
    list_vertices(in_bucket_, work_);
  }
  [[nodiscard]] std::size_t word_count() const {
    return graph_.local_count() / kVertexWordBits + std::size_t{1};
  }
  static void list_vertices(const VertexBits& words, std::vector<std::uint32_t>& vertices) {
    for (std::size_t at = 0; at < words.size(); ++at) {
      for (std::uint64_t bits = words[at]; bits != 0; bits &= bits - 1)
        vertices.push_back(static_cast<std::uint32_t>(at * kVertexWordBits) +
                           static_cast<std::uint32_t>(std::countr_zero(bits)));
    }
  }

  void process_on_one_thread(std::size_t bucket) {
    const std::span<const std::uint32_t> work(work_);
    for (std::size_t i = 0; i < work.size();) {
      const std::uint64_t left = batch_ > units_ ? batch_ - units_ : 1;
      i += kernel_.process(work.subspan(i), bucket, left, list_.own(0), counts_[0]);
      gather_counts();
      if (publish_finds_lower(bucket)) return kernel_.add(work.subspan(i), list_.own(0));
    }
  }

  void process_on_threads(std::size_t bucket) {
    const std::span<const std::uint32_t> work(work_);
    const std::size_t chunk = vertices_between_publishes();
    for (std::size_t begin = 0; begin < work.size(); begin += chunk) {
      const auto part = work.subspan(begin, std::min(chunk, work.size() - begin));
      const std::size_t grain = std::max<std::size_t>(1, part.size() / (kEach * threads_.count()));
      threads_.for_chunks(part.size(), grain,
                          [&](unsigned thread, std::size_t first, std::size_t last) {
                            kernel_.process_shared(part.subspan(first, last - first), bucket,
                                                   list_.own(thread), counts_[thread]);
                          });
      gather_counts();
      if (publish_finds_lower(bucket))
        return kernel_.add(work.subspan(begin + part.size()), list_.own(0));
    }
  }

  /// Whether fewer arcs will be looked at if the vertices that are not reached pull.
  [[nodiscard]] bool worth_pulling(std::size_t bucket) {
    constexpr std::uint64_t kPulledArcs = 15;  // a vertex that pulls looks at few of its arcs, but
                                               // all vertices are looked at
    if (!kernel_.by_levels() || !kernel_.shares() || !graph_.mutual()) return false;
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
    level_.assign(word_count(), 0);
    reached_.assign(word_count(), 0);
    if (!kernel_.begin_level(work_, bucket, list_.own(0), level_)) return;
    while (true) {
      const std::uint64_t reached = pull_level();
      std::swap(level_, reached_);
      if (units_ >= batch_) publish();
      take_arrivals();
      last_pulled_ = list_.own(0).bucket_of(kernel_.rank_of_next_level()) - 1;
      if (reached <= graph_.local_count() / kPulledVertices || !list_.empty() ||
          pace_.round_is_long() || round_is_full())
        break;
      std::fill(reached_.begin(), reached_.end(), 0);
      kernel_.go_to_next_level();
    }
    std::vector<std::uint32_t> vertices;
    list_vertices(level_, vertices);
    for (const std::uint32_t v : vertices) list_.own(0).add(v, kernel_.rank_of_next_level());
  }

  /// All that read a vertex of level_ and would be improved enter reached_; returns their number.
  std::uint64_t pull_level() {
    const std::uint64_t before = sample_.changed;
    each_range(graph_.local_count(), threads_, [&](unsigned thread, LocalRange range) {
      kernel_.pull(range, level_, reached_, counts_[thread]);
    });
    gather_counts();
    return sample_.changed - before;
  }

  /// Number of vertices of a bucket that all threads process between two publications.
  [[nodiscard]] std::size_t vertices_between_publishes() const {
    if (context_.node.node_count() == 1) return work_.size();
    const std::uint64_t arcs = graph_.local_reader_count();
    const std::uint64_t each = 1 + arcs / std::max(1U, graph_.local_count());
    return std::max<std::uint64_t>(kLeastChunk, batch_ * threads_.count() / each);
  }

  /// Adds up the counts of all threads.
  void gather_counts() {
    for (OfferCounts& counts : counts_) {
      for (const std::uint32_t local : counts.unpublished) publish_later(local);
      counts.unpublished.clear();
      units_ += std::exchange(counts.arcs, 0) + counts.visited;
      vertices_ += counts.visited;
      sample_.visited += std::exchange(counts.visited, 0);
      stores_ += counts.changed;
      sample_.changed += std::exchange(counts.changed, 0);
    }
  }
  void publish_later(std::uint32_t local) {
    if (is_unpublished_[local]) return;
    is_unpublished_[local] = true;
    unpublished_.push_back(local);
  }

  /// Publishes if a batch is full. Returns true if a bucket below this one then has work.
  bool publish_finds_lower(std::size_t bucket) {
    if (units_ < batch_) return false;
    publish();
    take_arrivals();
    return list_.lowest() < bucket;
  }

  void take_arrivals() {
    if (context_.node.node_count() == 1) return;
    const std::span<const Handle> copies = arrivals_.take_unrequested(kernel_);
    if (copies.empty()) return;
    kernel_.offer(copies, list_.own(0), counts_[0]);
    gather_counts();
  }

  /// Publishes the improved values, each vertex once, and accounts for the computing time.
  void publish() {
    for (const std::uint32_t local : unpublished_) is_unpublished_[local] = false;
    kernel_.publish_values(unpublished_);
    unpublished_.clear();
    context_.charge(vertices_, units_ - vertices_, stores_);
    units_ = vertices_ = stores_ = 0;
    if (context_.node.node_count() > 1) context_.node.progress();
  }

  // While this part of all vertices is reached by a level, the next one pulls.
  static constexpr std::uint64_t kPulledVertices = 18;
  // Assumed time of a vertex until one has been measured.
  static constexpr Duration kVisit = std::chrono::nanoseconds(50);
  static constexpr std::size_t kEach =
      8;  // chunks per thread, so that no thread waits long for another
  // Smallest chunk for which starting the threads pays.
  static constexpr std::size_t kLeastChunk = 1024;

  const SweepContext& context_;
  ListKernel& kernel_;
  const LocalGraph& graph_;
  NodeRecord& record_;
  Pace& pace_;
  Arrivals arrivals_;
  ComputeThreads threads_;
  LoopLength length_;
  SharedWorklist list_;
  std::vector<OfferCounts> counts_;  // by thread
  std::vector<std::uint32_t> work_;
  std::vector<std::uint32_t>
      unpublished_;  // local vertices whose remote readers have an older value
  std::vector<bool> is_unpublished_;
  const std::uint64_t batch_;
  std::uint64_t arcs_left_;  // those of vertices that were not in a bucket yet
  std::size_t last_pulled_ = BucketQueue::none() - 1;  // bucket
  // While pulling: the local vertices of a bucket, and of the next one.
  VertexBits level_;
  VertexBits reached_;
  VertexBits in_bucket_;  // scratch
  IterationSample sample_;
  std::uint64_t units_ = 0;
  std::uint64_t vertices_ = 0;
  std::uint64_t stores_ = 0;
};

}  // namespace

void run_worklist(const SweepContext& context, ListKernel& kernel, Pace& pace, NodeRecord& record) {
  WorklistEngine(context, kernel, pace, record).run();
}

}  // namespace leeway
