// run_sweeps: updates in place.
#include <atomic>
#include <cstdint>
#include <optional>

#include "dsm/node.h"
#include "leeway/options.h"
#include "runtime/cluster/compute_threads.h"
#include "runtime/cluster/record.h"
#include "runtime/graph/local_graph.h"
#include "runtime/vertex/arrivals.h"
#include "runtime/vertex/engines.h"
#include "runtime/vertex/gathered_sum.h"
#include "runtime/vertex/kernel.h"
#include "runtime/vertex/pace.h"

namespace leeway {

namespace {

class PullEngine final : public PacedEngine {
 public:
  PullEngine(SweepContext& context, SweepKernel& kernel, Pace& pace, NodeRecord& record)
      : context_(context),
        kernel_(kernel),
        record_(record),
        options_(context.options),
        pace_(pace),
        rest_(context.options.iterations ? std::nullopt : kernel.traits().resting_move),
        measures_(context.measures || rest_),
        arrivals_(context.space),
        threads_(options_.threads),
        active_(context.graph.local_count(), threads_.count()),
        visits_(starts_with_some() || options_.visit == Visit::Active ? Visits::Active
                                                                      : Visits::All),
        sum_(context_, kernel, pace, visits_ == Visits::All) {
    context_.stores_unchanged = options_.store_unchanged;
    if (starts_with_some()) {
      kernel.add_starting(active_);
    } else if (visits_ == Visits::Active) {
      active_.add_all();
    }
  }

  void run() {
    sum_.begin();
    run_paced(*this, context_.node, pace_, record_);
  }

  IterationSample run_round() override {
    take_sum();
    IterationSample sample;
    if (stays_at_rest(sample)) return sample;
    sample = sweep_once();
    swept_changes_ = sample.changed > 0;
    sample.at_rest = resting_ = rest_ && sample.residual && sample.residual->sum <= most_at_rest();
    return sample;
  }
  [[nodiscard]] bool has_work() override {
    take_sum();
    if (resting_) return false;
    return visits_ == Visits::Active ? !active_.empty() : swept_changes_;
  }
  [[nodiscard]] bool has_arrivals() override { return arrivals_.any(); }

 private:
  void take_sum() {
    if (!sum_.take()) return;
    swept_changes_ = true;
    resting_ = false;
  }

  [[nodiscard]] bool starts_with_some() const {
    return kernel_.traits().starts_with_some && options_.visit != Visit::All;
  }
  /// The sum of this node's moves at which it is at rest.
  [[nodiscard]] double most_at_rest() const { return *rest_ * context_.graph.local_count(); }
  /// A node at rest only looks how much its values would move with what has arrived: as long as nodes store values, they
  /// cannot agree on the end.
  [[nodiscard]] bool stays_at_rest(IterationSample& sample) {
    if (!resting_) return false;
    sample.at_rest = true;
    if (!arrivals_.any() || only_stale_arrived()) return true;
    if (visits_ == Visits::AllAndMark) visits_ = Visits::Active;
    take_arrivals();
    context_.measures = true;
    const Swept swept = for_ranges(context_.graph, threads_, [&](LocalRange range) {
      return kernel_.look(range, visits_, active_);
    });
    sample.visited = swept.visited;
    resting_ = swept.residual->sum <= most_at_rest();
    return resting_;
  }
  /// True if a node without work was woken only by stale copies: then a sweep would change nothing.
  [[nodiscard]] bool woken_by_stale() {
    if (visits_ != Visits::All || swept_changes_ || pace_.rounds_in_step() || options_.iterations)
      return false;
    return only_stale_arrived();
  }
  [[nodiscard]] bool only_stale_arrived() {
    const bool only_stale = arrivals_.only_stale(kernel_);
    kernel_.publish();
    return only_stale;
  }

  IterationSample sweep_once() {
    if (woken_by_stale()) return {};
    prepare_visits();
    context_.measures = measures_ || pace_.needs_residual();
    context_.look_ahead = ahead();
    const std::uint64_t before = visits_ == Visits::All ? 0 : sum_.mine();
    const Swept swept = for_ranges(context_.graph, threads_, [&](LocalRange range) {
      return kernel_.run(range, visits_, active_);
    });
    sum_.ran(before + swept.gathered, swept.changed);
    return {.visited = swept.visited, .changed = swept.changed, .residual = swept.residual};
  }

  [[nodiscard]] std::uint32_t ahead() const {
    const Space& space = context_.space;
    const bool misses = pace_.iterations() == 0 || space.bounded() ||
                        space.policy().threshold < Space::kMostAge / 4;
    if (context_.node.node_count() == 1 || !misses) return 0;
    return space.bounded() ? context_.bounded_look_ahead(visits_ != Visits::Active)
                           : options_.lookahead;
  }

  /// Decides which vertices this sweep visits, and processes arrivals.
  void prepare_visits() {
    if (visits_ == Visits::AllAndMark) visits_ = Visits::Active;
    take_arrivals();
    if (visits_ == Visits::Active || !sum_.is_settled()) return;
    const bool few = !record_.iterations.empty() &&
                     are_few(record_.iterations.back().changed, context_.graph.local_count());
    if (options_.visit == Visit::Auto && few) visits_ = Visits::AllAndMark;
  }
  void take_arrivals() {
    if (visits_ == Visits::All) return arrivals_.pass();
    for (const Handle copy : arrivals_.take(kernel_)) active_.add(kernel_.concerned(copy.value()));
    kernel_.publish();
  }

  SweepContext& context_;
  SweepKernel& kernel_;
  NodeRecord& record_;
  const EngineOptions& options_;
  Pace& pace_;
  const std::optional<double> rest_;  // the program's resting_move
  const bool measures_;               // measure residuals in every sweep
  Arrivals arrivals_;
  ComputeThreads threads_;
  ActiveSet active_;
  Visits visits_;
  GatheredSum sum_;
  bool swept_changes_ = true;
  bool resting_ = false;  // moves so little that its values count as unchanged
};

}  // namespace

void each_range(std::uint32_t count, ComputeThreads& threads,
                const std::function<void(unsigned thread, LocalRange)>& body) {
  if (threads.count() == 1) return body(0, {0, count});
  threads.for_chunks(
      count, threads.grain(count), [&](unsigned thread, std::size_t begin, std::size_t end) {
        body(thread, {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)});
      });
}

Swept for_ranges(const LocalGraph& graph, ComputeThreads& threads,
                 const std::function<Swept(LocalRange)>& body) {
  std::atomic<std::uint64_t> visited{0};
  std::atomic<std::uint64_t> changed{0};
  std::atomic<std::uint64_t> gathered{0};
  SharedResidual residual;
  each_range(graph.local_count(), threads, [&](unsigned, LocalRange range) {
    const Swept swept = body(range);
    visited.fetch_add(swept.visited, std::memory_order_relaxed);
    changed.fetch_add(swept.changed, std::memory_order_relaxed);
    gathered.fetch_add(swept.gathered, std::memory_order_relaxed);
    residual.add(swept.residual);
  });
  return {
      .visited = visited, .changed = changed, .gathered = gathered, .residual = residual.whole()};
}

void run_sweeps(SweepContext& context, SweepKernel& kernel, Pace& pace, NodeRecord& record) {
  PullEngine(context, kernel, pace, record).run();
}

}  // namespace leeway
