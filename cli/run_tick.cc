// `leeway run PROGRAM --engine tick`: the shipped programs of the tick engine, from settings to files.
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <memory>
#include <optional>

#include "leeway/base/check.h"
#include "leeway/base/format.h"
#include "leeway/cli/admit_memory.h"
#include "leeway/cli/applicability.h"
#include "leeway/cli/command.h"
#include "leeway/cli/film.h"
#include "leeway/cli/graph_argument.h"
#include "leeway/cli/output.h"
#include "leeway/cli/result_tables.h"
#include "leeway/cli/run_outputs.h"
#include "leeway/cli/run_plan.h"
#include "leeway/cli/run_snapshots.h"
#include "leeway/cli/scene_hash.h"
#include "leeway/cli/settled_division.h"
#include "leeway/cli/tick_report.h"
#include "leeway/cli/tick_snapshots.h"
#include "leeway/cli/vertex_report.h"
#include "leeway/cli/watch.h"
#include "leeway/datasets/byte_stream.h"
#include "leeway/programs/reference/rank_ticks.h"
#include "leeway/programs/reference/simulations.h"
#include "leeway/programs/tick/fish_school.h"
#include "leeway/programs/tick/heat_plate.h"
#include "leeway/programs/tick/page_ranks.h"

namespace leeway::cli {

namespace {

constexpr std::uint32_t kTicks = 100;
constexpr std::uint32_t kRankTicks = 180;  // 0.85 to this power is below 1e-12
constexpr double kRankTolerance = 1e-12;

}  // namespace

TickOptions tick_options(const Options& options, const ClusterOptions& cluster) {
  const SceneChoices& told = options.run.scene;
  TickOptions ticks = options.run.tick;
  ticks.ticks = Tick(options.iterations.value_or(kTicks));
  ticks.frames = told.frames.empty() ? 0 : told.frame_every;
  ticks.stop = options.stop;
  ticks.trace = !options.run.trace.empty() || !options.run.report.empty();
  ticks.threads = threads_of_node(options, cluster);
  ticks.meter = cluster.fabric != Fabric::Sim && ticks.threads == 1;
  ticks.measure = measured_every(options, ticks.ticks.value());
  return ticks;
}

namespace {

FishSettings fish_settings(const Options& options) {
  const SceneChoices& told = options.run.scene;
  FishSettings settings;
  settings.model.width = told.width;
  settings.model.height = told.height;
  settings.model.visibility = told.visibility;
  settings.model.reach = told.reach;
  settings.count = told.fish;
  settings.informed = told.informed;
  settings.goals = told.goals;
  settings.seed = options.load.seed;
  settings.partition = told.quadtree ? FishPartition::Quadtree : FishPartition::Grid;
  return settings;
}

/// What a tuple takes of a process: two versions of it, and at the end, at node 0, the whole state as letters
/// and put together.
std::uint64_t bytes_of(std::size_t tuple, const ClusterOptions& cluster) {
  const std::uint64_t versions = cluster.job == nullptr ? 2 : 0;  // elsewhere only a part's
  return (versions + 2) * tuple;
}

/// States under way go into snapshots, where any are taken.
template <class Ends>
void keep_in(TickSnapshots& snapshots, Ends& ends) {
  if (!snapshots.takes()) return;
  ends.keeper = [&snapshots](Tick tick, const auto& state) -> Status {
    snapshots.keep(tick, packed_state(state));
    return {};
  };
}

/// The state to begin with, which `first` keeps, and where states under way go.
template <class State>
Result<TickEnds<State>> ends_of(TickSnapshots& snapshots, const typename State::Query& all,
                                State& first) {
  TickEnds<State> ends{.first = snapshots.first()};
  if (const auto& start = snapshots.start()) {
    if (!unpack_state(start->state, all, first)) return fail(snapshots.unreadable());
    ends.from = &first;
  }
  keep_in(snapshots, ends);
  return ends;
}

/// One run under way.
struct TickJob {
  const Options& options;
  const DecidedRun& decided;
  const ClusterOptions& cluster;
  bool first = true;  ///< of the nodes: the one that speaks
  Instant begun{};    ///< the command
  RunOutputs outputs;
  PartitionOptions partition;  ///< settled once there is a graph

