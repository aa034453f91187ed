#include "leeway/benchmarks/replay/synthetic.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "leeway/base/check.h"
#include "leeway/base/format.h"
#include "leeway/benchmarks/replay/delayed_fetches.h"
#include "leeway/dsm/dsm.h"
#include "leeway/transport/sim.h"

namespace leeway::replay {

namespace {

/// Fetches between two moments at which the rest of the node, and the cluster, gets its turn.
constexpr std::uint32_t kFetchesPerStretch = 16;
constexpr std::size_t kStackBytes = 128 * 1024;

template <std::uint32_t kBytes>
struct Object {
  double value;
  std::byte bloat[kBytes - sizeof(double)];
};
template <>
struct Object<8> {
  double value;
};

/// When a node began and ended, for the elapsed time of the whole.
struct Span {
  Instant begin{};
  Instant end{};
};

/// One node's share of the program.
template <std::uint32_t kBytes>
class SyntheticNode {
 public:
  SyntheticNode(Node& node, Dsm<Object<kBytes>>& dsm, const Part& part, const SyntheticPlan& plan)
      : node_(node),
        dsm_(dsm),
        part_(part),
        plan_(plan),
        stalest_(part.remote_objects, kNeverUsed) {
    for (const ObjectId target : part.targets) {
      const Result<Handle> handle = dsm_.resolve(target);
      LEEWAY_CHECK(handle.has_value(), "object", target.value());
      handles_.push_back(*handle);
    }
  }

  Span run() {
    Span span;
    if (plan_.warm) dsm_.replicate(handles_);
    node_.barrier();
    span.begin = node_.transport().now();
    for (std::uint32_t i = 0; i < plan_.iterations; ++i) {
      iterate();
      if (plan_.barrier) node_.barrier();
    }
    node_.quiesce();
    span.end = node_.transport().now();
    return span;
  }

  void count_copies(std::vector<std::uint64_t>& by_staleness) const {
    for (const std::uint8_t age : stalest_) {
      if (age == kNeverUsed) continue;
      if (by_staleness.size() <= age) by_staleness.resize(age + std::size_t{1});
      ++by_staleness[age];
    }
  }

 private:
  static constexpr std::uint8_t kNeverUsed = 255;

  void iterate() {
    const std::uint32_t passes = plan_.spread_writes ? plan_.writes : 1;
    const std::uint32_t groups = plan_.writes / passes;  // a pass
    for (std::uint32_t pass = 0; pass < passes; ++pass) {
      for (std::uint32_t vertex = 0; vertex < part_.vertices(); ++vertex)
        work_on(vertex, pass * groups, (pass + 1) * groups);
    }
  }

  /// The vertex's neighbours fall into as many groups as it has writes; after each group it is stored.
  void work_on(std::uint32_t vertex, std::uint32_t first_group, std::uint32_t end_group) {
    Object<kBytes> object = dsm_.fetch(Handle(vertex));
    charge({.fetches = 1, .vertices = 1, .bytes = kBytes - 8});
    const std::uint64_t begin = part_.offsets[vertex];
    const std::uint64_t degree = part_.offsets[vertex + 1] - begin;
    double sum = 0;
    for (std::uint64_t group = first_group; group < end_group; ++group) {
      const std::uint64_t from = degree * group / plan_.writes;
      const std::uint64_t to = degree * (group + 1) / plan_.writes;
      for (std::uint64_t at = from; at < to; ++at) sum += fetch(handles_[begin + at], at + 1 == to);
      object.value = 0.15 + 0.85 * sum / static_cast<double>(std::max<std::uint64_t>(1, to));
      dsm_.store(Handle(vertex), object);
      charge({.stores = 1, .bytes = kBytes - 8});
    }
  }

  double fetch(Handle handle, bool last) {
    note_age(handle);
    const double value = dsm_.fetch(handle).value;
    if (++uncharged_ == kFetchesPerStretch || last) {
      const std::uint64_t fetches = std::exchange(uncharged_, 0);
      charge({.fetches = fetches, .edges = fetches, .bytes = fetches * (kBytes - 8)});
    }
    return value;
  }

  /// How old the value is that the fetch right after will use.
  void note_age(Handle handle) {
    if (handle.value() < dsm_.local_count()) return;
    const MetIndex met(handle.value() - dsm_.local_count());
    const std::uint8_t age = dsm_.space().age(met);
    const std::uint8_t used =
        age == Space::kUnusable ? std::uint8_t{0} : age;  // a miss brings a current one
    std::uint8_t& stalest = stalest_[met.index()];
    if (stalest == kNeverUsed || used > stalest) stalest = used;
  }

