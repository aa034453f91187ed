#include "leeway/runtime/vertex_job.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>

#include "leeway/base/clock.h"
#include "leeway/runtime/cluster.h"
#include "leeway/runtime/gather.h"
#include "leeway/runtime/shared_partition.h"

namespace leeway {

namespace {

/// How a node's vertices lie in its memory. Where several nodes each cut out their part anyway, what is read
/// most is put together; a simulated memory has no caches that would like it, and pieces are neighbourhoods.
VertexOrder lying_order(const RunOptions& options) {
  if (options.engine.order == WorkOrder::Degree) return VertexOrder::Degree;
  const bool alone = options.cluster.nodes == 1 || options.cluster.fabric == Fabric::Sim;
  const bool as_it_is =
      options.engine.order == WorkOrder::Owner || options.engine.scheduler == Scheduler::AsyTick;
  return alone || as_it_is ? VertexOrder::Graph : VertexOrder::Hubs;
}

/// Whose values a node reads, ascending.
std::vector<NodeId> peers_of(const Shard& shard) {
  std::vector<NodeId> peers;
  for (const ObjectId id : shard.remote()) peers.push_back(id.home());
  std::sort(peers.begin(), peers.end());
  peers.erase(std::unique(peers.begin(), peers.end()), peers.end());
  return peers;
}

/// One run under way in this process.
class JobRun {
 public:
  JobRun(const Graph& graph, const VertexJob& job, const RunOptions& options,
         std::span<std::byte> results)
      : graph_(graph), job_(job), options_(options), results_(results) {
    options_.engine.cost =
        options.cluster.cost;  // batches are measured by what the cluster charges
  }

  Result<RunRecord> run() {
    started_ = clock_.now();
    const ClusterOptions& cluster = options_.cluster;
    LEEWAY_TRY(make_structure());
    record_.nodes.resize(cluster.nodes);
    record_.simulated = cluster.fabric == Fabric::Sim;
    LEEWAY_ASSIGN(const ClusterOutcome outcome,
                  run_cluster(cluster, [&](Node& node) { return run_node(node); }));
    record_.phases.compute = compute_seconds(record_);
    record_.digest = outcome.digest;
    record_.peak_memory_bytes = peak_memory();
    return std::move(record_);
  }

 private:
  Status make_structure() {
    std::shared_ptr<const Partition> divided = options_.divided;
    if (!divided && options_.cluster.job != nullptr) {
      PartitionOptions how = options_.partition;
      how.parts = options_.cluster.nodes;
      LEEWAY_ASSIGN(Partition made, divide_once(options_.cluster, graph_, how));
      divided = std::make_shared<const Partition>(std::move(made));
      record_.phases.partition = seconds(clock_.now() - started_);
    }
    LEEWAY_ASSIGN(structure_,
                  JobStructure::make(graph_, job_.needs, options_.cluster.nodes, options_.partition,
                                     lying_order(options_), divided.get()));
    record_.phases.partition += structure_->partition_seconds();
    return {};
  }

  Status run_node(Node& node) {
    Result<Shard> shard = structure_->shard(node.self());
    const auto failed = node.sum(std::vector<std::uint64_t>{shard ? 0u : 1u});
    if (!shard) return fail(std::move(shard).error());
    if (failed[0] > 0) return {};
    const auto mine = job_.make_node(node, *shard, options_);
    LEEWAY_TRY(mine->open());
    if (node.self() == NodeId(0))
      record_.phases.setup = seconds(clock_.now() - started_) - record_.phases.partition;
    mine->run();
    const std::vector<std::byte> results = mine->results();
    put(node.self(), results);
    record_.nodes[node.self().index()] = std::move(mine->record());
    if (options_.cluster.job == nullptr) return {};
    LEEWAY_TRY(gather_records(node, record_.nodes));
    LEEWAY_ASSIGN(const auto all, gather_bytes_at_first(node, "values", results));
    for (std::uint32_t from = 0; from < all.size(); ++from) put(NodeId(from), all[from]);
    return {};
  }

  void put(NodeId from, std::span<const std::byte> values) {
    const auto vertices = structure_->layout().vertices(from);
    const std::size_t size = job_.result_bytes;
    for (std::size_t i = 0; (i + 1) * size <= values.size(); ++i)
      std::memcpy(&results_[vertices[i].index() * size], &values[i * size], size);
  }

  const Graph& graph_;
  const VertexJob& job_;
  RunOptions options_;
  std::span<std::byte> results_;
  SteadyClock clock_;
  Instant started_;
  std::optional<JobStructure> structure_;
  RunRecord record_;
};

}  // namespace

PartitionOptions equal_arcs() {
  PartitionOptions options;
  options.balance = BalanceBy::Arcs;
  return options;
}

VertexNode::VertexNode(Node& node, const Shard& shard, const RunOptions& options)
    : node_(node), shard_(shard), options_(options) {
  record_.log.trace = options.trace;
  if (node.self() == NodeId(0)) record_.log.progress = options.progress;
}

Status VertexNode::open() {
  SpaceOptions space;
  space.name = "vertices";
  space.local_objects = shard_.local_count();
  space.remote_objects = shard_.remote_count();
  space.note_changes = true;
  if (options_.engine.scheduler == Scheduler::Bsp)
    space.policy = superstep_policy(options_.cluster.policy);
  LEEWAY_ASSIGN(space_, open_objects(space));
  std::vector<Handle> remote;
  for (const ObjectId id : shard_.remote()) {
    LEEWAY_ASSIGN(const Handle handle, space_->resolve(id));
    remote.push_back(handle);
  }
  if (options_.engine.scheduler == Scheduler::Aap && node_.node_count() > 1) {
    const std::vector<NodeId> peers = peers_of(shard_);
    LEEWAY_ASSIGN(news_, PeerNews::open(node_, peers, options_.cluster.job == nullptr));
  }
  node_.barrier();
  if (options_.engine.replicate || by_list()) {
    space_->prefetch(remote);
    space_->wait_for_reads();
  }
  space_->take_changed([](SlotIndex) {});
  node_.barrier();
  return {};
}

void VertexNode::run() {
  const SpaceStats space = space_->stats();
  const NodeStats node = node_.stats();
  NodeTimes times;
  if (record_.log.trace) node_.keep_times(&times);
  record_.log.begin = node_.transport().now();
  Pace pace(node_, options_.engine, news_ ? &*news_ : nullptr);
  run_engine(pace);
  record_.log.end = node_.transport().now();
  node_.keep_times(nullptr);
  // After the stretches of computing they lie in, so that they are drawn over them.
  for (const auto& [from, to] : times.blocked) record_.log.span(Activity::Blocked, from, to);
  for (const auto& [from, to] : times.served) record_.log.span(Activity::Refresh, from, to);
  record_.space = since(space_->stats(), space);
  record_.node = since(node_.stats(), node);
  record_.vertices = shard_.local_count();
  record_.arcs = shard_.input_count();
  record_.remote = shard_.remote_count();
  record_.bytes = shard_.bytes() + record_.space.bytes;
}

Result<RunRecord> run_vertex_job(const Graph& graph, const VertexJob& job,
                                 const RunOptions& options, std::span<std::byte> results) {
  return JobRun(graph, job, options, results).run();
}

}  // namespace leeway
