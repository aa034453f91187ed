// A simulation from its scene to its output files, on the tick or the piece engine: the steps that both engines
// share, and the programs of each engine.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/format.h"
#include "base/log.h"
#include "cli/applicability.h"
#include "cli/command.h"
#include "cli/engine_reports.h"
#include "cli/graph_argument.h"
#include "cli/job_agreement.h"
#include "cli/output.h"
#include "cli/report.h"
#include "cli/result_table.h"
#include "cli/run.h"
#include "cli/scene.h"
#include "cli/snapshots.h"
#include "datasets/graph_hash.h"
#include "datasets/vertex_column.h"
#include "leeway/cluster.h"
#include "programs/piece/jacobi.h"
#include "programs/piece/linear_system.h"
#include "programs/piece/pagerank.h"
#include "programs/piece/spatial.h"
#include "programs/reference/oracles.h"
#include "programs/tick/fish_food.h"
#include "programs/tick/fish_school.h"
#include "programs/tick/heat_plate.h"
#include "programs/tick/page_ranks.h"
#include "programs/vertex/diffusion.h"

namespace leeway::cli {

/// One simulation run.
struct SimulationJob {
  const CommandOptions& options;
  const Request& decided;
  const ClusterOptions& cluster;
  bool first = true;  ///< node 0, which prints and writes
  Instant begun{};    ///< start of the command
  Outputs outputs;
  PartitionOptions partition;  ///< final once the graph is open
  bool gave_up = false;
  snapshot::Counts snapshot_counts;  ///< final once the run is over

