#include "leeway/cli/conditions.h"

#include <filesystem>

#include "leeway/base/check.h"
#include "leeway/cli/options.h"
#include "leeway/datasets/graph_spec.h"

namespace leeway::cli {

namespace {

bool graph_is_a_file(std::string_view graph) {
  return std::filesystem::exists(graph) || !is_graph_spec(graph);
}

bool deals_by_seed(const Options& options) {
  const PartitionMethod method = options.partition.method;
  return method == PartitionMethod::Auto || method == PartitionMethod::Metis ||
         method == PartitionMethod::Hash || method == PartitionMethod::Random;
}

const DecidedRun& run_of(const Situation& situation) {
  LEEWAY_CHECK(situation.run != nullptr);  // rows with these conditions name engines, too
  return *situation.run;
}

bool by_worklist(const Situation& situation) {
  const Options& options = situation.options;
  const DecidedRun& run = run_of(situation);
  EngineOptions engine = options.run.vertex;
  engine.scheduler = run.scheduler.value_or(Scheduler::DoWork);
  engine.iterations = options.iterations;
  return run.program->info->selects && works_by_list(engine);
}

bool visits_are_free(const Situation& situation) {
  const Options& options = situation.options;
  const DecidedRun& run = run_of(situation);
  if (options.run.vertex.visit == Visit::All) return true;
  if (run.scheduler == Scheduler::Bsp && run.name() == "pagerank") return false;
  return !options.iterations || by_rounds(run.name(), options);
}

bool division_is_drawn(const Situation& situation) {
  const bool several = situation.run == nullptr || situation.run->nodes > 1 ||
                       situation.options.run.fragments.workers > 1;
  return situation.divides && several && deals_by_seed(situation.options);
}

bool division_balances(const Situation& situation) {
  const PartitionMethod method = situation.options.partition.method;
  return method != PartitionMethod::Hash && method != PartitionMethod::Random &&
         method != PartitionMethod::File;
}

bool syncs_by(const Situation& situation, tick::Sync sync) {
  return situation.options.run.tick.sync == sync ||
         situation.options.run.tick.sync == tick::Sync::Combined;
}

using At = const Situation&;

}  // namespace

constinit const Condition kFile{[](At at) { return graph_is_a_file(at.graph); },
                                "a graph in a file"};
constinit const Condition kDrawnGraph{
    [](At at) { return !graph_is_a_file(at.graph) && is_drawn_spec(at.graph); },
    "a graph drawn at random, such as kron:14"};
constinit const Condition kDrawnWeights{
    [](At at) { return at.options.load.weights == Weights::Random; }, "--weights random"};
constinit const Condition kMerged{
    [](At at) { return at.options.load.duplicates == Duplicates::Merge; }, "--duplicates merge"};

constinit const Condition kDrawnDivision{division_is_drawn,
                                         "several nodes and --partition metis, hash or random"};
constinit const Condition kBalanced{division_balances, "--partition metis, block, ldg or fennel"};
constinit const Condition kByMetis{[](At at) {
                                     const PartitionMethod method = at.options.partition.method;
                                     return method == PartitionMethod::Metis ||
                                            method == PartitionMethod::Auto;
                                   },
                                   "--partition metis"};
constinit const Condition kDealtBySeed{[](At at) { return deals_by_seed(at.options); },
                                       "--partition metis, hash or random"};

constinit const Condition kValuesOfMany{[](At at) {
                                          const std::optional<std::string>& out = at.options.out;
                                          return run_of(at).nodes > 1 && out && *out != "-";
                                        },
                                        "several processes and --out FILE"};
constinit const Condition kLateReads{
    [](At at) {
      return run_of(at).scheduler != Scheduler::Bsp ||
             at.options.run.policy.updates != Updates::Never;
    },
    "a scheduler other than bsp, or a mode that pushes: scp+pb or rcp+push"};
constinit const Condition kBoundedCache{[](At at) { return at.options.run.vertex.cache.any(); },
                                        "--cache"};
constinit const Condition kOwnHomes{[](At at) {
                                      const RunChoices& run = at.options.run;
                                      const bool kept = run.vertex.cache.any() ||
                                                        !run.snapshots.folder.empty() ||
                                                        !run.snapshots.resume.empty();
                                      return run.optimizations.collocation || !kept;
                                    },
                                    "no --cache, --snapshot and --resume"};
constinit const Condition kFreeVisits{
    visits_are_free, "no --iterations and, for pagerank, a scheduler other than bsp"};
constinit const Condition kFittingOrder{
    [](At at) { return at.options.run.vertex.order != WorkOrder::Priority || by_worklist(at); },
    "an order other than priority, which bfs, cc and sssp have, without bsp, "
    "--iterations and --visit all"};
constinit const Condition kLateCaches{[](At at) { return !by_worklist(at); },
                                      "no worklist (which bfs, cc and sssp have without bsp, "
                                      "--iterations, --visit all and --order owner or degree)"};
constinit const Condition kEdgeCut{
    [](At at) { return at.options.run.fragments.cut == pie::Cut::Edge; }, "--cut edge"};
constinit const Condition kSnapshots{[](At at) { return !at.options.run.snapshots.folder.empty(); },
                                     "--snapshot"};
constinit const Condition kDelays{[](At at) { return at.options.network.has_value(); }, "--net"};
constinit const Condition kOpenEnd{[](At at) { return !at.options.iterations; }, "no --iterations"};

constinit const Condition kFilm{[](At at) { return !at.options.run.scene.frames.empty(); },
                                "--frames"};
constinit const Condition kGoals{[](At at) { return at.options.run.scene.informed > 0; },
                                 "--informed"};
constinit const Condition kAhead{[](At at) { return syncs_by(at, tick::Sync::Schedule); },
                                 "--sync schedule or combined"};
constinit const Condition kReplicas{[](At at) { return syncs_by(at, tick::Sync::Replicate); },
                                    "--sync replicate or combined"};
constinit const Condition kByLoad{[](At at) { return at.options.run.scene.quadtree; },
                                  "--split quadtree"};
constinit const Condition kByPriority{[](At at) { return at.options.run.piece.scheduler; },
                                      "--piece-order priority"};
constinit const Condition kBalancer{
    [](At at) { return piece::has_balancer(at.options.run.piece.system); },
    "--system comtick or asytick-plb"};

}  // namespace leeway::cli
