#include "runtime/vertex/vertex_job.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <set>
#include <utility>

#include "base/archive.h"
#include "base/check.h"
#include "base/clock.h"
#include "base/format.h"
#include "base/log.h"
#include "base/parallel.h"
#include "datasets/graph_hash.h"
#include "leeway/cluster.h"
#include "leeway/options.h"
#include "runtime/cluster/checkpointer.h"
#include "runtime/cluster/group.h"
#include "runtime/cluster/recovery.h"
#include "runtime/cluster/run_outcome.h"
#include "runtime/cluster/saving.h"
#include "runtime/graph/division.h"
#include "runtime/graph/layout.h"
#include "runtime/graph/local_graph.h"
#include "runtime/vertex/engines.h"
#include "runtime/vertex/kernel.h"
#include "runtime/vertex/pace.h"
#include "runtime/vertex/read_ahead.h"
#include "snapshot/recorder.h"
#include "snapshot/source.h"
#include "transport/membership.h"

namespace leeway {

std::uint32_t least_cache(unsigned threads) {
  return std::max(kLeastCacheCapacity, thread_count(threads));
}

std::uint32_t cache_capacity(const EngineOptions& options, std::uint32_t remote) {
  if (!options.cache.any()) return 0;
  std::uint32_t most = options.cache.objects;
  if (most == 0) {
    const double share = std::ceil(options.cache.percent / 100 * remote);
    most = std::max(least_cache(options.threads), static_cast<std::uint32_t>(share));
  }
  return most >= remote ? 0 : most;
}

bool needs_news_of_evicted(const EngineOptions& options) {
  const bool in_step =
      options.scheduler == Scheduler::DoWork || options.scheduler == Scheduler::Bsp;
  return !in_step || options.visit != Visit::All;
}

Status check_eviction(const EngineOptions& options, bool by_list) {
  if (!options.cache.any() || options.cache.eviction != Eviction::Known) return {};
  if (reads_in_order(options, by_list)) return {};
  return fail(input_error("eviction", "this run does not read in an order that it knows before",
                          "give lru or clock; or visit all vertices in each iteration, without "
                          "asytick, and look ahead"));
}

Status check_cache(const EngineOptions& options) {
  if (!options.cache.any()) return {};
  const unsigned threads = thread_count(options.threads);
  const std::uint32_t least = least_cache(threads);
  if (options.cache.objects == 0 || options.cache.objects >= least) return {};
  return fail(input_error("cache",
                          format("{} copies are too few for {} thread{}", options.cache.objects,
                                 threads, threads == 1 ? "" : "s"),
                          format("give at least {}, or a share such as 10%", least)));
}

Schedule schedule_of(const EngineOptions& options) {
  Schedule schedule;
  schedule.model = options.scheduler;
  if (options.scheduler == Scheduler::Ssp) schedule.bound = options.staleness.value_or(kSspBound);
  if (options.scheduler == Scheduler::Aap) schedule.bound = options.staleness;
  schedule.gather_fraction = options.aap.gather_fraction;
  schedule.fixed_target = options.aap.least_target.has_value();
  schedule.least_target = options.aap.least_target.value_or(0);
  schedule.by_equation = options.aap.by_equation;
  schedule.counts_senders = options.aap.counts_senders;
  schedule.hsync_ratio = options.hsync_ratio;
  return schedule;
}

std::string_view visit_name(Visit visit) {
  switch (visit) {
    case Visit::All:
      return "all";
    case Visit::Active:
      return "active";
    case Visit::Auto:
      return "auto";
  }
  return "";
}

std::string_view order_name(WorkOrder order) {
  switch (order) {
    case WorkOrder::Owner:
      return "owner";
    case WorkOrder::Degree:
      return "degree";
    case WorkOrder::Priority:
      return "priority";
    case WorkOrder::Auto:
      return "auto";
  }
  return "";
}

namespace {

/// Compute time between two publications of stored values, in picoseconds by the prices of the simulation (about
/// half of that in real time). Sending a message costs about ten microseconds of processor time on a real network, so
/// a batch should fill one.
constexpr std::uint64_t kSimulatedBatch = 50'000'000;
constexpr std::uint64_t kBatch = 200'000'000;

/// Bound on the frames that a node keeps.
constexpr std::size_t kMostFrameBytes = std::size_t{1} << 30U;

/// The nodes whose values a node reads, ascending.
std::vector<NodeId> peers_of(const LocalGraph& graph) {
  std::vector<NodeId> peers;
  for (const ObjectId id : graph.copies()) peers.push_back(id.home());
  std::sort(peers.begin(), peers.end());
  peers.erase(std::unique(peers.begin(), peers.end()), peers.end());
  return peers;
}

/// One node of a job. Used only by the node's main thread.
class VertexNode {
 public:
  VertexNode(Node& node, const LocalGraph& graph, const VertexJob& job, const RunOptions& options);