  static Result<SimulationJob> open(const Invocation& invocation, const Request& decided,
                                    const ClusterOptions& cluster);
  /// True if this process needs the scene's initial state in order to compute its hash.
  [[nodiscard]] bool names_scene() const;
  /// `resolved`: the options, with the values that the engine has used.
  [[nodiscard]] Report report(CommandOptions resolved) const;
  /// Opens snapshots of this run and sets `span` to the remaining ticks. `what`: identity without engine and program.
  [[nodiscard]] Result<std::unique_ptr<TickSnapshots>> snapshots(snapshot::Identity what,
                                                                 TickInterval& span) const;
  /// Opens the run's graph and chooses its division. `load`: receives the seconds it took.
  Result<OpenedGraph> open_graph(double& load);
  /// Writes all outputs and prints the summary.
  Status finish(Report& report, ReportedResults results);
  /// Valid after `finish`.
  [[nodiscard]] int exit_code() const { return exit_code_of(gave_up, options, snapshot_counts); }
};

/// The error of a result that differs from the sequential program's.
[[nodiscard]] Error differs(const std::string& what);

/// The identity of a snapshot of a run on the scene.
template <class Thing>
[[nodiscard]] snapshot::Identity identity_of(const Scene<Thing>& scene) {
  return {.graph = scene.identity, .graph_hash = scene.hash, .vertices = scene.count};
}

/// On node 0, after the final tick `last`: verifies the result and writes the outputs.
template <class Thing>
Status conclude(SimulationJob& job, Scene<Thing> scene, std::span<const Thing> things,
                const Pictures<Thing>& pictures, std::uint32_t last, Report& report) {
  report.input.graph = scene.name;
  report.input.hash = scene.hash;
  if (scene.verifies(last)) {
    const CheckingPhase phase(report);
    const std::vector<Thing> expected = scene.after(std::move(scene.first), last);
    const auto [ours, other] =
        std::mismatch(things.begin(), things.end(), expected.begin(), expected.end());
    if (ours != things.end() || other != expected.end()) {
      return fail(differs(format("item {} of {} differs, of {} expected", ours - things.begin(),
                                 things.size(), expected.size())));
    }
    report.verified = "bitwise equal to the sequential program's result";
  }
  ReportedResults results{.values = scene.table(things)};
  if (scene.film) results.film = [&] { return scene.film(things, pictures); };
  return job.finish(report, results);
}

Result<SimulationJob> SimulationJob::open(const Invocation& invocation, const Request& decided,
                                          const ClusterOptions& cluster) {
  SimulationJob job{.options = invocation.options,
                    .decided = decided,
                    .cluster = cluster,
                    .first = cluster.job == nullptr || cluster.job->self() == NodeId(0),
                    .begun = invocation.begun,
                    .outputs = {},
                    .partition = invocation.options.partition};
  LEEWAY_ASSIGN(job.outputs, agree_in_job(cluster.job, Outputs::open(job.options, job.first)));
  return job;
}

bool SimulationJob::names_scene() const { return first || options.saving.any(); }

Report SimulationJob::report(CommandOptions resolved) const {
  Report report;
  report.program = decided.name();
  resolved.engine = decided.engine;
  resolved.partition = partition;
  set_cluster(cluster, resolved);
  report.configuration = configuration_of(resolved, options, decided);
  report.simulated = cluster.fabric == Fabric::Sim;
  report.frames = options.scene.frames;
  return report;
}

Result<std::unique_ptr<TickSnapshots>> SimulationJob::snapshots(snapshot::Identity what,
                                                                TickInterval& span) const {
  what.engine = engine_info(decided.engine).name;
  what.program = decided.name();
  LEEWAY_ASSIGN(Saving saving, saving_of(options, true));
  saving.requests = watch_requests(options);
  return TickSnapshots::open(saving, std::move(what), cluster, span);
}

Result<OpenedGraph> SimulationJob::open_graph(double& load) {
  const Stopwatch watch;
  LEEWAY_ASSIGN(OpenedGraph held, OpenedGraph::of(options));
  load = watch.elapsed_seconds();
  settle_method(cluster, *held, partition);
  return held;
}

Status SimulationJob::finish(Report& report, ReportedResults results) {
  results.top = options.top;
  return cli::finish(report, results, outputs, options.json, begun);
}

Error differs(const std::string& what) {
  return Error{ErrorKind::Environment, "--verify",
               format("the result differs from the sequential program's: {}", what),
               "report this bug, with the command"};
}

namespace {

// `leeway run PROGRAM --engine tick`.
constexpr std::uint32_t kTicks = 100;
constexpr std::uint32_t kRankTicks = 180;  // 0.85^180 is below 1e-12
constexpr double kRankTolerance = 1e-12;
constexpr std::string_view kDefaultTicksAreDone =
    "the program's default number of ticks is complete; --iterations sets another";

}  // namespace

tick::TickOptions tick_options(const CommandOptions& options, const ClusterOptions& cluster) {
  tick::TickOptions ticks = options.tick;
  ticks.ticks = tick::Tick(options.iterations.value_or(kTicks));
  ticks.frames = options.scene.frames.empty() ? 0 : options.scene.frame_every;
  ticks.stop = options.stop;
  ticks.trace = !options.trace.empty() || !options.report.empty();
  ticks.threads = threads_of_node(options, cluster);
  ticks.meter = cluster.fabric != Fabric::Sim && ticks.threads == 1;
  ticks.measure = measured_every(options, ticks.ticks.value());
  return ticks;
}

namespace {

/// Bytes per tuple in a process: two versions, and at the end, on node 0, the complete state both as messages and
/// assembled.
std::uint64_t bytes_of(std::size_t tuple, const ClusterOptions& cluster) {
  const std::uint64_t versions = cluster.job == nullptr ? 2 : 0;  // otherwise only a part
  return (versions + 2) * tuple;
}

/// The ticks of a run that may resume from a snapshot, and its snapshots.
struct TickStretch {
  tick::TickOptions ticks;
  tick::Tick last{0};
  std::unique_ptr<TickSnapshots> snapshots;
};

Result<TickStretch> stretch_of(const SimulationJob& job, snapshot::Identity what,
                               const tick::TickOptions& ticks) {
  TickStretch stretch{.ticks = ticks, .last = ticks.ticks, .snapshots = {}};
  TickInterval span{.ticks = ticks.ticks.value(), .synchronization = tick::sync_name(ticks.sync)};
  LEEWAY_ASSIGN(stretch.snapshots, job.snapshots(std::move(what), span));
  stretch.ticks.ticks = tick::Tick(span.ticks);
  stretch.ticks.checkpoint = span.every;
  return stretch;
}

/// The report of a tick run. `whole`: time from the call to the result; what exceeds the ticks is the set-up phase.
/// Virtual time has no set-up phase.
template <class State>
Report report_of(SimulationJob& job, TickStretch& stretch, std::uint64_t tuples,
                 tick::TickResult<State>& run, Duration whole) {
  const std::uint32_t ticks = stretch.ticks.ticks.value();
  CommandOptions resolved = job.options;
  resolved.tick = stretch.ticks;
  resolved.tick.depth = run.parameters.depth;
  resolved.tick.every = run.parameters.every;
  resolved.tick.replicas = run.parameters.replicas;
  resolved.iterations = ticks;
  resolved.load.threads = stretch.ticks.threads;
  Report report = job.report(std::move(resolved));
  report.phases.compute = seconds(run.elapsed);
  if (!report.simulated) report.phases.setup = std::max(0.0, seconds(whole - run.elapsed));
  report.digest = run.digest;
  add_tick_run(run.result.nodes, {ticks, tuples, run.result.rebalanced}, report);
  if (!job.options.iterations) report.why = kDefaultTicksAreDone;
  job.snapshot_counts = stretch.snapshots->end();
  add_snapshots(*stretch.snapshots, job.snapshot_counts, report);
  return report;
}

/// Steps a scene from its initial state or a snapshot, and writes the outputs. `things_of`: a view of a state's
/// things, by id.
template <class Thing, class State, class Run, class ThingsOf>
Status step_scene(SimulationJob& job, Scene<Thing> scene, const typename State::Query& all,
                  Run&& run_it, ThingsOf&& things_of) {
  LEEWAY_ASSIGN(TickStretch stretch,
                stretch_of(job, identity_of(scene), tick_options(job.options, job.cluster)));
  State from;
  LEEWAY_ASSIGN(const tick::TickEnds<State> ends, tick::ends_of(*stretch.snapshots, all, from));
  const Stopwatch watch;
  LEEWAY_ASSIGN(tick::TickResult<State> run,
                watch_ticks(job.options, stretch.ticks.ticks.value(),
                            [&] { return run_it(stretch.ticks, ends); }));
  if (!job.first) return {};
  Report report = report_of(job, stretch, scene.count, run, watch.elapsed());
  Pictures<Thing> pictures;
  for (const auto& [tick, state] : run.result.frames)
    pictures.emplace_back(tick.value(), things_of(state));
  return conclude(job, std::move(scene), things_of(run.result.state), pictures,
                  stretch.last.value(), report);
}

tick::FishParameters fish_parameters(const CommandOptions& options, std::uint32_t count) {
  const SceneParameters& choices = options.scene;
  return {
      .model = fish_model(options),
      .count = count,
      .informed = choices.informed,
      .goals = choices.goals,
      .seed = options.load.seed,
      .partition = choices.quadtree ? tick::FishPartition::Quadtree : tick::FishPartition::Grid};
}

Status run_fish_school(SimulationJob& job) {
  const SceneParameters& choices = job.options.scene;
  const bool read = !choices.file.empty();
  if (!read) {
    LEEWAY_TRY(
        admit_memory("--fish", "fish", choices.fish, bytes_of(sizeof(scene::Fish), job.cluster)));
  }
  LEEWAY_ASSIGN(Scene<scene::Fish> scene,
                fish_scene(job.options, job.names_scene(), job.cluster.job));
  std::vector<scene::Fish> given;
  if (read) given = scene.first;
  const tick::FishParameters settings =
      fish_parameters(job.options, read ? static_cast<std::uint32_t>(scene.count) : choices.fish);
  return step_scene<scene::Fish, tick::FishTable>(
      job, std::move(scene), Box::everywhere(),
      [&](const tick::TickOptions& ticks, const tick::FishEnds& ends) {
        return read ? run_fish(settings, std::move(given), ticks, job.cluster, ends)
                    : run_fish(settings, ticks, job.cluster, ends);
      },
      [](const tick::FishTable& state) { return state.tuples(); });
}

Status run_fish_and_food(SimulationJob& job) {
  const SceneParameters& choices = job.options.scene;
  const bool read = !choices.file.empty();
  if (!read) {
    const std::uint64_t tuple = bytes_of(sizeof(PondRow), job.cluster) + sizeof(PondRow);
    LEEWAY_TRY(admit_memory("--fish", "fish", choices.fish, tuple));
    LEEWAY_TRY(admit_memory("--food", "pieces of food", choices.food, tuple));
  }
  tick::FishFoodParameters settings{.fish = fish_parameters(job.options, choices.fish),
                                    .food = choices.food};
  LEEWAY_ASSIGN(Scene<PondRow> scene,
                pond_scene(job.options, job.names_scene(), job.cluster.job, settings.model));
  scene::Pond given;
  if (read) given = pond_of(scene.first);
  std::deque<std::vector<PondRow>> rows;  // the result, the frames
  return step_scene<PondRow, tick::FishFoodTables>(
      job, std::move(scene), tick::FishFood::Query::everywhere(),
      [&](const tick::TickOptions& ticks, const tick::FishFoodEnds& ends) {
        return read ? run_fish_food(settings, std::move(given), ticks, job.cluster, ends)
                    : run_fish_food(settings, ticks, job.cluster, ends);
      },
      [&](const tick::FishFoodTables& state) {
        rows.push_back(pond_rows(state.get<tick::FishFood::kFish>().tuples(),
                                 state.get<tick::FishFood::kFood>().tuples()));
        return std::span<const PondRow>(rows.back());
      });
}

Status run_heat_plate(SimulationJob& job) {
  const tick::HeatParameters settings{.plate = plate_of(job.options),
                                      .seed = job.options.load.seed};
  const scene::Plate& plate = settings.plate;
  LEEWAY_TRY(
      admit_memory("--plate", "cells", plate.cells(), bytes_of(sizeof(double), job.cluster)));
  return step_scene<double, tick::Field>(
      job, plate_scene(job.options, job.names_scene()),
      tick::IndexRange{0, 0, plate.columns, plate.rows},
      [&](const tick::TickOptions& ticks, const tick::HeatEnds& ends) {
        return tick::run_heat(settings, ticks, job.cluster, ends);
      },
      [&](const tick::Field& state) { return std::span(state.at(0, 0), plate.cells()); });
}

/// The largest difference to `expected`, which must not exceed `tolerance`.
Result<double> verify_ranks(const std::vector<double>& expected, std::span<const double> ranks,
                            double tolerance) {
  double most = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const double off = std::abs(expected[i] - ranks[i]);
    if (!(off <= tolerance)) return fail(differs(format("a rank is {} off", off)));  // or NaN
    most = std::max(most, off);
  }
  return most;
}

/// Initial ranks; their labels are created when the run has its graph.
Result<tick::PageRankEnds> rank_ends(TickSnapshots& snapshots, const Graph& graph,
                                     std::optional<std::vector<double>>& from) {
  tick::PageRankEnds ends{.first = tick::Tick(snapshots.first())};
  if (const auto& start = snapshots.start()) {
    from = tick::VertexState::whole(start->state);
    if (!from || from->size() != graph.vertex_count()) return fail(snapshots.unreadable());
  }
  tick::keep_in(snapshots, ends);
  return ends;
}

Status run_ranks(SimulationJob& job) {
  const CommandOptions& options = job.options;
  double load = 0;
  LEEWAY_ASSIGN(const OpenedGraph held, job.open_graph(load));
  const Graph& graph = *held;
  const double damping = options.program.damping;
  const tick::RankTicksJob settings{.what = {.damping = damping}, .partition = job.partition};
  tick::TickOptions ticks = tick_options(options, job.cluster);
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
  const Stopwatch watch;
  LEEWAY_ASSIGN(tick::RankedGraph ranked, watch_ticks(options, stretch.ticks.ticks.value(), [&] {
                  return tick::run_page_ranks(graph, settings, stretch.ticks, job.cluster,
                                              from ? &*from : nullptr, ends);
                }));
  if (!job.first) return {};
  Report report = report_of(job, stretch, graph.vertex_count(), ranked.run, watch.elapsed());
  report.phases.load = load;
  report.input.graph = what.graph;
  report.input.hash = what.graph_hash;
  report.input.arcs = what.arcs;
  report.input.held = whole_graph_held(job.cluster, graph.bytes(), "this engine");
  const std::span<const double> ranks = ranked.run.result.state.values();
  const std::uint32_t last = stretch.last.value();
  if (verifies_cells(options, graph.arc_count(), last)) {
    const CheckingPhase phase(report);
    LEEWAY_TRY(verify_ranks(reference::rank_ticks(graph, last, damping), ranks, kRankTolerance));
    report.verified = format("within {} of the plain iteration", kRankTolerance);
  }
  const std::vector<double> scaled = tick::scaled_ranks(ranks);
  return job.finish(report, {.values = ranks_table(graph, scaled), .top = options.top});
}

}  // namespace

