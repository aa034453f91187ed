#include "benchmarks/replay/synthetic.h"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <utility>

#include "base/check.h"
#include "base/format.h"
#include "benchmarks/replay/aspire.h"
#include "benchmarks/replay/laboratory.h"
#include "datasets/graph.h"
#include "dsm/dsm.h"
#include "protocol/message.h"
#include "transport/sim.h"

namespace leeway::replay {

/// Forwards frames that are not delayed.
class DelayedFetches::Sorter final : public FrameSink {
 public:
  Sorter(DelayedFetches& owner, FrameSink& sink) : owner_(owner), sink_(sink) {}

  void on_frame(NodeId from, std::span<const std::byte> frame) override {
    const bool answers =
        !frame.empty() && frame.front() == static_cast<std::byte>(MessageKind::Reply);
    if (!answers) return sink_.on_frame(from, frame);
    owner_.held_.push_back({owner_.now() + owner_.delay_, from, Frame(frame.begin(), frame.end())});
  }
  void on_peer_down(NodeId node) override { sink_.on_peer_down(node); }

 private:
  DelayedFetches& owner_;
  FrameSink& sink_;
};

std::size_t DelayedFetches::poll(FrameSink& sink, std::size_t most) {
  Sorter sorter(*this, sink);
  const bool none_held = held_.empty();
  std::size_t found = ForwardingTransport::poll(sorter, most);
  if (none_held && !held_.empty()) wake();  // waiting threads do not know this deadline
  while (found < most && !held_.empty() && held_.front().due <= now()) {
    const DelayedFrame held = std::move(held_.front());
    held_.pop_front();
    sink.on_frame(held.from, held.frame);
    ++found;
  }
  return found;
}

void DelayedFetches::wait(std::uint64_t seen, std::optional<Instant> deadline) {
  if (!held_.empty()) {
    const Instant due = held_.front().due;
    deadline = deadline ? std::min(*deadline, due) : due;
  }
  ForwardingTransport::wait(seen, deadline);
}

namespace {

std::uint32_t count_remote(const NodeObjects& part, NodeId self) {
  std::vector<ObjectId> remote;
  for (const ObjectId target : part.targets) {
    if (target.home() != self) remote.push_back(target);
  }
  std::sort(remote.begin(), remote.end());
  return static_cast<std::uint32_t>(std::unique(remote.begin(), remote.end()) - remote.begin());
}

}  // namespace

Result<LaidGraph> lay_out(const Graph& graph, std::string name, std::uint32_t nodes,
                          std::uint64_t seed) {
  PartitionOptions options;
  options.method = PartitionMethod::Metis;
  options.parts = nodes;
  options.seed = seed;
  LEEWAY_ASSIGN(const Partition partition, partition_graph(graph, options));
  LaidGraph laid;
  laid.name = std::move(name);
  laid.vertices = graph.vertex_count();
  laid.arcs = graph.arc_count();
  laid.parts.resize(nodes);
  for (NodeObjects& part : laid.parts) part.offsets.push_back(0);

  std::vector<std::uint32_t> population(nodes, 0);
  std::vector<ObjectId> object_of;
  for (const PartId owner : partition.owner.span()) {
    object_of.emplace_back(NodeId(owner.value()), LocalIndex(population[owner.index()]++));
  }
  for (std::uint32_t i = 0; i < graph.vertex_count(); ++i) {
    NodeObjects& part = laid.parts[object_of[i].home().index()];
    for (const VertexId neighbor : graph.neighbors(VertexId(i))) {
      part.targets.push_back(object_of[neighbor.index()]);
      if (part.targets.back().home() != object_of[i].home()) ++laid.cut_arcs;
    }
    part.offsets.push_back(part.targets.size());
  }
  for (std::uint32_t node = 0; node < nodes; ++node) {
    laid.parts[node].remote_objects = count_remote(laid.parts[node], NodeId(node));
  }
  return laid;
}

DefaultGraph default_graph() {
  const char* const folder = std::getenv("LEEWAY_DATA");
  if (folder == nullptr || *folder == '\0') return {"kron:15:12", true};
  return {std::string(folder) + "/soc-Slashdot0902.txt.zst", false};
}

namespace {

/// Number of fetches after which the node's other activities and the rest of the cluster get a turn.
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

/// Start and end of a node, for the total elapsed time.
struct Span {
  Instant begin{};
  Instant end{};
};

/// The program of one node.
template <std::uint32_t kBytes>
class SyntheticNode {
 public:
  SyntheticNode(Node& node, Dsm<Object<kBytes>>& dsm, const NodeObjects& part,
                const SyntheticParameters& parameters)
      : node_(node),
        dsm_(dsm),
        part_(part),
        parameters_(parameters),
        stalest_(part.remote_objects, kNeverUsed) {
    for (const ObjectId target : part.targets) {
      const Result<Handle> handle = dsm_.resolve(target);
      LEEWAY_CHECK(handle.has_value(), "object", target.value());
      handles_.push_back(*handle);
    }
  }