  /// Reads its vertices' values from the snapshot to resume from, if there is one.
  Status load();
  /// Opens the shared space and fills it. Collective.
  Status open();
  /// Opens the snapshot folder, if snapshots are requested. False if another node has an error. Collective.
  Result<bool> prepare_snapshots();
  /// Runs from the first iteration to the agreed end. Collective.
  void run();
  /// The results of the local vertices, in their order.
  [[nodiscard]] std::vector<std::byte> results();

  [[nodiscard]] NodeRecord& record() { return record_; }
  /// Frames of the local vertices.
  [[nodiscard]] std::vector<ResultFrame>& frames() { return frames_; }

 private:
  [[nodiscard]] const EngineOptions& engine() const { return options_.vertex; }
  [[nodiscard]] bool runs_freely() const;
  void run_engine(Pace& pace);
  void run_stages();
  /// The stage of the present values: the first, unless they are from a snapshot. Collective.
  [[nodiscard]] std::uint32_t first_stage();
  /// After a stage: whether a further one follows, whose first values it then stores. Collective.
  [[nodiscard]] bool begin_next_stage();
  /// Fetches all copies that are not usable, unless the options leave fetching to reads (replicate).
  void fetch_copies();
  /// From now on no copy older than the stores before is used. Fetches copies, unless their number is bounded. Collective.
  void refresh_copies();
  /// Copies the values and results of the local vertices into a snapshot part.
  void lay_out(snapshot::Part& part, snapshot::PartHeader header);
  void keep_frame();