Result<int> run_tick(const Invocation& invocation, const Request& run,
                     const ClusterOptions& cluster) {
  using Runner = Status (*)(SimulationJob& job);
  constexpr std::array<std::pair<std::string_view, Runner>, 4> kPrograms = {
      {{"fish", run_fish_school},
       {"fish-food", run_fish_and_food},
       {"jacobi", run_heat_plate},
       {"pagerank", run_ranks}}};
  const auto found = std::find_if(kPrograms.begin(), kPrograms.end(),
                                  [&](const auto& each) { return each.first == run.name(); });
  LEEWAY_CHECK(found != kPrograms.end(), run.name());  // guaranteed by decide_run
  LEEWAY_ASSIGN(SimulationJob job, SimulationJob::open(invocation, run, cluster));
  LEEWAY_TRY(found->second(job));
  return job.exit_code();
}

namespace {

// `leeway run PROGRAM --engine piece`.
constexpr std::uint32_t kMostTicksToConverge = 100'000;  // limit for runs that end by convergence

}  // namespace

piece::PieceOptions piece_options(const CommandOptions& options, const ClusterOptions& cluster) {
  piece::PieceOptions engine = options.piece;
  settle_weights(options, engine.alpha, engine.beta);
  engine.ticks = options.iterations.value_or(kTicks);
  engine.threads = threads_of_node(options, cluster);
  engine.stop = options.stop;
  engine.frame_every = options.scene.frames.empty() ? 0 : options.scene.frame_every;
  engine.trace = !options.trace.empty() || !options.report.empty();
  return engine;
}