  Span run() {
    Span span;
    if (parameters_.warm) dsm_.replicate(handles_);
    node_.relaxed_barrier();
    span.begin = node_.transport().now();
    for (std::uint32_t i = 0; i < parameters_.iterations; ++i) {
      iterate();
      if (parameters_.barrier) node_.relaxed_barrier();
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
    const std::uint32_t passes = parameters_.spread_writes ? parameters_.writes : 1;
    const std::uint32_t groups = parameters_.writes / passes;  // per pass
    for (std::uint32_t pass = 0; pass < passes; ++pass) {
      for (std::uint32_t vertex = 0; vertex < part_.vertices(); ++vertex)
        work_on(vertex, pass * groups, (pass + 1) * groups);
    }
  }

  /// The vertex's neighbours are divided into one group per write; the vertex is stored after each group.
  void work_on(std::uint32_t vertex, std::uint32_t first_group, std::uint32_t end_group) {
    Object<kBytes> object = dsm_.fetch(Handle(vertex));
    charge({.fetches = 1, .vertices = 1, .bytes = kBytes - 8});
    const std::uint64_t begin = part_.offsets[vertex];
    const std::uint64_t degree = part_.offsets[vertex + 1] - begin;
    double sum = 0;
    for (std::uint64_t group = first_group; group < end_group; ++group) {
      const std::uint64_t from = degree * group / parameters_.writes;
      const std::uint64_t to = degree * (group + 1) / parameters_.writes;
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

  /// Records the staleness of the value that the next fetch will use.
  void note_age(Handle handle) {
    if (handle.value() < dsm_.local_count()) return;
    const MetIndex met(handle.value() - dsm_.local_count());
    const std::uint8_t age = dsm_.space().age(met);
    const std::uint8_t used =
        age == Space::kUnusable ? std::uint8_t{0} : age;  // a miss brings a current value
    std::uint8_t& stalest = stalest_[met.index()];
    if (stalest == kNeverUsed || used > stalest) stalest = used;
  }

  void charge(const Work& work) { node_.transport().charge(work); }

  Node& node_;
  Dsm<Object<kBytes>>& dsm_;
  const NodeObjects& part_;
  const SyntheticParameters& parameters_;
  std::vector<Handle> handles_;
  std::vector<std::uint8_t> stalest_;  // per slot
  std::uint32_t uncharged_ = 0;
};

/// Results of the nodes after their runs.
struct Collected {
  std::vector<Span> spans;
  std::vector<SpaceStats> spaces;
  std::vector<std::uint64_t> copies_by_staleness;
  std::optional<Error> error;
};

template <std::uint32_t kBytes>
void run_node(Node& node, const NodeObjects& part, const SyntheticParameters& parameters,
              Collected& into) {
  SpaceOptions options;
  options.name = "vertices";
  options.local_objects = part.vertices();
  options.remote_objects = part.remote_objects;
  auto dsm = Dsm<Object<kBytes>>::open(node, options);
  if (!dsm) {
    into.error = dsm.error();
    return;
  }
  SyntheticNode<kBytes> worker(node, *dsm, part, parameters);
  into.spans.push_back(worker.run());
  into.spaces.push_back(dsm->stats());
  worker.count_copies(into.copies_by_staleness);
}

using RunNode = void (*)(Node&, const NodeObjects&, const SyntheticParameters&, Collected&);

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

Result<SyntheticResult> run_synthetic(const LaidGraph& graph,
                                      const SyntheticParameters& parameters) {
  NodeOptions options;
  options.service = Service::Separate;  // as in the paper's prototype
  LEEWAY_ASSIGN(options.policy, parse_policy(parameters.mode));
  SimOptions sim;
  sim.nodes = static_cast<std::uint32_t>(graph.parts.size());
  sim.profile = parameters.network;
  sim.cost = parameters.cost;
  sim.seed = parameters.seed;
  sim.stack_bytes = kStackBytes;
  SimCluster cluster(sim);
  std::vector<std::unique_ptr<DelayedFetches>> transports;
  std::vector<std::unique_ptr<Node>> nodes;
  for (std::uint32_t i = 0; i < sim.nodes; ++i) {
    Transport* transport = &cluster.node(NodeId(i));
    if (parameters.fetch_delay > Duration::zero()) {
      transports.push_back(std::make_unique<DelayedFetches>(*transport, parameters.fetch_delay));
      transport = transports.back().get();
    }
    nodes.push_back(std::make_unique<Node>(*transport, options));
  }
  const RunNode run =
      runner_for(parameters.object_bytes, std::make_index_sequence<kObjectBytes.size()>());
  Collected collected;
  const SimReport report = cluster.run([&](NodeId id) {
    run(*nodes[id.index()], graph.parts[id.index()], parameters, collected);
    nodes[id.index()]->close();
  });
  if (collected.error) return fail(*collected.error);
  if (report.outcome != SimOutcome::Finished) {
    return fail(input_error(
        "virtual cluster",
        format("{} did not finish within a virtual day: {}", parameters.mode, report.detail),
        "take a faster network, a smaller graph or fewer iterations"));
  }
  return summarize(collected, report, nodes);
}

Result<SyntheticBench> SyntheticBench::on(const Graph& graph, const DefaultGraph& source,
                                          Laboratory& lab) {
  LEEWAY_ASSIGN(auto laid, lay_out(graph, source.source.substr(source.source.rfind('/') + 1),
                                   lab.nodes(16), lab.settings().seed));
  return SyntheticBench(std::move(laid), source.stand_in, lab);
}

SyntheticParameters SyntheticBench::parameters(std::string mode,
                                               std::uint32_t usual_iterations) const {
  SyntheticParameters parameters;
  parameters.mode = std::move(mode);
  parameters.warm = true;
  parameters.iterations = lab_->settings().iterations.value_or(usual_iterations);
  const bool other_graph = lab_->settings().graph.has_value();
  const AspireScale scale = scale_of(input_named("HiggsTwitter"), graph_.vertices, graph_.arcs);
  parameters.network = lab_->settings().network.value_or(
      aspire_network(other_graph ? 1 : scale.copies / scale.arcs));
  parameters.cost = CostModel::tardis();
  parameters.seed = lab_->settings().seed;
  return parameters;
}

namespace {

RunKey key_of(const SyntheticParameters& parameters) {
  const auto delay = std::chrono::duration_cast<std::chrono::microseconds>(parameters.fetch_delay);
  return {{"program", "synthetic"},
          {"mode", parameters.mode},
          {"writes", parameters.writes},
          {"spread_writes", parameters.spread_writes},
          {"object_bytes", parameters.object_bytes},
          {"iterations", parameters.iterations},
          {"fetch_delay_us", delay.count()}};
}

}  // namespace

Result<const SyntheticResult*> SyntheticBench::run(const SyntheticParameters& parameters) {
  return lab_->study().run<SyntheticResult>(key_of(parameters), [&] {
    lab_->announce(format("{}, {} writes, {} bytes", parameters.mode, parameters.writes,
                          parameters.object_bytes));
    return run_synthetic(graph_, parameters);
  });
}

Result<MultipleWrites> SyntheticBench::multiple_writes(bool spread) {
  MultipleWrites measured;
  const std::pair<const char*, std::vector<const SyntheticResult*>*> modes[] = {
      {"scp", &measured.scp}, {"scp+pb", &measured.scp_pb}, {"rcp", &measured.rcp}};
  for (const auto& [mode, results] : modes) {
    for (const std::uint32_t writes : kWrites) {
      SyntheticParameters each = parameters(mode);
      each.writes = writes;
      each.spread_writes = spread;
      LEEWAY_ASSIGN(results->emplace_back(), run(each));
    }
  }
  return measured;
}

Figure SyntheticBench::blank(const SyntheticParameters& parameters) const {
  lab_->study().begin_figure();
  Figure figure;
  figure.configuration = {
      {"graph", format("{}: {} vertices, {} arcs, {} of them cut", graph_.name,
                       format_count(graph_.vertices), format_count(graph_.arcs),
                       format_count(graph_.cut_arcs))},
      {"nodes", format("{} virtual, METIS partition", graph_.parts.size())},
      {"network", parameters.network.name},
      {"cost model", prices_of(parameters.cost)},
      {"iterations", std::to_string(parameters.iterations)},
  };
  figure.notes.push_back(
      "caches are filled before the clock starts, so that a short run represents a long one");
  if (stand_in_) {
    figure.notes.push_back(
        "LEEWAY_DATA is not set: a generated power-law graph replaces a social one");
  }
  return figure;
}

std::vector<RawCell> raw_cells(const SyntheticResult& result) {
  std::vector<RawCell> cells = {{"seconds", result.seconds},
                                {"events", result.events},
                                {"messages", result.messages},
                                {"bytes", result.bytes},
                                {"blocked_fetches", result.blocked_fetches},
                                {"current_hits", result.current_hits},
                                {"stale_hits", result.stale_hits},
                                {"misses", result.misses},
                                {"digest", format("x{:016x}", result.digest)}};
  for (std::size_t age = 0; age < result.copies_by_staleness.size(); ++age)
    cells.emplace_back(format("copies_at_most_{}_stale", age), result.copies_by_staleness[age]);
  return cells;
}

std::vector<double> seconds_of(std::span<const SyntheticResult* const> results) {
  std::vector<double> seconds;
  for (const SyntheticResult* const result : results) seconds.push_back(result->seconds);
  return seconds;
}

}  // namespace leeway::replay