  /// Whether this process needs the scene's first state, to tell its hash.
  [[nodiscard]] bool names_scene() const { return first || uses_snapshots(options); }
  /// `scene`: of the job, what differs between programs.
  [[nodiscard]] Result<std::unique_ptr<TickSnapshots>> open_snapshots(snapshot::Identity scene,
                                                                      TickOptions& ticks) const {
    scene.engine = "tick";
    scene.program = decided.name();
    TickSpan span{.ticks = ticks.ticks.value(), .synchronization = tick_sync_name(ticks.sync)};
    LEEWAY_ASSIGN(auto snapshots, TickSnapshots::open(options, std::move(scene), cluster, span));
    ticks.ticks = Tick(span.ticks);
    ticks.checkpoint = span.every;
    return snapshots;
  }
};

/// What every program's report has. `whole`: what it took from the call to the result, whose part before the
/// first step and after the last is the set-up; virtual time leaves that untold.
template <class State>
Report report_of(const TickJob& job, std::uint32_t ticks, std::uint64_t tuples, TickRun<State>& run,
                 Duration whole) {
  const Options& options = job.options;
  const ClusterOptions& cluster = job.cluster;
  Report report;
  report.program = job.decided.name();
  Configuration used = {
      {"engine", "tick"},
      {"fabric", std::string(fabric_name(cluster.fabric))},
      {"nodes", std::to_string(cluster.nodes)},
      {"net", cluster.network.name},
      {"sync", std::string(tick_sync_name(options.run.tick.sync))},
      {"depth", std::to_string(run.pace.depth)},
      {"every", std::to_string(run.pace.every)},
      {"replicas", std::to_string(run.pace.replicas)},
      {"iterations", std::to_string(ticks)},
      {"seed", std::to_string(options.load.seed)},
      {"threads", std::to_string(threads_of_node(options, cluster))},
      {"partition", partition_text(job.partition)},
  };
  report.configuration = applicable_configuration(std::move(used), options, job.decided);
  report.simulated = cluster.fabric == Fabric::Sim;
  report.phases.compute = seconds(run.elapsed);
  if (!report.simulated) report.phases.setup = std::max(0.0, seconds(whole - run.elapsed));
  report.digest = run.digest;
  report.frames = options.run.scene.frames;
  add_tick_run(std::make_shared<const std::vector<TickLog>>(std::move(run.result.logs)),
               {ticks, tuples, run.result.rebalanced}, report);
  return report;
}

Status finish(TickJob& job, Report& report, const RunResults& results) {
  return cli::finish(report, results, job.outputs, job.options.json, job.begun);
}

Error differs(std::string_view what) {
  return Error{ErrorKind::Environment, "--verify",
               format("the result differs from the sequential update's: {}", what),
               "report this, with the command"};
}

/// From the beginning, also where the run went on from a snapshot.
Status verify_fish(const FishSettings& settings, std::uint32_t ticks, std::vector<scene::Fish> fish,
                   const FishRun& run, Report& report) {
  const CheckingPhase phase(report);
  fish = reference::fish_after(settings.model, fish, ticks);
  FishTable expected;
  for (const scene::Fish& each : fish) expected.add(each);
  if (const auto wrong = FishTable::difference(run.result.state, expected))
    return fail(differs(*wrong));
  report.verified = "all bits are those of the sequential update";
  return {};
}

Status verify_heat(const HeatSettings& settings, std::uint32_t ticks, std::vector<double> heat,
                   const HeatRun& run, Report& report) {
  const CheckingPhase phase(report);
  const scene::Plate& plate = settings.plate;
  heat = reference::plate_after(plate, std::move(heat), ticks);
  Field expected;
  const IndexRange all{0, 0, plate.columns, plate.rows};
  expected.reset(all, all);
  std::copy(heat.begin(), heat.end(), expected.at(0, 0));
  if (const auto wrong = Field::difference(run.result.state, expected))
    return fail(differs(*wrong));
  report.verified = "all bits are those of the sequential update";
  return {};
}

Status run_fish_school(TickJob& job) {
  const Options& options = job.options;
  const FishSettings settings = fish_settings(options);
  LEEWAY_TRY(
      admit_memory("--fish", "fish", settings.count, bytes_of(sizeof(scene::Fish), job.cluster)));
  const scene::FishModel& model = settings.model;
  std::vector<scene::Fish> school;
  if (job.names_scene()) {
    school = scene::school(model, settings.count, settings.informed, settings.goals, settings.seed);
  }
  const std::string scene =
      format("{} fish in a basin of {} x {}", settings.count, model.width, model.height);
  const std::string hash = hash_of(model, school);
  TickOptions ticks = tick_options(options, job.cluster);
  const Tick last = ticks.ticks;
  LEEWAY_ASSIGN(const auto snapshots,
                job.open_snapshots({.graph = format("{}, visibility {}, reach {}, seed {}", scene,
                                                    model.visibility, model.reach, settings.seed),
                                    .graph_hash = hash,
                                    .vertices = settings.count},
                                   ticks));
  FishTable from;
  LEEWAY_ASSIGN(const FishEnds ends, ends_of(*snapshots, Box::everywhere(), from));
  const SteadyClock clock;
  const Instant started = clock.now();
  LEEWAY_ASSIGN(FishRun run, watch_ticks(options, ticks.ticks.value(), [&] {
                  return run_fish(settings, ticks, job.cluster, ends);
                }));
  if (!job.first) return {};
  const FishTable& state = run.result.state;
  Report report = report_of(job, ticks.ticks.value(), state.size(), run, clock.now() - started);
  snapshots->end(report);
  report.input.graph = scene;
  report.input.hash = hash;
  if (verifies_pairs(options, state.size(), model.visibility, model.width, last.value()))
    LEEWAY_TRY(verify_fish(settings, last.value(), std::move(school), run, report));
  const auto film = [&] {
    Film shown{.program = "fish", .width = model.width, .height = model.height};
    for (const scene::Fish& fish : state.tuples()) shown.kinds.push_back(fish.goal);
    for (const auto& [tick, fish] : run.result.frames) shown.add(tick.value(), fish.tuples());
    return film_json(shown);
  };
  return finish(job, report, {.values = things_table(state.tuples()), .film = film});
}

Status run_heat_plate(TickJob& job) {
  const Options& options = job.options;
  const SceneChoices& told = options.run.scene;
  HeatSettings settings{.plate = {told.columns, told.rows}, .seed = options.load.seed};
  LEEWAY_TRY(admit_memory("--plate", "cells", settings.plate.cells(),
                          bytes_of(sizeof(double), job.cluster)));
  std::vector<double> heat;
  if (job.names_scene()) heat = scene::first_plate(settings.plate, settings.seed);
  const std::string scene = format("a plate of {} x {} cells", told.columns, told.rows);
  const std::string hash = hash_of(settings.plate, heat);
  const std::uint64_t cells = settings.plate.cells();
  TickOptions ticks = tick_options(options, job.cluster);
  const Tick last = ticks.ticks;
  LEEWAY_ASSIGN(const auto snapshots,
                job.open_snapshots({.graph = format("{}, seed {}", scene, settings.seed),
                                    .graph_hash = hash,
                                    .vertices = cells},
                                   ticks));
  Field from;
  LEEWAY_ASSIGN(const HeatEnds ends,
                ends_of(*snapshots, IndexRange{0, 0, told.columns, told.rows}, from));
  const SteadyClock clock;
  const Instant started = clock.now();
  LEEWAY_ASSIGN(HeatRun run, watch_ticks(options, ticks.ticks.value(), [&] {
                  return run_heat(settings, ticks, job.cluster, ends);
                }));
  if (!job.first) return {};
  Report report = report_of(job, ticks.ticks.value(), cells, run, clock.now() - started);
  snapshots->end(report);
  report.input.graph = scene;
  report.input.hash = hash;
  if (verifies_cells(options, cells, last.value()))
    LEEWAY_TRY(verify_heat(settings, last.value(), std::move(heat), run, report));
  return finish(job, report,
                {.values = plate_table(
                     told.columns, {run.result.state.at(0, 0), static_cast<std::size_t>(cells)})});
}

Status verify_ranks(const Graph& graph, double damping, std::uint32_t ticks,
                    std::span<const double> ranks, Report& report) {
  const CheckingPhase phase(report);
  const std::size_t vertices = graph.vertex_count();
  const std::vector<double> even(vertices, 1 / static_cast<double>(vertices));
  const auto expected = reference::rank_ticks(graph, even, ticks, damping);
  double far = 0;
  for (std::size_t i = 0; i < expected.size(); ++i)
    far = std::max(far, std::abs(expected[i] - ranks[i]));
  if (far > kRankTolerance) return fail(differs(format("a rank is {} off", far)));
  report.verified = format("within {} of the plain iteration", kRankTolerance);
  return {};
}

/// Ranks to begin with, whose labels are made only when the run has its graph.
Result<PageRankEnds> rank_ends(TickSnapshots& snapshots, const Graph& graph,
                               std::optional<std::vector<double>>& from) {
  PageRankEnds ends{.first = snapshots.first()};
  if (const auto& start = snapshots.start()) {
    from = VertexState::whole(start->state);
    if (!from || from->size() != graph.vertex_count()) return fail(snapshots.unreadable());
  }
  keep_in(snapshots, ends);
  return ends;
}

Status run_ranks(TickJob& job) {
  const Options& options = job.options;
  const SteadyClock clock;
  const Instant opened = clock.now();
  LEEWAY_ASSIGN(const RunGraph held, RunGraph::of(options));
  const Graph& graph = *held;
  const double load = seconds(clock.now() - opened);
  settle_method(job.cluster, graph, job.partition);
  const PageRankSettings settings{.what = {.damping = options.run.program.damping},
                                  .partition = job.partition};
  TickOptions ticks = tick_options(options, job.cluster);
  ticks.ticks = Tick(options.iterations.value_or(kRankTicks));
  ticks.measure = measured_every(options, ticks.ticks.value());
  const Tick last = ticks.ticks;
  const std::string hash = hash_of(graph);
  LEEWAY_ASSIGN(const auto snapshots,
                job.open_snapshots({.graph = *options.graph,
                                    .graph_hash = hash,
                                    .vertices = graph.vertex_count(),
                                    .arcs = graph.arc_count(),
                                    .settings = {{"damping", format("{}", settings.what.damping)}}},
                                   ticks));
  std::optional<std::vector<double>> from;
  LEEWAY_ASSIGN(const PageRankEnds ends, rank_ends(*snapshots, graph, from));
  const Instant started = clock.now();
  LEEWAY_ASSIGN(RankedGraph ranked, watch_ticks(options, ticks.ticks.value(), [&] {
                  return run_page_ranks(graph, settings, ticks, job.cluster,
                                        from ? &*from : nullptr, ends);
                }));
  if (!job.first) return {};
  const std::uint64_t vertices = graph.vertex_count();
  Report report = report_of(job, ticks.ticks.value(), vertices, ranked.run, clock.now() - started);
  report.phases.load = load;
  snapshots->end(report);
  report.input.graph = *options.graph;
  report.input.hash = hash;
  report.input.arcs = graph.arc_count();
  const std::span<const double> ranks = ranked.run.result.state.values();
  if (verifies_cells(options, graph.arc_count(), last.value()))
    LEEWAY_TRY(verify_ranks(graph, settings.what.damping, last.value(), ranks, report));
  const std::vector<double> scaled = scaled_ranks(ranks);
  return finish(job, report, {.values = ranks_table(graph, scaled), .top = options.run.top});
}

}  // namespace

Result<int> run_tick(const Invocation& invocation, const DecidedRun& run,
                     const ClusterOptions& cluster) {
  using Runner = Status (*)(TickJob& job);
  constexpr std::array<std::pair<std::string_view, Runner>, 3> kPrograms = {
      {{"fish", run_fish_school}, {"jacobi", run_heat_plate}, {"pagerank", run_ranks}}};
  const auto found = std::find_if(kPrograms.begin(), kPrograms.end(),
                                  [&](const auto& each) { return each.first == run.name(); });
  LEEWAY_CHECK(found != kPrograms.end(), run.name());  // the list of programs says it has it
  TickJob job{.options = invocation.options,
              .decided = run,
              .cluster = cluster,
              .first = cluster.job == nullptr || cluster.job->self() == NodeId(0),
              .begun = invocation.begun,
              .outputs = {},
              .partition = invocation.options.partition};
  LEEWAY_ASSIGN(job.outputs, RunOutputs::open(job.options, job.first));
  LEEWAY_TRY(found->second(job));
  return 0;
}

}  // namespace leeway::cli
