// A vertex program's whole run: the graph divided and dealt out, every node set up and run to the end,
// the values brought back in the order of the graph's vertices. What `leeway run` and a user's own
// program call.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "leeway/base/clock.h"
#include "leeway/runtime/bsp_engine.h"
#include "leeway/runtime/cluster.h"
#include "leeway/runtime/contract_engine.h"
#include "leeway/runtime/gather.h"
#include "leeway/runtime/job_structure.h"
#include "leeway/runtime/pull_engine.h"
#include "leeway/runtime/push_engine.h"
#include "leeway/runtime/run_record.h"
#include "leeway/runtime/shared_partition.h"

namespace leeway {

[[nodiscard]] inline PartitionOptions equal_arcs() {
  PartitionOptions options;
  options.balance = BalanceBy::Arcs;
  return options;
}

struct RunOptions {
  ClusterOptions cluster;
  EngineOptions engine;
  /// Equal arcs, for they are what takes time. Its `parts` are the nodes, whatever it says.
  PartitionOptions partition = equal_arcs();
  /// Divides the graph instead, where many runs share one division; as many parts as nodes (checked).
  std::shared_ptr<const Partition> divided;
  bool trace = false;            ///< keep what every node did when
  Progress* progress = nullptr;  ///< told of node 0's iterations, if somebody watches
};

template <class P>
struct JobResult {
  std::vector<ResultOf<P>> values;  ///< by vertex
  RunRecord record;
};

/// What a program's worklist is ordered by, if it may have one.
template <class P>
[[nodiscard]] double bucket_width(const P& program) {
  if constexpr (requires { program.width(); }) {
    return program.width();
  } else {
    return 1;
  }
}

template <class P>
[[nodiscard]] bool works_by_list(const EngineOptions& options) {
  if constexpr (!SelectingProgram<P>) return false;
  if (options.scheduler == Scheduler::Bsp || options.iterations) return false;
  if (options.visit == Visit::All || options.threads > 1) return false;
  return options.order == WorkOrder::Auto || options.order == WorkOrder::Priority;
}

template <class P>
[[nodiscard]] bool contracts(const EngineOptions& options) {
  return ContractingProgram<P> && works_by_list<P>(options) && options.order == WorkOrder::Auto;
}

/// How a node's vertices lie in its memory. Where several nodes each cut out their part anyway, what is read
/// most is put together; a simulated memory has no caches that would like it.
[[nodiscard]] inline VertexOrder lying_order(const RunOptions& options) {
  if (options.engine.order == WorkOrder::Degree) return VertexOrder::Degree;
  const bool alone = options.cluster.nodes == 1 || options.cluster.fabric == Fabric::Sim;
  return alone || options.engine.order == WorkOrder::Owner ? VertexOrder::Graph : VertexOrder::Hubs;
}

/// One node of a job.
template <class P>
class JobNode {
  using Value = typename P::Value;

 public:
  JobNode(Node& node, const Shard& shard, const P& program, const RunOptions& options)
      : node_(node), shard_(shard), program_(program), options_(options) {
    record_.log.trace = options.trace;
    if (node.self() == NodeId(0)) record_.log.progress = options.progress;
    if constexpr (requires { program_.settle(shard.vertices()); })
      program_.settle(shard.vertices());
  }

  Status open() {
    SpaceOptions space;
    space.name = "vertices";
    space.local_objects = shard_.local_count();
    space.remote_objects = shard_.remote_count();
    space.note_changes = true;
    if (options_.engine.scheduler == Scheduler::Bsp)
      space.policy = superstep_policy(options_.cluster.policy);
    LEEWAY_ASSIGN(dsm_, Dsm<Value>::open(node_, space));
    for (std::uint32_t v = 0; v < shard_.local_count(); ++v) {
      dsm_->space().values().template store_as<Value>(v, program_.init(shard_.vertices()[v]));
    }
    std::vector<Handle> remote;
    for (const ObjectId id : shard_.remote()) {
      LEEWAY_ASSIGN(const Handle handle, dsm_->resolve(id));
      remote.push_back(handle);
    }
    node_.barrier();
    if (options_.engine.replicate || by_list()) dsm_->replicate(std::span<const Handle>(remote));
    dsm_->space().take_changed([](SlotIndex) {});
    node_.barrier();
    return {};
  }

  void run() {
    const SpaceStats space = dsm_->stats();
    const NodeStats node = node_.stats();
    NodeTimes times;
    if (record_.log.trace) node_.keep_times(&times);
    record_.log.begin = node_.transport().now();
    run_engine();
    record_.log.end = node_.transport().now();
    node_.keep_times(nullptr);
    // After the stretches of computing they lie in, so that they are drawn over them.
    for (const auto& [from, to] : times.blocked) record_.log.span(Activity::Blocked, from, to);
    for (const auto& [from, to] : times.served) record_.log.span(Activity::Refresh, from, to);
    record_.space = since(dsm_->stats(), space);
    record_.node = since(node_.stats(), node);
    record_.vertices = shard_.local_count();
    record_.arcs = shard_.input_count();
    record_.remote = shard_.remote_count();
    record_.bytes = shard_.bytes() + record_.space.bytes;
  }