  void charge(const Work& work) { node_.transport().charge(work); }

  Node& node_;
  Dsm<Object<kBytes>>& dsm_;
  const Part& part_;
  const SyntheticPlan& plan_;
  std::vector<Handle> handles_;
  std::vector<std::uint8_t> stalest_;  // per slot
  std::uint32_t uncharged_ = 0;
};

/// What the nodes leave behind when they have run.
struct Collected {
  std::vector<Span> spans;
  std::vector<SpaceStats> spaces;
  std::vector<std::uint64_t> copies_by_staleness;
  std::optional<Error> error;
};

template <std::uint32_t kBytes>
void run_node(Node& node, const Part& part, const SyntheticPlan& plan, Collected& into) {
  SpaceOptions options;
  options.name = "vertices";
  options.local_objects = part.vertices();
  options.remote_objects = part.remote_objects;
  auto dsm = Dsm<Object<kBytes>>::open(node, options);
  if (!dsm) {
    into.error = dsm.error();
    return;
  }
  SyntheticNode<kBytes> worker(node, *dsm, part, plan);
  into.spans.push_back(worker.run());
  into.spaces.push_back(dsm->stats());
  worker.count_copies(into.copies_by_staleness);
}

using RunNode = void (*)(Node&, const Part&, const SyntheticPlan&, Collected&);

template <std::size_t... kAt>
RunNode runner_for(std::uint32_t bytes, std::index_sequence<kAt...>) {
  constexpr std::array<RunNode, sizeof...(kAt)> runners = {run_node<kObjectBytes[kAt]>...};
  const auto found = std::find(kObjectBytes.begin(), kObjectBytes.end(), bytes);
  LEEWAY_CHECK(found != kObjectBytes.end(), bytes);
  return runners[static_cast<std::size_t>(found - kObjectBytes.begin())];
}

SyntheticResult summarize(const Collected& collected, const SimReport& report,
                          const std::vector<std::unique_ptr<Node>>& nodes) {
  SyntheticResult result;
  Span whole = collected.spans.front();
  for (const Span& span : collected.spans) {
    whole.begin = std::min(whole.begin, span.begin);
    whole.end = std::max(whole.end, span.end);
  }
  result.seconds = seconds(whole.end - whole.begin);
  result.events = report.events;
  result.digest = report.digest;
  for (const auto& node : nodes) {
    const NodeStats stats = node->stats();
    result.messages += stats.messages_sent;
    result.bytes += stats.transport.bytes_sent;
    result.blocked_fetches += stats.blocked_fetches;
  }
  for (const SpaceStats& space : collected.spaces) {
    result.current_hits += space.accesses.current_hits;
    result.stale_hits += space.accesses.stale_hits;
    result.misses += space.accesses.stale_misses + space.accesses.cache_misses;
  }
  result.copies_by_staleness = collected.copies_by_staleness;
  return result;
}

}  // namespace

Result<SyntheticResult> run_synthetic(const LaidGraph& graph, const SyntheticPlan& plan) {
  NodeOptions options;
  LEEWAY_ASSIGN(options.policy, parse_policy(plan.mode));
  SimOptions sim;
  sim.nodes = static_cast<std::uint32_t>(graph.parts.size());
  sim.profile = plan.network;
  sim.cost = plan.cost;
  sim.seed = plan.seed;
  sim.stack_bytes = kStackBytes;
  SimCluster cluster(sim);
  std::vector<std::unique_ptr<DelayedFetches>> transports;
  std::vector<std::unique_ptr<Node>> nodes;
  for (std::uint32_t i = 0; i < sim.nodes; ++i) {
    Transport* transport = &cluster.node(NodeId(i));
    if (plan.fetch_delay > Duration::zero()) {
      transports.push_back(std::make_unique<DelayedFetches>(*transport, plan.fetch_delay));
      transport = transports.back().get();
    }
    nodes.push_back(std::make_unique<Node>(*transport, options));
  }
  const RunNode run =
      runner_for(plan.object_bytes, std::make_index_sequence<kObjectBytes.size()>());
  Collected collected;
  const SimReport report = cluster.run([&](NodeId id) {
    run(*nodes[id.index()], graph.parts[id.index()], plan, collected);
    nodes[id.index()]->close();
  });
  if (collected.error) return fail(*collected.error);
  if (report.outcome != SimOutcome::Finished) {
    return fail(
        input_error("virtual cluster",
                    format("{} did not finish within a virtual day: {}", plan.mode, report.detail),
                    "take a faster network, a smaller graph or fewer iterations"));
  }
  return summarize(collected, report, nodes);
}

}  // namespace leeway::replay