  Node& node_;
  const LocalGraph& graph_;
  const VertexJob& job_;
  const RunOptions& options_;
  std::unique_ptr<ProgramNode> program_;
  Space* space_ = nullptr;
  std::optional<PeerProgress> news_;
  std::unique_ptr<CheckpointVotes> snapshots_;  // null if no snapshots are requested
  std::vector<std::byte> loaded_;  // initial values of the local vertices; empty: the program's
  NodeRecord record_;
  std::vector<ResultFrame> frames_;
  bool frames_are_full_ = false;
};

VertexNode::VertexNode(Node& node, const LocalGraph& graph, const VertexJob& job,
                       const RunOptions& options)
    : node_(node),
      graph_(graph),
      job_(job),
      options_(options),
      program_(job.make_node(node, graph)) {
  record_.trace = options.trace;
  if (node.self() != NodeId(0)) return;
  record_.progress = options.progress;
  if (options.progress != nullptr)
    options.progress->start("computing", options.vertex.iterations.value_or(0), "iterations");
}

Status VertexNode::load() {
  if (!options_.resume) return {};
  std::vector<std::uint32_t> vertices;
  vertices.reserve(graph_.local_count());
  for (const VertexId vertex : graph_.vertices()) vertices.push_back(vertex.value());
  LEEWAY_ASSIGN(loaded_, options_.resume->states_of(vertices, job_.state_bytes));
  return {};
}

Result<bool> VertexNode::prepare_snapshots() {
  if (!options_.snapshots) return true;
  const auto plan = std::make_shared<snapshot::SnapshotOptions>(*options_.snapshots);
  plan->of.result_type = job_.result_type;
  Checkpointer::CheckpointOptions how{.plan = plan,
                                      .own_process = options_.cluster.job != nullptr,
                                      .background = options_.cluster.fabric != Fabric::Sim};
  bool refused = false;
  LEEWAY_ASSIGN(snapshots_, CheckpointVotes::open(
                                node_, std::move(how),
                                [this](snapshot::Part& part, const snapshot::PartHeader& header) {
                                  lay_out(part, header);
                                },
                                refused));
  return !refused;
}

/// Whether nodes begin rounds without waiting for each other.
bool VertexNode::runs_freely() const {
  const Scheduler scheduler = engine().scheduler;
  return node_.node_count() > 1 && scheduler != Scheduler::DoWork && scheduler != Scheduler::Bsp &&
         scheduler != Scheduler::Ssp;
}

Status VertexNode::open() {
  SpaceOptions space;
  space.name = "vertices";
  space.local_objects = graph_.local_count();
  space.remote_objects = graph_.copy_count();
  space.note_changes = true;
  space.cache_capacity = cache_capacity(options_.vertex, graph_.copy_count());
  space.eviction = eviction_of(options_.vertex, job_.by_list);
  space.read_positions = graph_.local_count();
  space.invalidate_evicted = space.cache_capacity > 0 && needs_news_of_evicted(options_.vertex);
  Policy policy = options_.cluster.policy;
  if (engine().scheduler == Scheduler::Bsp) policy = superstep_policy(policy);
  if (runs_freely()) policy = free_running_policy(policy);
  // An update reads all its inputs, and runs when one has changed, so a node reads every version that it is sent: in
  // lockstep each before the next is stored, by a worklist each arrival, and a paced home sends no more than are taken.
  // Under ssp several versions may arrive together after a delay, but no more than its bound.
  if (space.cache_capacity == 0) {
    policy.earned_by = 0;
    if (engine().scheduler == Scheduler::Ssp && policy.updates == Updates::Adaptive)
      policy.updates = Updates::Always;
  }
  std::optional<ScatteredHomes> homes;
  if (node_.node_count() == 1) policy.optimizations.collocation = true;
  if (!policy.optimizations.collocation) {
    std::vector<std::uint64_t> counts(node_.node_count(), 0);
    counts[node_.self().index()] = graph_.local_count();
    homes.emplace(node_.sum(counts));
    if (node_.failed()) return fail(*node_.failure());
    space.serves_only = true;
    space.local_objects = homes->count_at(node_.self());
    space.remote_objects = graph_.local_count() + graph_.copy_count();
  }
  space.policy = policy;
  LEEWAY_ASSIGN(space_, program_->open(space, loaded_));
  // The node's own vertices have the first handles, wherever their homes are.
  for (std::uint32_t v = 0; homes && v < graph_.local_count(); ++v) {
    LEEWAY_ASSIGN(const Handle own, space_->resolve((*homes)({node_.self(), LocalIndex(v)})));
    LEEWAY_CHECK(own == Handle(v));
  }
  if (homes) program_->store_first_values();
  loaded_ = {};
  for (std::uint32_t slot = 0; slot < graph_.copy_count(); ++slot) {
    const ObjectId id = graph_.copies()[slot];
    LEEWAY_ASSIGN(const Handle copy, space_->resolve(homes ? (*homes)(id) : id));
    LEEWAY_CHECK(copy == Handle(graph_.local_count() + slot));
  }
  if (space_->is_announced()) announce_first_reads(*space_, graph_);
  if (engine().scheduler == Scheduler::Aap && node_.node_count() > 1) {
    const std::vector<NodeId> peers = peers_of(graph_);
    LEEWAY_ASSIGN(news_, PeerProgress::open(node_, peers, options_.cluster.job == nullptr));
  }
  // First values at other nodes must have arrived before they are read.
  homes ? node_.barrier() : node_.relaxed_barrier();
  fetch_copies();
  space_->take_changed([](MetIndex) {});
  node_.relaxed_barrier();
  return {};
}

void VertexNode::run_engine(Pace& pace) {
  SweepContext context{node_, graph_, *space_, engine(), options_.cluster.cost, snapshots_.get()};
  context.measures = options_.residuals;
  if (engine().scheduler == Scheduler::Bsp)
    return run_supersteps(context, *program_->sweeps(context), record_);
  if (job_.joins) return run_joined_sets(context, *program_->sets(context), pace, record_);
  if (engine().scheduler == Scheduler::AsyTick)
    return run_pieces(context, *program_->sweeps(context), pace, record_);
  if (job_.by_list || program_->runs_by_list())
    return run_worklist(context, *program_->list(context), pace, record_);
  run_sweeps(context, *program_->sweeps(context), pace, record_);
}

void VertexNode::run_stages() {
  if (job_.staged) program_->enter_stage(first_stage());
  do {
    Pace pace(node_, engine(), news_ ? &*news_ : nullptr, snapshots_.get(), job_.always_rests);
    run_engine(pace);
  } while (job_.staged && begin_next_stage());
}

std::uint32_t VertexNode::first_stage() {
  const std::optional<std::uint32_t> mine = program_->stage_of_values();
  const auto sums = node_.sum(std::vector<std::uint64_t>{mine.value_or(0), mine ? 1U : 0U});
  return sums[1] == 0 ? 0 : static_cast<std::uint32_t>(sums[0] / sums[1]);
}

bool VertexNode::begin_next_stage() {
  const auto sums =
      node_.sum(std::vector<std::uint64_t>{program_->left_in_stage(), record_.converged ? 0U : 1U});
  if (node_.failed() || sums[1] > 0) return false;
  const std::optional<std::uint32_t> next = program_->next_stage(sums[0]);
  if (!next) return false;
  program_->enter_stage(*next);
  if (snapshots_) snapshots_->begin_stage();
  program_->begin_stage();
  if (node_.node_count() > 1) refresh_copies();
  return true;
}

void VertexNode::fetch_copies() {
  // A vertex that is not visited first reads nothing, so its node would not learn of changes.
  if (!options_.vertex.replicate && !job_.by_list && !program_->starts_with_some()) return;
  std::vector<Handle> remote;
  for (std::uint32_t slot = 0; slot < graph_.copy_count(); ++slot)
    remote.emplace_back(graph_.local_count() + slot);
  space_->prefetch(remote);
  space_->wait_for_reads(remote);
}

void VertexNode::refresh_copies() {
  node_.barrier();
  if (!space_->bounded()) fetch_copies();
  // The notes of changes stay: the readers of a copy that has changed must run.
  node_.relaxed_barrier();
}

void VertexNode::lay_out(snapshot::Part& part, snapshot::PartHeader header) {
  header.entries = graph_.local_count();
  header.state_bytes = static_cast<std::uint32_t>(job_.state_bytes);
  header.result_bytes = job_.own_result ? static_cast<std::uint32_t>(job_.result_bytes) : 0;
  part.shape(header);
  for (std::uint32_t v = 0; v < graph_.local_count(); ++v) {
    // mutant: a-value-is-saved-for-the-next-vertex
    part.vertices()[v] = graph_.vertices()[v].value();
  }
  program_->copy_states(part.states());
  NotFinite found;
  if (job_.own_result) program_->copy_results(part.results(), found);
}

std::vector<std::byte> VertexNode::results() {
  std::vector<std::byte> results(graph_.local_count() * job_.result_bytes);
  NotFinite found;
  program_->copy_results(results, found);
  record_.not_finite = found;
  return results;
}

void VertexNode::keep_frame() {
  const auto iteration = static_cast<std::uint32_t>(record_.iterations.size());
  if (!frames_.empty() && frames_.back().iteration == iteration) frames_.pop_back();
  if (frames_.size() * graph_.local_count() * sizeof(double) > kMostFrameBytes) {
    if (!std::exchange(frames_are_full_, true))
      log_warning("frames after iteration {} except the last are omitted: they exceed {}",
                  frames_.back().iteration, format_bytes(kMostFrameBytes));
    frames_.pop_back();
  }
  frames_.push_back({iteration, results()});
}

void VertexNode::run() {
  const SpaceStats space = space_->stats();
  const NodeStats node = node_.stats();
  NodeTimes times;
  if (record_.trace) node_.keep_times(&times);
  note_computing(options_.cluster.job);
  record_.begin = node_.transport().now();
  if (options_.frame_every > 0) {
    keep_frame();
    record_.on_ended = [this] {
      if (record_.iterations.size() % options_.frame_every == 0) keep_frame();
    };
  }
  if (snapshots_) snapshots_->begin();
  run_stages();
  record_.end = node_.transport().now();
  record_.on_ended = nullptr;
  if (options_.frame_every > 0) keep_frame();
  node_.keep_times(nullptr);
  // After the spans of computing that contain them, so that they are drawn on top.
  for (const auto& [from, to] : times.blocked) record_.span(Activity::Blocked, from, to);
  for (const auto& [from, to] : times.served) record_.span(Activity::Refresh, from, to);
  if (snapshots_) {
    snapshots_->close();
    record_.snapshots = snapshots_->counts();
  }
  const SpaceStats since_begun = since(space_->stats(), space);
  record_.count_memory(since_begun, since(node_.stats(), node));
  Counters& counters = record_.counters;
  counters[Counter::Vertices] = graph_.local_count();
  counters[Counter::Inputs] = graph_.input_count();
  counters[Counter::Remote] = graph_.copy_count();
  counters[Counter::HeldBytes] = graph_.bytes() + since_begun.bytes;
  counters[Counter::CacheCapacity] = space_->cache_capacity();
}

/// The run of a job's nodes in this process.
class VertexExecution {
 public:
  VertexExecution(const VertexJob& job, const RunOptions& options, const NodeMaking& making)
      : job_(job), options_(options), making_(making) {
    // The virtual cluster's results must not depend on the cores of this machine.
    unsigned& threads = options_.vertex.threads;
    if (threads == 0) threads = options.cluster.fabric == Fabric::Sim ? 1 : thread_count(0);
    options_.cluster.compute_threads = threads;
    // A batch is estimated by the prices that the cluster charges.
    if (options_.vertex.batch_ps == 0) {
      options_.vertex.batch_ps = options.cluster.fabric == Fabric::Sim ? kSimulatedBatch : kBatch;
    }
    if (options_.resume) {
      // mutant: supersteps-before-the-restart-are-forgotten
      options_.vertex.rounds_before =
          static_cast<std::uint32_t>(options_.resume->manifest().progress);
      record_.rounds_before = options_.vertex.rounds_before;
    }
  }