  /// Into `values`, by vertex. Every node writes its own places.
  void collect(std::span<ResultOf<P>> values) {
    Sweeper<P> sweeper(ground());
    for (std::uint32_t v = 0; v < shard_.local_count(); ++v) {
      values[shard_.vertices()[v].index()] = result_of(program_, sweeper.at(v));
    }
  }

  [[nodiscard]] NodeRecord& record() { return record_; }

 private:
  [[nodiscard]] bool by_list() const { return works_by_list<P>(options_.engine); }
  [[nodiscard]] const SweepGround<P>& ground() {
    if (!ground_) ground_.emplace(SweepGround<P>{node_, shard_, *dsm_, program_, options_.engine});
    return *ground_;
  }

  void run_engine() {
    if (options_.engine.scheduler == Scheduler::Bsp) {
      BspEngine<P>(ground(), program_, record_.log).run();
      return;
    }
    if constexpr (ContractingProgram<P>) {
      if (contracts<P>(options_.engine)) return ContractEngine<P>(ground(), record_.log).run();
    }
    if constexpr (SelectingProgram<P>) {
      if (by_list()) return PushEngine<P>(ground(), bucket_width(program_), record_.log).run();
    }
    PullEngine<P>(ground(), record_.log).run();
  }

  Node& node_;
  const Shard& shard_;
  P program_;
  const RunOptions& options_;
  std::optional<Dsm<Value>> dsm_;
  std::optional<SweepGround<P>> ground_;
  NodeRecord record_;
};

/// From processes that cannot see each other's memory, to node 0.
template <class T>
Status gather_values(Node& node, const Layout& layout, std::vector<T>& values) {
  std::vector<T> mine;
  for (const VertexId v : layout.vertices(node.self())) mine.push_back(values[v.index()]);
  LEEWAY_ASSIGN(const auto all, gather_at_first<T>(node, "values", std::span<const T>(mine)));
  for (std::uint32_t from = 0; from < all.size(); ++from) {
    for (std::size_t i = 0; i < all[from].size(); ++i)
      values[layout.vertices(NodeId(from))[i].index()] = all[from][i];
  }
  return {};
}

/// For processes: divides the graph once for all of them, and makes each one's structure of that.
template <class MakeStructure>
Status divide_together(Node& node, const Graph& graph, const RunOptions& options, RunRecord& record,
                       MakeStructure&& make_structure) {
  const Instant started = node.transport().now();
  PartitionOptions how = options.partition;
  how.parts = node.node_count();
  LEEWAY_ASSIGN(const Partition divided, share_partition(node, graph, how));
  record.phases.partition = seconds(node.transport().now() - started);
  return make_structure(&divided);
}

/// Over a job of processes the result is whole at node 0 only.
template <class P>
Result<JobResult<P>> run_job(const Graph& graph, const P& program, const RunOptions& options) {
  const SteadyClock clock;
  Instant started = clock.now();
  JobResult<P> result;
  StructureNeeds needs{
      .reads = reads_of<P>(), .weights = wants_weights<P>(), .drop_loops = drops_loops<P>()};
  const bool by_list = works_by_list<P>(options.engine);
  needs.inputs = !by_list || contracts<P>(options.engine);
  needs.dependents = by_list || options.engine.visit != Visit::All;
  RunOptions how = options;
  how.engine.cost = options.cluster.cost;  // batches are measured by what the cluster charges
  std::optional<JobStructure> structure;
  const auto make_structure = [&](const Partition* divided) -> Status {
    LEEWAY_ASSIGN(structure, JobStructure::make(graph, needs, options.cluster.nodes,
                                                options.partition, lying_order(options), divided));
    result.record.phases.partition += structure->partition_seconds();
    return {};
  };
  const bool apart = options.cluster.job != nullptr && options.cluster.nodes > 1;
  if (!apart || options.divided) LEEWAY_TRY(make_structure(options.divided.get()));
  result.values.resize(graph.vertex_count());
  result.record.nodes.resize(options.cluster.nodes);
  result.record.simulated = options.cluster.fabric == Fabric::Sim;
  LEEWAY_ASSIGN(
      const ClusterOutcome outcome, run_cluster(options.cluster, [&](Node& node) -> Status {
        if (!structure) {
          LEEWAY_TRY(divide_together(node, graph, options, result.record, make_structure));
        }
        Result<Shard> shard = structure->shard(node.self());
        const auto failed = node.sum(std::vector<std::uint64_t>{shard ? 0u : 1u});
        if (!shard) return fail(std::move(shard).error());
        if (failed[0] > 0) return {};
        JobNode<P> mine(node, *shard, program, how);
        LEEWAY_TRY(mine.open());
        if (node.self() == NodeId(0))
          result.record.phases.setup =
              seconds(clock.now() - started) - result.record.phases.partition;
        mine.run();
        mine.collect(result.values);
        result.record.nodes[node.self().index()] = std::move(mine.record());
        if (options.cluster.job == nullptr) return {};
        LEEWAY_TRY(gather_records(node, result.record.nodes));
        return gather_values(node, structure->layout(), result.values);
      }));
  result.record.phases.compute = compute_seconds(result.record);
  result.record.digest = outcome.digest;
  result.record.peak_memory_bytes = peak_memory();
  return result;
}

}  // namespace leeway
