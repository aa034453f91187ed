// run_supersteps: BSP.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "dsm/node.h"
#include "leeway/options.h"
#include "runtime/cluster/checkpointer.h"
#include "runtime/cluster/compute_threads.h"
#include "runtime/cluster/record.h"
#include "runtime/graph/local_graph.h"
#include "runtime/vertex/arrivals.h"
#include "runtime/vertex/engines.h"
#include "runtime/vertex/kernel.h"

namespace leeway {

namespace {

class BspEngine {
 public:
  BspEngine(SweepContext& context, SweepKernel& kernel, NodeRecord& record)
      : context_(context),
        kernel_(kernel),
        traits_(kernel.traits()),
        record_(record),
        options_(context.options),
        rest_(context.options.iterations ? std::nullopt : traits_.resting_move),
        measures_(context.measures || rest_),
        stall_(options_.patience),
        arrivals_(context.space),
        threads_(options_.threads),
        active_(context.graph.local_count(), threads_.count()),
        changed_(context.graph.local_count(), threads_.count()) {
    context_.gathers = traits_.gathers;
    if (traits_.starts_with_some && options_.visit != Visit::All) {
      visits_all_ = false;
      kernel_.add_starting(active_);
    }
    kernel_.begin_supersteps();
    for (std::uint32_t slot = 0; slot < context.graph.copy_count(); ++slot)
      remote_.emplace_back(context.graph.local_count() + slot);
  }

  void run() {
    communicate();
    if (traits_.gathers) gathered_ = kernel_.sum_gathered();
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
    if (context_.space.bounded()) context_.look_ahead = context_.bounded_look_ahead(visits_all_);
    const Visits visits = visits_all_ ? Visits::All : Visits::Active;
    const Swept swept = for_ranges(context_.graph, threads_, [&](LocalRange range) {
      return kernel_.compute(range, visits, active_, changed_);
    });
    gathered_ = (visits_all_ ? 0 : gathered_) + swept.gathered;
    return {.visited = swept.visited, .changed = swept.changed, .residual = swept.residual};
  }

  [[nodiscard]] bool every_vertex() const {
    return options_.visit == Visit::All || sum_moves_all_ || !context_.graph.has_readers();
  }

  [[nodiscard]] bool out_of_patience() const {
    return !traits_.always_rests && stall_.rounds() >= options_.patience;
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
    if (traits_.gathers) sum_moves_all_ = kernel_.give_sum(sums[1]);
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

  void store() { kernel_.store(changed_, visits_all_ ? nullptr : &active_); }

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
    if (!context_.space.bounded()) {
      context_.space.prefetch(remote_);
      context_.space.wait_for_reads(remote_);
    }
    if (visits_all_) return arrivals_.pass();
    for (const Handle copy : arrivals_.take(kernel_)) active_.add(kernel_.concerned(copy.value()));
    kernel_.publish();
  }

  SweepContext& context_;
  SweepKernel& kernel_;
  const ProgramTraits traits_;
  NodeRecord& record_;
  const EngineOptions& options_;
  static constexpr std::uint64_t kMoveParts = 16;

  const std::optional<double> rest_;  // the program's resting_move
  const bool measures_;               // measure residuals in every superstep
  StallCounter stall_;                // equal on all nodes
  Arrivals arrivals_;
  ComputeThreads threads_;
  ActiveSet active_;
  ActiveSet changed_;  // in the present superstep
  std::vector<Handle> remote_;
  std::uint64_t supersteps_ = 0;
  std::uint64_t gathered_ = 0;  // over this node's values, or those that the superstep will store
  bool sum_moves_all_ = false;  // every vertex must be updated again because of the program's sum
  bool at_rest_ = false;
  bool visits_all_ = true;  // in the current superstep; after its store: in the next one
  bool stop_ = false;       // a node was asked to stop, so all stop
};

}  // namespace

void run_supersteps(SweepContext& context, SweepKernel& kernel, NodeRecord& record) {
  BspEngine(context, kernel, record).run();
}

}  // namespace leeway