  Result<Record> run() {
    if (options_.vertex.threads > 1 && options_.cluster.fabric == Fabric::Sim) {
      return fail(input_error("vertex.threads", "a simulated node computes on one thread",
                              "give 1, or another cluster.fabric"));
    }
    LEEWAY_TRY(check_cache(options_.vertex));
    LEEWAY_TRY(check_eviction(options_.vertex, job_.by_list));
    LEEWAY_TRY(check_homes());
    LEEWAY_TRY(check_frames());
    const ClusterOptions& cluster = options_.cluster;
    frames_.resize(cluster.nodes);
    record_.phases.partition = making_.partition_seconds;
    record_.nodes.resize(cluster.nodes);
    record_.simulated = cluster.fabric == Fabric::Sim;
    LEEWAY_ASSIGN(const ClusterOutcome outcome,
                  run_cluster(cluster, [&](Node& node) { return run_node(node); }));
    if (cluster.job != nullptr)
      LEEWAY_TRY(with_group(cluster, [&](Group& group) { return gather(group); }));
    record_.phases.compute = compute_seconds(record_);
    LEEWAY_TRY(combine_frames());
    record_.digest = outcome.digest;
    record_.peak_memory_bytes = peak_memory();
    note_recoveries(cluster.job, record_);
    return std::move(record_);
  }

