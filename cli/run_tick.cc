// `leeway run PROGRAM --engine tick`: the shipped programs of the tick engine, from settings to files.
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "leeway/base/check.h"
#include "leeway/base/format.h"
#include "leeway/cli/admit_memory.h"
#include "leeway/cli/result_tables.h"
#include "leeway/cli/run_plan.h"
#include "leeway/cli/simulation_run.h"
#include "leeway/cli/tick_report.h"
#include "leeway/cli/vertex_report.h"
#include "leeway/cli/watch.h"
#include "leeway/programs/reference/rank_ticks.h"
#include "leeway/programs/tick/fish_school.h"
#include "leeway/programs/tick/heat_plate.h"
#include "leeway/programs/tick/page_ranks.h"

namespace leeway::cli {

namespace {

constexpr std::uint32_t kTicks = 100;
constexpr std::uint32_t kRankTicks = 180;  // 0.85 to this power is below 1e-12
constexpr double kRankTolerance = 1e-12;

}  // namespace

tick::Options tick_options(const Options& options, const ClusterOptions& cluster) {
  tick::Options ticks = options.run.tick;
  ticks.ticks = tick::Tick(options.iterations.value_or(kTicks));
  ticks.frames = options.run.scene.frames.empty() ? 0 : options.run.scene.frame_every;
  ticks.stop = options.stop;
  ticks.trace = !options.run.trace.empty() || !options.run.report.empty();
  ticks.threads = threads_of_node(options, cluster);
  ticks.meter = cluster.fabric != Fabric::Sim && ticks.threads == 1;
  ticks.measure = measured_every(options, ticks.ticks.value());
  return ticks;
}

namespace {

/// What a tuple takes of a process: two versions of it, and at the end, at node 0, the whole state as messages
/// and put together.
std::uint64_t bytes_of(std::size_t tuple, const ClusterOptions& cluster) {
  const std::uint64_t versions = cluster.job == nullptr ? 2 : 0;  // elsewhere only a part's
  return (versions + 2) * tuple;
}

/// The ticks of a run, which may go on from a snapshot, and its snapshots.
struct TickStretch {
  tick::Options ticks;
  tick::Tick last{0};
  std::unique_ptr<TickSnapshots> snapshots;
};

Result<TickStretch> stretch_of(const SimulationJob& job, snapshot::Identity what,
                               const tick::Options& ticks) {
  TickStretch stretch{.ticks = ticks, .last = ticks.ticks, .snapshots = {}};
  TickInterval span{.ticks = ticks.ticks.value(), .synchronization = tick::sync_name(ticks.sync)};
  LEEWAY_ASSIGN(stretch.snapshots, job.snapshots(std::move(what), span));
  stretch.ticks.ticks = tick::Tick(span.ticks);
  stretch.ticks.checkpoint = span.every;
  return stretch;
}

/// States under way go into snapshots, where any are taken.
template <class Ends>
void keep_in(TickSnapshots& snapshots, Ends& ends) {
  if (!snapshots.takes()) return;
  ends.keeper = [&snapshots](tick::Tick tick, const auto& state) -> Status {
    snapshots.keep(tick, tick::packed_state(state));
    return {};
  };
}

/// The state to begin with, which `first` keeps, and where states under way go.
template <class State>
Result<tick::Ends<State>> ends_of(TickSnapshots& snapshots, const typename State::Query& all,
                                  State& first) {
  tick::Ends<State> ends{.first = snapshots.first()};
  if (const auto& start = snapshots.start()) {
    if (!tick::unpack_state(start->state, all, first)) return fail(snapshots.unreadable());
    ends.from = &first;
  }
  keep_in(snapshots, ends);
  return ends;
}

/// What every program's report has. `whole`: what it took from the call to the result, whose part before the
/// first step and after the last is the set-up; virtual time leaves that untold.
template <class State>
Report report_of(SimulationJob& job, TickStretch& stretch, std::uint64_t tuples,
                 tick::Run<State>& run, Duration whole) {
  const std::uint32_t ticks = stretch.ticks.ticks.value();
  Report report = job.report({{"sync", std::string(tick::sync_name(stretch.ticks.sync))},
                              {"depth", std::to_string(run.parameters.depth)},
                              {"every", std::to_string(run.parameters.every)},
                              {"replicas", std::to_string(run.parameters.replicas)},
                              {"iterations", std::to_string(ticks)},
                              {"threads", std::to_string(stretch.ticks.threads)}});
  report.phases.compute = seconds(run.elapsed);
  if (!report.simulated) report.phases.setup = std::max(0.0, seconds(whole - run.elapsed));
  report.digest = run.digest;
  add_tick_run(run.result.logs, {ticks, tuples, run.result.rebalanced}, report);
  stretch.snapshots->end(report);
  job.snapshot_counts = stretch.snapshots->counts();
  return report;
}

/// Steps a scene from its first state or a snapshot's, and delivers. `things_of`: a view of a result's things, by id.
template <class Thing, class State, class Run, class ThingsOf>
Status step_scene(SimulationJob& job, Scene<Thing> scene, const typename State::Query& all,
                  Run&& run_it, ThingsOf&& things_of) {
  LEEWAY_ASSIGN(TickStretch stretch,
                stretch_of(job, identity_of(scene), tick_options(job.options, job.cluster)));
  State from;
  LEEWAY_ASSIGN(const tick::Ends<State> ends, ends_of(*stretch.snapshots, all, from));
  const SteadyClock clock;
  const Instant started = clock.now();
  LEEWAY_ASSIGN(tick::Run<State> run, watch_ticks(job.options, stretch.ticks.ticks.value(),
                                                  [&] { return run_it(stretch.ticks, ends); }));
  if (!job.first) return {};
  Report report = report_of(job, stretch, scene.count, run, clock.now() - started);
  Pictures<Thing> pictures;
  for (const auto& [tick, state] : run.result.frames)
    pictures.emplace_back(tick.value(), things_of(state));
  return conclude(job, std::move(scene), things_of(run.result.state), pictures,
                  stretch.last.value(), report);
}

Status run_fish_school(SimulationJob& job) {
  const SceneChoices& told = job.options.run.scene;
  const tick::FishSettings settings{
      .model = fish_model(job.options),
      .count = told.fish,
      .informed = told.informed,
      .goals = told.goals,
      .seed = job.options.load.seed,
      .partition = told.quadtree ? tick::FishPartition::Quadtree : tick::FishPartition::Grid};
  LEEWAY_TRY(admit_memory("--fish", "fish", told.fish, bytes_of(sizeof(scene::Fish), job.cluster)));
  return step_scene<scene::Fish, tick::FishTable>(
      job, fish_scene(job.options, job.names_scene()), Box::everywhere(),
      [&](const tick::Options& ticks, const tick::FishEnds& ends) {
        return run_fish(settings, ticks, job.cluster, ends);
      },
      [](const tick::FishTable& state) { return state.tuples(); });
}

Status run_heat_plate(SimulationJob& job) {
  const tick::HeatSettings settings{.plate = plate_of(job.options), .seed = job.options.load.seed};
  const scene::Plate& plate = settings.plate;
  LEEWAY_TRY(
      admit_memory("--plate", "cells", plate.cells(), bytes_of(sizeof(double), job.cluster)));
  return step_scene<double, tick::Field>(
      job, plate_scene(job.options, job.names_scene()),
      tick::IndexRange{0, 0, plate.columns, plate.rows},
      [&](const tick::Options& ticks, const tick::HeatEnds& ends) {
        return tick::run_heat(settings, ticks, job.cluster, ends);
      },
      [&](const tick::Field& state) { return std::span(state.at(0, 0), plate.cells()); });
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
Result<tick::PageRankEnds> rank_ends(TickSnapshots& snapshots, const Graph& graph,
                                     std::optional<std::vector<double>>& from) {
  tick::PageRankEnds ends{.first = snapshots.first()};
  if (const auto& start = snapshots.start()) {
    from = tick::VertexState::whole(start->state);
    if (!from || from->size() != graph.vertex_count()) return fail(snapshots.unreadable());
  }
  keep_in(snapshots, ends);
  return ends;
}

Status run_ranks(SimulationJob& job) {
  const Options& options = job.options;
  double load = 0;
  LEEWAY_ASSIGN(const RunGraph held, job.open_graph(load));
  const Graph& graph = *held;
  const double damping = options.run.program.damping;
  const tick::PageRankSettings settings{.what = {.damping = damping}, .partition = job.partition};
  tick::Options ticks = tick_options(options, job.cluster);
  ticks.ticks = tick::Tick(options.iterations.value_or(kRankTicks));
  ticks.measure = measured_every(options, ticks.ticks.value());
  snapshot::Identity what{.graph = *options.graph,
                          .graph_hash = hash_of(graph),
                          .vertices = graph.vertex_count(),
                          .arcs = graph.arc_count(),
                          .settings = {{"damping", format("{}", damping)}}};
  LEEWAY_ASSIGN(TickStretch stretch, stretch_of(job, what, ticks));
  std::optional<std::vector<double>> from;
  LEEWAY_ASSIGN(const tick::PageRankEnds ends, rank_ends(*stretch.snapshots, graph, from));
  const SteadyClock clock;
  const Instant started = clock.now();
  LEEWAY_ASSIGN(tick::RankedGraph ranked, watch_ticks(options, stretch.ticks.ticks.value(), [&] {
                  return tick::run_page_ranks(graph, settings, stretch.ticks, job.cluster,
                                              from ? &*from : nullptr, ends);
                }));
  if (!job.first) return {};
  Report report = report_of(job, stretch, graph.vertex_count(), ranked.run, clock.now() - started);
  report.phases.load = load;
  report.input.graph = what.graph;
  report.input.hash = what.graph_hash;
  report.input.arcs = what.arcs;
  const std::span<const double> ranks = ranked.run.result.state.values();
  const std::uint32_t last = stretch.last.value();
  if (verifies_cells(options, graph.arc_count(), last))
    LEEWAY_TRY(verify_ranks(graph, damping, last, ranks, report));
  const std::vector<double> scaled = tick::scaled_ranks(ranks);
  return job.finish(report, {.values = ranks_table(graph, scaled), .top = options.run.top});
}

}  // namespace

Result<int> run_tick(const Invocation& invocation, const DecidedRun& run,
                     const ClusterOptions& cluster) {
  using Runner = Status (*)(SimulationJob& job);
  constexpr std::array<std::pair<std::string_view, Runner>, 3> kPrograms = {
      {{"fish", run_fish_school}, {"jacobi", run_heat_plate}, {"pagerank", run_ranks}}};
  const auto found = std::find_if(kPrograms.begin(), kPrograms.end(),
                                  [&](const auto& each) { return each.first == run.name(); });
  LEEWAY_CHECK(found != kPrograms.end(), run.name());  // the list of programs says it has it
  LEEWAY_ASSIGN(SimulationJob job, SimulationJob::open(invocation, run, cluster));
  LEEWAY_TRY(found->second(job));
  return job.exit_code();
}

}  // namespace leeway::cli
