#include "leeway/cli/conditions.h"

#include <filesystem>

#include "leeway/base/check.h"
#include "leeway/cli/options.h"
#include "leeway/datasets/graph_spec.h"

namespace leeway::cli {

namespace {

const DecidedRun& run_of(const Situation& situation) {
  LEEWAY_CHECK(situation.run != nullptr);  // rows with these conditions name engines, too
  return *situation.run;
}

bool by_worklist(const Situation& situation) {
  const Options& options = situation.options;
  if (options.run.cache.any()) return false;  // a list needs word of every change
  const DecidedRun& run = run_of(situation);
  return run.program->info->selects &&
         works_by_list({.scheduler = run.scheduler.value_or(Scheduler::DoWork),
                        .visit = options.run.visit,
                        .order = options.run.order,
                        .iterations = options.iterations});
}

}  // namespace

bool graph_is_a_file(const Situation& situation) {
  return std::filesystem::exists(situation.graph) || !is_graph_spec(situation.graph);
}
bool graph_is_drawn(const Situation& situation) {
  return !graph_is_a_file(situation) && is_drawn_spec(situation.graph);
}
bool weights_are_drawn(const Situation& situation) {
  return situation.options.load.weights == Weights::Random;
}
bool edges_are_merged(const Situation& situation) {
  return situation.options.load.duplicates == Duplicates::Merge;
}

bool division_is_drawn(const Situation& situation) {
  const Options& options = situation.options;
  const bool several =
      situation.run == nullptr || situation.run->nodes > 1 || options.run.workers > 1;
  return situation.divides && several && deals_by_seed(situation);
}
bool division_balances(const Situation& situation) {
  switch (situation.options.partition.method) {
    case PartitionMethod::Auto:
    case PartitionMethod::Metis:
    case PartitionMethod::Block:
    case PartitionMethod::Ldg:
    case PartitionMethod::Fennel:
      return true;
    case PartitionMethod::Hash:
    case PartitionMethod::Random:
    case PartitionMethod::File:
      return false;
  }
  return false;
}
bool division_is_by_metis(const Situation& situation) {
  const PartitionMethod method = situation.options.partition.method;
  return method == PartitionMethod::Metis || method == PartitionMethod::Auto;
}

bool processes_have_values(const Situation& situation) {
  const std::optional<std::string>& out = situation.options.out;
  return run_of(situation).nodes > 1 && out && *out != "-";
}
bool reads_may_be_late(const Situation& situation) {
  return run_of(situation).scheduler != Scheduler::Bsp ||
         situation.options.run.policy.updates != Updates::Never;
}
bool visits_are_free(const Situation& situation) {
  const Options& options = situation.options;
  const DecidedRun& run = run_of(situation);
  if (options.run.visit == Visit::All) return true;
  if (options.run.cache.any()) return false;
  if (run.scheduler == Scheduler::Bsp && run.name() == "pagerank") return false;
  return !options.iterations || by_rounds(run.name(), options);
}
bool order_fits(const Situation& situation) {
  return situation.options.run.order != WorkOrder::Priority || by_worklist(situation);
}
bool caches_fill_late(const Situation& situation) { return !by_worklist(situation); }
bool cuts_edges(const Situation& situation) { return !situation.options.run.vertex_cut; }

bool takes_snapshots(const Situation& situation) {
  return !situation.options.run.snapshots.folder.empty();
}

bool network_is_said(const Situation& situation) { return situation.options.network.has_value(); }
bool open_end(const Situation& situation) { return !situation.options.iterations; }

bool films(const Situation& situation) { return !situation.options.run.simulation.frames.empty(); }
bool has_goals(const Situation& situation) { return situation.options.run.simulation.informed > 0; }
bool steps_ahead(const Situation& situation) {
  const TickSync sync = situation.options.run.simulation.sync;
  return sync == TickSync::Schedule || sync == TickSync::Combined;
}
bool has_replicas(const Situation& situation) {
  const TickSync sync = situation.options.run.simulation.sync;
  return sync == TickSync::Replicate || sync == TickSync::Combined;
}
bool splits_by_load(const Situation& situation) {
  return situation.options.run.simulation.quadtree;
}
bool deals_by_seed(const Situation& situation) {
  const PartitionMethod method = situation.options.partition.method;
  return method == PartitionMethod::Auto || method == PartitionMethod::Metis ||
         method == PartitionMethod::Hash || method == PartitionMethod::Random;
}
bool goes_by_priority(const Situation& situation) {
  return situation.options.run.simulation.by_priority;
}
bool rebalances(const Situation& situation) {
  return piece::has_balancer(situation.options.run.simulation.system);
}

}  // namespace leeway::cli
