// run_joined_sets, and the forest of joined vertices.
#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/disjoint_sets.h"
#include "dsm/node.h"
#include "leeway/options.h"
#include "runtime/cluster/compute_threads.h"
#include "runtime/cluster/record.h"
#include "runtime/graph/local_graph.h"
#include "runtime/vertex/arrivals.h"
#include "runtime/vertex/engines.h"
#include "runtime/vertex/join_forest.h"
#include "runtime/vertex/kernel.h"
#include "runtime/vertex/pace.h"

namespace leeway {

namespace {

struct AllThreads {
  static constexpr bool kShared = true;
  ComputeThreads& threads;
  template <class Body>
  void operator()(std::uint32_t count, const Body& body) const {
    each_range(count, threads, [&](unsigned, LocalRange range) { body(range.begin, range.end); });
  }
};

class JoinEngine final : public PacedEngine {
 public:
  JoinEngine(const SweepContext& context, JoinKernel& kernel, Pace& pace, NodeRecord& record)
      : context_(context),
        kernel_(kernel),
        graph_(context.graph),
        record_(record),
        pace_(pace),
        arrivals_(context.space),
        threads_(kernel.shares() ? context.options.threads : 1) {}

  void run() {
    run_paced(*this, context_.node, pace_, record_);
    settle(false);
  }

  IterationSample run_round() override {
    if (!forest_) begin();
    take_arrivals();
    publish();
    return std::exchange(sample_, {});
  }
  [[nodiscard]] bool has_work() override { return !forest_; }
  [[nodiscard]] bool has_arrivals() override { return arrivals_.any(); }
  /// Vertices that other nodes read already have their set's best value.
  void settle_values() override { settle(true); }

 private:
  /// Finds every set's best value, and which of its vertices other nodes read.
  void begin() {
    forest_.emplace(graph_, threads_);
    kernel_.begin(forest_->sets());
    each_local([&](LocalRange range) { kernel_.read_values(range); });
    kernel_.read_copies();
    each_local([&](LocalRange range) { kernel_.improve_by_values(range); });
    kernel_.improve_by_copies();
    const std::vector<std::uint32_t> vertices = read_remotely();
    if (context_.node.node_count() > 1) list_boundary(vertices);
    sample_.changed += kernel_.store_better(vertices);
    sample_.visited = graph_.local_count();
    context_.node.transport().charge({.fetches = graph_.input_count() / 4,
                                      .edges = graph_.input_count() / 4,
                                      .vertices = graph_.local_count()});
  }
  [[nodiscard]] std::vector<std::uint32_t> read_remotely() const {
    std::vector<std::uint32_t> vertices;
    for (std::uint32_t v = 0; v < graph_.local_count(); ++v) {
      if (graph_.read_remotely(v)) vertices.push_back(v);
    }
    return vertices;
  }

  void list_boundary(std::span<const std::uint32_t> vertices) {
    first_.assign(forest_->size() + std::size_t{1}, 0);
    for (const std::uint32_t v : vertices) ++first_[forest_->of(v) + std::size_t{1}];
    std::partial_sum(first_.begin(), first_.end(), first_.begin());
    boundary_.resize(first_.back());
    std::vector<std::uint32_t> next(first_.begin(), first_.end() - 1);
    for (const std::uint32_t v : vertices) boundary_[next[forest_->of(v)]++] = v;
  }

  void take_arrivals() {
    if (context_.node.node_count() == 1) return;
    const std::span<const Handle> copies = arrivals_.take_unrequested(kernel_);
    std::vector<std::uint32_t> improved;
    kernel_.improve(copies, improved);
    std::uint64_t stored = 0;
    for (const std::uint32_t set : improved) {
      const std::uint32_t first = first_[set];
      stored += kernel_.store_better(
          std::span(boundary_).subspan(first, first_[set + std::size_t{1}] - first));
    }
    sample_.changed += stored;
    sample_.visited += improved.size();
    context_.node.transport().charge(
        {.fetches = copies.size(), .stores = stored, .vertices = copies.size()});
  }

  /// A run that was stopped before its first round has no sets, and its vertices keep their initial values.
  void settle(bool unread) {
    if (!forest_) return;
    each_local([&](LocalRange range) { kernel_.settle(range, unread); });
  }

  template <class Body>
  void each_local(const Body& body) {
    each_range(graph_.local_count(), threads_, [&](unsigned, LocalRange range) { body(range); });
  }

  void publish() {
    kernel_.publish();
    if (context_.node.node_count() > 1) context_.node.progress();
  }

  const SweepContext& context_;
  JoinKernel& kernel_;
  const LocalGraph& graph_;
  NodeRecord& record_;
  Pace& pace_;
  Arrivals arrivals_;
  ComputeThreads threads_;
  std::optional<JoinForest> forest_;
  std::vector<std::uint32_t> first_;     // index into boundary_, by set
  std::vector<std::uint32_t> boundary_;  // vertices that other nodes read, ordered by set
  IterationSample sample_;
};

}  // namespace

JoinForest::JoinForest(const LocalGraph& graph, ComputeThreads& threads) {
  DisjointSets sets(graph.local_count() + graph.copy_count());
  const Copies copies{graph.local_count(), graph.copy_count()};
  const NeighbourLists<std::uint32_t> lists{.count = graph.local_count(),
                                            .offsets = graph.input_offsets(),
                                            .targets = graph.inputs(),
                                            .own = graph.local_inputs()};
  if (threads.count() == 1) {
    join_sampled(sets, lists, copies);
    sets.flatten();
  } else {
    const AllThreads loop{threads};
    join_sampled(sets, lists, copies, loop);
    sets.flatten(loop);
  }
  root_ = sets.take();
}

void run_joined_sets(const SweepContext& context, JoinKernel& kernel, Pace& pace,
                     NodeRecord& record) {
  JoinEngine(context, kernel, pace, record).run();
}

}  // namespace leeway