 private:
  /// A node that computes a vertex with a remote home must keep its copy of it.
  [[nodiscard]] Status check_homes() const {
    if (options_.cluster.policy.optimizations.collocation) return {};
    const bool snapshots = options_.snapshots != nullptr || options_.resume != nullptr;
    if (!options_.vertex.cache.any() && !snapshots) return {};
    return fail(input_error("collocation",
                            format("vertices whose home is not the computing node conflict with {}",
                                   snapshots ? "snapshots" : "a bounded cache"),
                            "omit one of the two"));
  }

  [[nodiscard]] Status check_frames() const {
    if (options_.frame_every == 0 || making_.put_into != nullptr) return {};
    return fail(input_error("frame_every", "a graph in parts keeps no frames",
                            "give the whole graph, or leave frame_every at 0"));
  }

  Status run_node(Node& node) {
    Result<LocalGraph> graph = making_.graph(node.self());
    std::optional<VertexNode> mine;
    Status made = graph ? Status{} : fail(std::move(graph).error());
    if (made) {
      mine.emplace(node, *graph, job_, options_);
      made = mine->load();
    }
    const auto failed = node.sum(std::vector<std::uint64_t>{made ? 0u : 1u});
    LEEWAY_TRY(std::move(made));
    if (failed[0] > 0) return {};
    LEEWAY_TRY(mine->open());
    LEEWAY_ASSIGN(const bool all_ready, mine->prepare_snapshots());
    if (!all_ready) return {};
    if (node.self() == NodeId(0))
      record_.phases.setup = seconds(clock_.now() - making_.started) - record_.phases.partition;
    mine->run();
    std::vector<std::byte> results = mine->results();
    LEEWAY_CHECK(making_.put(node.self(), results));
    if (making_.gathers && options_.cluster.job != nullptr && node.self() != NodeId(0))
      results_ = std::move(results);
    record_.nodes[node.self().index()] = std::move(mine->record());
    frames_[node.self().index()] = std::move(mine->frames());
    return {};
  }