namespace {

/// The tolerance as snapshots record it: 0 for a fixed number of ticks, too, because the states are the same.
std::string tolerance_name(const std::optional<double>& tolerance) {
  return format("{}", tolerance.value_or(0));
}

/// The options of a run that may resume from a snapshot and take snapshots.
template <class Thing>
struct PieceStart {
  piece::PieceOptions engine;
  bool may_converge = false;  ///< the program has a termination condition
  std::unique_ptr<TickSnapshots> snapshots = {};
  std::vector<Thing> from = {};  ///< state of the snapshot, if resumed
  piece::PieceEnds<Thing> ends = {};

  /// The last tick, including the ticks before a restart.
  [[nodiscard]] std::uint32_t last(const Report& report) const {
    return snapshots->first() + static_cast<std::uint32_t>(report.iterations);
  }
};

/// `type`: the element type recorded in snapshots.
template <class Thing>
Status keep_run(const SimulationJob& job, snapshot::Identity what, std::string_view type,
                PieceStart<Thing>& kept) {
  static_assert(std::is_trivially_copyable_v<Thing>);
  TickInterval span{.ticks = kept.engine.ticks,
                    .terminates = kept.may_converge,
                    .synchronization = piece::system_name(kept.engine.system),
                    .thing_bytes = sizeof(Thing),
                    .thing_type = type};
  LEEWAY_ASSIGN(kept.snapshots, job.snapshots(std::move(what), span));
  kept.engine.ticks = span.ticks;
  kept.ends.every = span.every;
  if (const auto& start = kept.snapshots->start()) {
    kept.from.resize(start->state.size() / sizeof(Thing));
    if (!start->state.empty())
      std::memcpy(static_cast<void*>(kept.from.data()), start->state.data(), start->state.size());
    kept.ends.from = &kept.from;
  }
  if (!kept.snapshots->takes()) return {};
  kept.ends.keep = [&snapshots = *kept.snapshots](piece::TickId tick,
                                                  const std::vector<Thing>& things) {
    snapshots.keep(snapshots.first() + tick.value(), std::as_bytes(std::span(things)));
  };
  return {};
}

template <class Thing>
Report report_of(SimulationJob& job, PieceStart<Thing>& kept, const piece::PieceRecord& record,
                 std::uint64_t objects) {
  const piece::PieceOptions& engine = kept.engine;
  CommandOptions resolved = job.options;
  resolved.piece = engine;
  resolved.alpha = engine.alpha;
  resolved.beta = engine.beta;
  resolved.load.threads = engine.threads;
  resolved.iterations = record.terminated ? std::nullopt : std::optional(record.ticks);
  Report report = job.report(std::move(resolved));
  if (kept.may_converge) report.converged = record.terminated;
  report.gave_up = job.gave_up = kept.may_converge && !record.terminated && !job.options.iterations;
  add_piece_run(record, objects, report);
  if (!job.options.iterations && !kept.may_converge) report.why = kDefaultTicksAreDone;
  if (report.gave_up) report.why = format("no convergence within {} ticks", record.ticks);
  job.snapshot_counts = kept.snapshots->end();
  add_snapshots(*kept.snapshots, job.snapshot_counts, report);
  return report;
}

/// Calls `step` with a progress line: many pieces take time to create before the first tick.
template <class StepFunction>
auto watched(const SimulationJob& job, StepFunction&& step) {
  Watch watch(job.options);
  watch.progress()->start(format("making {} pieces", format_count(job.options.pieces)));
  return step();
}

/// Steps a scene of moving things and writes the outputs.
template <class Model, class Thing>
Status step_moving(SimulationJob& job, Scene<Thing> scene, const Model& model) {
  piece::SpatialJob<Model, Thing> moving{
      .model = model, .things = std::move(scene.first), .pieces = job.options.pieces};
  PieceStart<Thing> kept{.engine = piece_options(job.options, job.cluster)};
  LEEWAY_TRY(keep_run(job, identity_of(scene), "bytes", kept));
  LEEWAY_ASSIGN(const piece::SimulationResult<Thing> run, watched(job, [&] {
                  return piece::run_spatial(moving, job.cluster, kept.engine, kept.ends);
                }));
  if (!job.first) return {};
  scene.first = std::move(moving.things);
  Report report = report_of(job, kept, run.record, scene.count);
  Pictures<Thing> pictures;
  for (const auto& [tick, shown] : run.frames)
    pictures.emplace_back(kept.snapshots->first() + tick, shown);
  return conclude(job, std::move(scene), std::span(run.things), pictures, kept.last(report),
                  report);
}

Status run_school(SimulationJob& job) {
  const SceneParameters& choices = job.options.scene;
  if (choices.file.empty())
    LEEWAY_TRY(admit_memory("--fish", "fish", choices.fish, 4 * sizeof(scene::Fish)));
  LEEWAY_ASSIGN(Scene<scene::Fish> scene, fish_scene(job.options, true, job.cluster.job));
  return step_moving(job, std::move(scene), fish_model(job.options));
}

Status run_bodies(SimulationJob& job) {
  const SceneParameters& choices = job.options.scene;
  if (choices.file.empty())
    LEEWAY_TRY(admit_memory("--bodies", "bodies", choices.bodies, 4 * sizeof(scene::Body)));
  scene::NBodyModel model;
  LEEWAY_ASSIGN(Scene<scene::Body> scene, nbody_scene(job.options, model, job.cluster.job));
  return step_moving(job, std::move(scene), model);
}

Status run_plate(SimulationJob& job) {
  PieceStart<double> kept{.engine = piece_options(job.options, job.cluster)};
  const piece::JacobiJob plate{
      .plate = plate_of(job.options),
      .seed = job.options.load.seed,
      .pieces = job.options.pieces,
      .tolerance = job.options.iterations ? std::nullopt : job.options.program.tolerance,
      .measure = measured_every(job.options, kept.engine.ticks)};
  LEEWAY_TRY(admit_memory("--plate", "cells", plate.plate.cells(), 4 * sizeof(double)));
  kept.may_converge = plate.tolerance.has_value();
  if (kept.may_converge) kept.engine.ticks = kMostTicksToConverge;
  Scene<double> scene = plate_scene(job.options, job.names_scene());
  snapshot::Identity what = identity_of(scene);
  what.settings = {{"tolerance", tolerance_name(plate.tolerance)}};
  LEEWAY_TRY(keep_run(job, std::move(what), "f64", kept));
  LEEWAY_ASSIGN(auto run, watched(job, [&] {
                  return piece::run_jacobi(plate, job.cluster, kept.engine, kept.ends);
                }));
  if (!job.first) return {};
  Report report = report_of(job, kept, run.record, scene.count);
  return conclude(job, std::move(scene), std::span<const double>(run.heat), {}, kept.last(report),
                  report);
}

/// The priority considers the tick only: D(P) is undefined for graphs and equations (AsyTick §4.2.2, §5.3).
void ignore_distance(const CommandOptions& options, piece::PieceOptions& engine) {
  if (options.alpha || options.beta) return;
  engine.alpha = 0;
  engine.beta = 1;
}

Status run_ranks_in_pieces(SimulationJob& job) {
  const CommandOptions& options = job.options;
  double load = 0;
  LEEWAY_ASSIGN(const OpenedGraph held, job.open_graph(load));
  const Graph& graph = *held;
  const double damping = options.program.damping;
  piece::PageRankJob ranks{.what = {.damping = damping, .tolerance = options.program.tolerance},
                           .fixed = options.iterations.has_value(),
                           .partition = job.partition,
                           .pieces = options.pieces};
  const std::optional<double> tolerance = tolerance_of(ranks);
  PieceStart<double> kept{.engine = piece_options(options, job.cluster),
                          .may_converge = tolerance.has_value()};
  if (kept.may_converge) kept.engine.ticks = kMostTicksToConverge;
  ignore_distance(options, kept.engine);
  const snapshot::Identity what{
      .graph = *options.graph,
      .graph_hash = hash_of(graph),
      .vertices = graph.vertex_count(),
      .arcs = graph.arc_count(),
      .settings = {{"damping", format("{}", damping)}, {"tolerance", tolerance_name(tolerance)}}};
  LEEWAY_TRY(keep_run(job, what, "f64", kept));
  LEEWAY_ASSIGN(auto run, watched(job, [&] {
                  return piece::run_pagerank(graph, ranks, job.cluster, kept.engine, kept.ends);
                }));
  if (!job.first) return {};
  Report report = report_of(job, kept, run.record, graph.vertex_count());
  report.input.graph = what.graph;
  report.input.hash = what.graph_hash;
  report.input.arcs = what.arcs;
  report.input.held = whole_graph_held(job.cluster, graph.bytes(), "this engine");
  report.phases.load = load;
  if (kept.may_converge && verifies_cells(options, graph.arc_count(), report.iterations)) {
    const CheckingPhase phase(report);
    const auto expected = reference::pagerank(graph, {.damping = damping, .tolerance = 1e-15});
    LEEWAY_ASSIGN(const double most, verify_ranks(expected, run.ranks, 1e-12 + *tolerance * 10));
    report.verified = format("within {:.1e} of the textbook's ranks", most);
  }
  return job.finish(report, {.values = ranks_table(graph, run.ranks), .top = options.top});
}

constexpr double kLinearTolerance = 1e-9;
/// Agreement of the solution with the sequential program's, relative to its largest value. The products of a row are
/// added up piece by piece.
constexpr double kLinearAgreement = 1e-11;

/// The system of the options' files. Collective.
Result<piece::LinearSystem> system_of(const SimulationJob& job, const Graph& matrix) {
  const CommandOptions& options = job.options;
  piece::LinearSystem system{.matrix = matrix,
                             .right_side = std::vector<double>(matrix.vertex_count(), 1.0)};
  const auto read = [&]() -> Status {
    if (Status sound = piece::admit_matrix(matrix); !sound)
      return fail(in_graph(std::move(sound).error(), options));
    if (!options.rhs.empty()) {
      LEEWAY_ASSIGN(system.right_side, read_vertex_values(options.rhs, matrix.names(), 0));
    }
    if (options.start.empty()) return {};
    LEEWAY_ASSIGN(system.start, read_vertex_values(options.start, matrix.names(), 0));
    return {};
  };
  LEEWAY_TRY(agree_in_job(job.cluster.job, read()));
  return system;
}

Error diverges(const piece::LinearSystem& system, std::uint64_t ticks,
               const CommandOptions& options) {
  std::vector<double> diagonal;
  for (VertexId row(0); row.value() < system.matrix.vertex_count(); row = row.next())
    diagonal.push_back(diagonal_of(system.matrix, row));
  const auto spectrum = judge_spectrum(system.matrix, diagonal);
  if (!spectrum) return spectrum.error();
  return input_error(
      *options.graph,
      format("Jacobi's method diverges on this matrix: its values grew without bound over {} "
             "ticks; the spectral radius of I - A/D is about {:.4f}",
             ticks, spectrum->radius),
      "use a matrix whose diagonal outweighs the rest of each row");
}

/// On node 0: the residual and the comparison with the sequential program after all `ticks`.
Status judge_solution(const piece::LinearSystem& system, std::span<const double> x,
                      std::uint32_t ticks, const CommandOptions& options, Report& report) {
  const CheckingPhase phase(report);
  const double residual = piece::relative_residual(system, x);
  report.answer.real("residual", "||b - A x|| / ||b||", residual);
  std::vector<double> start = system.start;
  start.resize(x.size());
  if (const double before = piece::relative_residual(system, start); residual > before) {
    log_warning("{}: the residual grew from {:.3g} to {:.3g}; Jacobi's method seems to diverge",
                *options.graph, before, residual);
  }
  if (!verifies_cells(options, system.matrix.arc_count(), ticks)) return {};
  const auto expected =
      reference::jacobi_ticks(system.matrix, system.right_side, std::move(start), ticks);
  double largest = 0;
  double most = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    largest = std::max(largest, std::abs(expected[i]));
    most = std::max(most, std::abs(expected[i] - x[i]));
  }
  if (!(most <= kLinearAgreement * largest)) return fail(differs(format("x is {} off", most)));
  report.verified = format("within {:.1e} of the sequential program's result", most);
  return {};
}