  /// Gathers at node 0 what the processes have, whose memory is separate and whose clocks differ.
  Status gather(Group& group) {
    const std::size_t self = group.self().index();
    NodeRecord& mine = record_.nodes[self];
    start_at_zero(std::span(&mine, 1));
    const auto collect = [&](auto& by_node) {
      auto all = group.gather(by_node[self]);
      if (!all.empty()) by_node = std::move(all);
    };
    collect(record_.nodes);
    if (options_.frame_every > 0) collect(frames_);
    if (!making_.gathers) return {};
    const auto results = group.gather_bytes(results_);
    for (std::uint32_t from = 1; from < results.size(); ++from)
      group.require(making_.put(NodeId(from), results[from]), NodeId(from));
    return {};
  }

  /// Combines the frames of all nodes. A node that ended earlier keeps its last frame.
  Status combine_frames() {
    std::set<std::uint32_t> iterations;
    for (const auto& of_node : frames_) {
      for (const ResultFrame& frame : of_node) iterations.insert(frame.iteration);
    }
    std::vector<std::size_t> at(frames_.size(), 0);
    for (const std::uint32_t iteration : iterations) {
      ResultFrame& whole = record_.frames.emplace_back();
      whole.iteration = iteration;
      for (std::uint32_t from = 0; from < frames_.size(); ++from) {
        const auto& of_node = frames_[from];
        while (at[from] + 1 < of_node.size() && of_node[at[from] + 1].iteration <= iteration)
          ++at[from];
        if (!of_node.empty() &&
            !making_.put_into(NodeId(from), of_node[at[from]].results, whole.results))
          return fail(bad_frame(NodeId(0), NodeId(from)));
      }
    }
    return {};
  }