Status run_equations(SimulationJob& job) {
  const CommandOptions& options = job.options;
  double load = 0;
  LEEWAY_ASSIGN(const OpenedGraph held, job.open_graph(load));
  const Graph& matrix = *held;
  LEEWAY_ASSIGN(const piece::LinearSystem system, system_of(job, matrix));
  const std::uint64_t entries = matrix.arc_count();
  // METIS finds nothing to divide in a dense matrix.
  const bool dense = 4 * entries >= std::uint64_t{matrix.vertex_count()} * matrix.vertex_count();
  if (dense && options.partition.method == PartitionMethod::Auto)
    job.partition.method = PartitionMethod::Block;
  LEEWAY_TRY(admit_memory(*options.graph, "entries", entries, 3 * sizeof(double)));
  PieceStart<double> kept{.engine = piece_options(options, job.cluster)};
  ignore_distance(options, kept.engine);
  const std::optional<double> tolerance =
      options.iterations ? std::nullopt
                         : std::optional(options.program.tolerance.value_or(kLinearTolerance));
  const piece::LinearSystemJob solved{.partition = job.partition,
                                      .pieces = options.pieces,
                                      .tolerance = tolerance,
                                      .measure = measured_every(options, kept.engine.ticks)};
  kept.may_converge = tolerance.has_value();
  if (kept.may_converge) kept.engine.ticks = kMostTicksToConverge;
  const snapshot::Identity what{.graph = *options.graph,
                                .graph_hash = hash_of(matrix),
                                .vertices = matrix.vertex_count(),
                                .arcs = entries,
                                .settings = {{"rhs", hash_text(system.right_side)},
                                             {"tolerance", tolerance_name(tolerance)}}};
  LEEWAY_TRY(keep_run(job, what, "f64", kept));
  LEEWAY_ASSIGN(const auto run, watched(job, [&] {
                  return piece::run_linear_system(system, solved, job.cluster, kept.engine,
                                                  kept.ends);
                }));
  if (!job.first) return {};
  Report report = report_of(job, kept, run.record, matrix.vertex_count());
  report.input.graph = what.graph;
  report.input.hash = what.graph_hash;
  report.input.arcs = entries;
  report.input.held = whole_graph_held(job.cluster, system.matrix.bytes(), "this engine");
  report.phases.load = load;
  const std::uint32_t last = kept.last(report);
  if (run.diverged) return fail(diverges(system, last, options));
  LEEWAY_TRY(judge_solution(system, run.x, last, options, report));
  return job.finish(report, {.values = solution_table(matrix, run.x)});
}

}  // namespace

Result<int> run_piece(const Invocation& invocation, const Request& run,
                      const ClusterOptions& cluster) {
  using Runner = Status (*)(SimulationJob& job);
  constexpr std::array<std::pair<std::string_view, Runner>, 5> kPrograms = {
      {{"fish", run_school},
       {"linear-system", run_equations},
       {"nbody", run_bodies},
       {"pagerank", run_ranks_in_pieces},
       {"jacobi", run_plate}}};
  const auto found = std::find_if(kPrograms.begin(), kPrograms.end(),
                                  [&](const auto& each) { return each.first == run.name(); });
  LEEWAY_CHECK(found != kPrograms.end(), run.name());  // guaranteed by decide_run
  LEEWAY_TRY(piece::admit_options(piece_options(invocation.options, cluster)));
  LEEWAY_ASSIGN(SimulationJob job, SimulationJob::open(invocation, run, cluster));
  LEEWAY_TRY(found->second(job));
  return job.exit_code();
}

}  // namespace leeway::cli