  const VertexJob& job_;
  RunOptions options_;
  const NodeMaking& making_;
  std::vector<std::vector<ResultFrame>> frames_;  // by node
  std::vector<std::byte> results_;                // what node 0 gathers from this process
  SteadyClock clock_;
  Record record_;
};

}  // namespace

VertexOrder vertex_order_of(const VertexJob& job, const RunOptions& options) {
  if (options.vertex.order == WorkOrder::Degree) return VertexOrder::Degree;
  const bool alone = options.cluster.nodes == 1 || options.cluster.fabric == Fabric::Sim;
  const bool graph_order =
      options.vertex.order == WorkOrder::Owner || options.vertex.scheduler == Scheduler::AsyTick;
  return alone || graph_order || job.by_list ? VertexOrder::Graph : VertexOrder::Hubs;
}

Result<Record> run_nodes(const VertexJob& job, const RunOptions& options,
                         const NodeMaking& making) {
  LEEWAY_ASSIGN(Record record, VertexExecution(job, options, making).run());
  const bool first = options.cluster.job == nullptr || options.cluster.job->self() == NodeId(0);
  if (const NotFinite found = record.not_finite(); first && found.count > 0) {
    log_warning(
        "{} value{} infinite or not a number, although the program begins with finite ones; the "
        "first is that of vertex {}; look for sums that grow without bound and for divisions by 0",
        format_count(found.count), found.count == 1 ? " is" : "s are",
        making.name_of ? making.name_of(found.first) : format("number {}", found.first));
  }
  return record;
}

namespace {

Result<Record> run_attempt(const Graph& graph, const VertexJob& job, RunOptions options,
                           std::span<std::byte> results) {
  if (is_unopened(options))
    LEEWAY_TRY(open_saving(options, "vertex", options.vertex.scheduler, graph, hash_of(graph)));
  const SteadyClock clock;
  const Instant started = clock.now();
  std::shared_ptr<const Partition> divided = options.divided;
  double dividing = 0;
  PartitionOptions how = options.partition;
  how.parts = options.cluster.nodes;
  if (!divided && options.cluster.job != nullptr) {
    LEEWAY_ASSIGN(Partition made, divide_once(options.cluster, graph, how));
    divided = std::make_shared<const Partition>(std::move(made));
    dividing = seconds(clock.now() - started);
  } else if (!divided) {
    how.method = method_for(options.cluster, graph, how);
  }
  LEEWAY_ASSIGN(const GraphCut cut, GraphCut::make(graph, job.needs, options.cluster.nodes, how,
                                                   vertex_order_of(job, options), divided.get()));
  const auto put_into = [&](NodeId from, std::span<const std::byte> values,
                            std::span<std::byte> into) {
    const auto vertices = cut.layout().vertices(from);
    const std::size_t size = job.result_bytes;
    // The values come from another process.
    if (values.size() != vertices.size() * size) return false;
    for (std::size_t i = 0; i < vertices.size(); ++i)
      std::memcpy(&into[vertices[i].index() * size], &values[i * size], size);
    return true;
  };
  const NodeMaking making{
      .graph = [&](NodeId node) { return cut.local(node); },
      .put = [&](NodeId from,
                 std::span<const std::byte> values) { return put_into(from, values, results); },
      .put_into =
          [&](NodeId from, std::span<const std::byte> values, std::vector<std::byte>& frame) {
            frame.resize(results.size());
            return put_into(from, values, frame);
          },
      .name_of = [&](VertexId vertex) { return format("'{}'", graph.names().name(vertex)); },
      .gathers = true,
      .started = started,
      .partition_seconds = dividing + cut.partition_seconds()};
  return run_nodes(job, options, making);
}

}  // namespace

Result<Record> run_vertex_job(const Graph& graph, const VertexJob& job, const RunOptions& given,
                              std::span<std::byte> results) {
  RunOptions options = given;
  LEEWAY_ASSIGN(options.cluster, settle_cluster(given.cluster));
  const std::string& folder = options.snapshots ? options.snapshots->folder : options.saving.folder;
  Record record;
  const RunOutcome outcome(options.cluster.job);
  const Status ran =
      run_recoverably({.job = options.cluster.job,
                       .folder = folder,
                       .attempt = [&](const RunAttempt& attempt) -> Status {
                         RunOptions mine = options;
                         LEEWAY_TRY(attempt.resume_in(mine));
                         LEEWAY_ASSIGN(record, run_attempt(graph, job, std::move(mine), results));
                         if (!outcome.is_stored()) return {};
                         std::vector<std::byte> gathered;
                         if (options.cluster.job->self() == NodeId(0))
                           gathered.assign(results.begin(), results.end());
                         return outcome.store_run(record, gathered);
                       },
                       .skip = [&]() -> Status {
                         std::vector<std::byte> gathered;
                         LEEWAY_TRY(outcome.load_run(record, gathered));
                         if (!gathered.empty() && gathered.size() != results.size())
                           return fail(outcome.unreadable());
                         std::copy(gathered.begin(), gathered.end(), results.begin());
                         return {};
                       }});
  if (!ran) return fail(ran.error());
  return record;
}

}  // namespace leeway
