// `leeway run PROGRAM --engine piece`: the shipped programs of the piece engine, from settings to
// files.
#include <cstring>
#include <functional>
#include <memory>
#include <span>
#include <type_traits>

#include "leeway/base/check.h"
#include "leeway/base/format.h"
#include "leeway/cli/admit_memory.h"
#include "leeway/cli/applicability.h"
#include "leeway/cli/command.h"
#include "leeway/cli/film.h"
#include "leeway/cli/graph_argument.h"
#include "leeway/cli/output.h"
#include "leeway/cli/piece_report.h"
#include "leeway/cli/result_tables.h"
#include "leeway/cli/run_outputs.h"
#include "leeway/cli/run_plan.h"
#include "leeway/cli/run_snapshots.h"
#include "leeway/cli/scene_hash.h"
#include "leeway/cli/settled_division.h"
#include "leeway/cli/tick_snapshots.h"
#include "leeway/cli/vertex_report.h"
#include "leeway/cli/watch.h"
#include "leeway/programs/piece/fish.h"
#include "leeway/programs/piece/jacobi.h"
#include "leeway/programs/piece/nbody.h"
#include "leeway/programs/piece/pagerank.h"
#include "leeway/programs/reference/oracles.h"
#include "leeway/programs/reference/simulations.h"

namespace leeway::cli {

namespace {

constexpr std::uint32_t kTicks = 100;
constexpr std::uint32_t kMostTicks = 100'000;  // of what comes to rest by itself
constexpr std::uint32_t kTicksBetweenSnapshots =
    10;  // where it is not known how many there will be

/// One run under way.
struct PieceJob {
  const Options& options;
  const DecidedRun& run;
  const ClusterOptions& cluster;
  piece::PieceOptions engine;
  bool first = true;  ///< of the nodes: the one that speaks
  Instant begun{};    ///< the command
  RunOutputs outputs;
  bool gave_up = false;
  PartitionOptions partition;  ///< settled once there is a graph
};

piece::PieceOptions engine_of(const Options& options, const ClusterOptions& cluster) {
  const SceneChoices& told = options.run.scene;
  piece::PieceOptions engine = options.run.piece;
  options.run.asytick.settle(engine.alpha, engine.beta);
  engine.ticks = options.iterations.value_or(kTicks);
  engine.threads = threads_of_node(options, cluster);
  engine.stop = options.stop;
  engine.frame_every = told.frames.empty() ? 0 : told.frame_every;
  engine.trace = !options.run.trace.empty() || !options.run.report.empty();
  return engine;
}

/// The pieces are made before the first tick, which takes time where there are many.
template <class Work>
auto watched(const PieceJob& job, Work&& work) {
  Watch watch(job.options);
  watch.progress()->start(format("making {} pieces", format_count(job.options.run.asytick.pieces)));
  return work();
}

/// A run that may go on from a snapshot, and may take some.
template <class Thing>
struct KeptRun {
  std::unique_ptr<TickSnapshots> snapshots;
  std::vector<Thing> from;  ///< where it goes on from a snapshot
  piece::PieceEnds<Thing> ends;

  /// The tick that the run has come to, those before a restart counted.
  [[nodiscard]] std::uint32_t last(const Report& report) const {
    return snapshots->first().value() + static_cast<std::uint32_t>(report.iterations);
  }
};

/// `scene`: of the job, what differs between programs. `type`: of a thing, as a snapshot calls it.
template <class Thing>
Status keep_run(PieceJob& job, snapshot::Identity scene, bool may_rest, std::string_view type,
                KeptRun<Thing>& kept) {
  static_assert(std::is_trivially_copyable_v<Thing>);
  scene.engine = "piece";
  scene.program = job.run.name();
  TickSpan span{.ticks = job.engine.ticks,
                .every_unsaid = may_rest ? kTicksBetweenSnapshots : 0,
                .synchronization = piece::system_name(job.engine.system),
                .thing_bytes = sizeof(Thing),
                .thing_type = type};
  LEEWAY_ASSIGN(kept.snapshots,
                TickSnapshots::open(job.options, std::move(scene), job.cluster, span));
  job.engine.ticks = span.ticks;
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
    snapshots.keep(Tick(snapshots.first().value() + tick.value()),
                   std::as_bytes(std::span(things)));
  };
  return {};
}

/// `may_rest`: the program has a Termination() of its own.
Report report_of(PieceJob& job, piece::PieceRecord record, std::uint64_t objects, bool may_rest) {
  const piece::PieceOptions& engine = job.engine;
  Report report;
  report.program = job.run.name();
  Configuration used = {
      {"engine", "piece"},
      {"fabric", std::string(fabric_name(job.cluster.fabric))},
      {"nodes", std::to_string(job.cluster.nodes)},
      {"net", job.cluster.network.name},
      {"threads", std::to_string(job.engine.threads)},
      {"alpha", format("{}", engine.alpha)},
      {"beta", format("{}", engine.beta)},
      {"iterations", record.terminated ? "until it rests" : std::to_string(record.ticks)},
      {"seed", std::to_string(job.options.load.seed)},
      {"partition", partition_text(job.partition)},
  };
  report.configuration = applicable_configuration(std::move(used), job.options, job.run);
  report.simulated = job.cluster.fabric == Fabric::Sim;
  if (may_rest) report.converged = record.terminated;
  report.gave_up = job.gave_up = may_rest && !record.terminated && !job.options.iterations;
  report.frames = job.options.run.scene.frames;
  add_piece_run(std::make_shared<const piece::PieceRecord>(std::move(record)), objects, report);
  return report;
}

Status finish(PieceJob& job, Report& report, const RunResults& results) {
  return cli::finish(report, results, job.outputs, job.options.json, job.begun);
}

Status hold(bool same, std::string found, Report& report) {
  if (same) {
    report.verified = std::move(found);
    return {};
  }
  return fail(Error{ErrorKind::Environment, "--verify",
                    "the result differs from the sequential program's",
                    "report this, with the command"});
}

constexpr const char* kSameBits = "all bits are those of the sequential program";

template <class Thing>
std::string film_of(const piece::SimulationRun<Thing>& run, const KeptRun<Thing>& kept,
                    std::string_view program, double width, double height,
                    std::uint32_t Thing::*kind) {
  Film film{.program = std::string(program), .width = width, .height = height};
  for (const Thing& thing : run.things) film.kinds.push_back(thing.*kind);
  for (const auto& [tick, things] : run.frames)
    film.add(kept.snapshots->first().value() + tick, things);
  return film_json(film);
}

Status run_school(PieceJob& job) {
  const SceneChoices& told = job.options.run.scene;
  LEEWAY_TRY(admit_memory("--fish", "fish", told.fish, 4 * sizeof(scene::Fish)));
  piece::FishJob school;
  school.model.width = told.width;
  school.model.height = told.height;
  school.model.visibility = told.visibility;
  school.model.reach = told.reach;
  school.pieces = job.options.run.asytick.pieces;
  school.fish =
      scene::school(school.model, told.fish, told.informed, told.goals, job.options.load.seed);
  const std::string scene =
      format("{} fish in a basin of {} x {}", told.fish, told.width, told.height);
  const std::string hash = hash_of(school.model, school.fish);
  KeptRun<scene::Fish> kept;
  LEEWAY_TRY(keep_run(job,
                      {.graph = format("{}, visibility {}, reach {}, seed {}", scene,
                                       told.visibility, told.reach, job.options.load.seed),
                       .graph_hash = hash,
                       .vertices = told.fish},
                      false, "bytes", kept));
  LEEWAY_ASSIGN(auto run, watched(job, [&] {
                  return piece::run_fish(school, job.cluster, job.engine, kept.ends);
                }));
  if (!job.first) return {};
  Report report = report_of(job, std::move(run.record), run.things.size(), false);
  kept.snapshots->end(report);
  report.input.graph = scene;
  report.input.hash = hash;
  if (verifies_pairs(job.options, told.fish, told.visibility, told.width, kept.last(report))) {
    const CheckingPhase phase(report);
    const auto expected = reference::fish_after(school.model, school.fish, kept.last(report));
    LEEWAY_TRY(hold(expected == run.things, kSameBits, report));
  }
  return finish(job, report, {.values = things_table(run.things), .film = [&] {
                                return film_of(run, kept, "fish", told.width, told.height,
                                               &scene::Fish::goal);
                              }});
}

Status run_bodies(PieceJob& job) {
  const SceneChoices& told = job.options.run.scene;
  LEEWAY_TRY(admit_memory("--bodies", "bodies", told.bodies, 4 * sizeof(scene::Body)));
  piece::NBodyJob bodies;
  bodies.model.width = told.box_width;
  bodies.model.height = told.box_height;
  bodies.model.radius = told.cutoff;
  bodies.model.reach = std::min(told.box_width, told.box_height) / 16;
  bodies.pieces = job.options.run.asytick.pieces;
  bodies.bodies = scene::nbody_scene(
      {.bodies = told.bodies, .groups = told.groups, .seed = job.options.load.seed}, bodies.model);
  const std::string scene =
      format("{} bodies in a box of {} x {}", told.bodies, told.box_width, told.box_height);
  const std::string hash = hash_of(bodies.model, bodies.bodies);
  KeptRun<scene::Body> kept;
  LEEWAY_TRY(keep_run(job,
                      {.graph = format("{}, cutoff {}, groups {}, seed {}", scene, told.cutoff,
                                       told.groups, job.options.load.seed),
                       .graph_hash = hash,
                       .vertices = told.bodies},
                      false, "bytes", kept));
  LEEWAY_ASSIGN(auto run, watched(job, [&] {
                  return piece::run_nbody(bodies, job.cluster, job.engine, kept.ends);
                }));
  if (!job.first) return {};
  Report report = report_of(job, std::move(run.record), run.things.size(), false);
  kept.snapshots->end(report);
  report.input.graph = scene;
  report.input.hash = hash;
  if (verifies_pairs(job.options, told.bodies, told.cutoff, told.box_width, kept.last(report))) {
    const CheckingPhase phase(report);
    const auto expected = reference::bodies_after(bodies.model, bodies.bodies, kept.last(report));
    LEEWAY_TRY(hold(expected == run.things, kSameBits, report));
  }
  return finish(job, report, {.values = things_table(run.things), .film = [&] {
                                return film_of(run, kept, "nbody", told.box_width, told.box_height,
                                               &scene::Body::trap);
                              }});
}

Status run_plate(PieceJob& job) {
  const SceneChoices& told = job.options.run.scene;
  piece::JacobiJob plate{.plate = {told.columns, told.rows},
                         .seed = job.options.load.seed,
                         .pieces = job.options.run.asytick.pieces,
                         .tolerance = job.options.run.program.tolerance.value_or(0),
                         .measure = measured_every(job.options, job.engine.ticks)};
  LEEWAY_TRY(admit_memory("--plate", "cells", plate.plate.cells(), 4 * sizeof(double)));
  if (plate.tolerance > 0) job.engine.ticks = kMostTicks;
  const std::string scene = format("a plate of {} x {} cells", told.columns, told.rows);
  std::vector<double> heat;
  if (job.first || uses_snapshots(job.options)) heat = scene::first_plate(plate.plate, plate.seed);
  const std::string hash = hash_of(plate.plate, heat);
  KeptRun<double> kept;
  LEEWAY_TRY(keep_run(job,
                      {.graph = format("{}, seed {}", scene, plate.seed),
                       .graph_hash = hash,
                       .vertices = plate.plate.cells(),
                       .settings = {{"tolerance", format("{}", plate.tolerance)}}},
                      plate.tolerance > 0, "f64", kept));
  LEEWAY_ASSIGN(auto run, watched(job, [&] {
                  return piece::run_jacobi(plate, job.cluster, job.engine, kept.ends);
                }));
  if (!job.first) return {};
  Report report = report_of(job, std::move(run.record), plate.plate.cells(), plate.tolerance > 0);
  kept.snapshots->end(report);
  report.input.graph = scene;
  report.input.hash = hash;
  if (verifies_cells(job.options, report.input.vertices, kept.last(report))) {
    const CheckingPhase phase(report);
    const auto expected = reference::plate_after(plate.plate, std::move(heat), kept.last(report));
    LEEWAY_TRY(hold(expected == run.heat, kSameBits, report));
  }
  return finish(job, report, {.values = plate_table(told.columns, run.heat)});
}

Status run_ranks(PieceJob& job) {
  const SteadyClock clock;
  const Instant opened = clock.now();
  LEEWAY_ASSIGN(const RunGraph held, RunGraph::of(job.options));
  const Graph& graph = *held;
  const double load = seconds(clock.now() - opened);
  piece::PageRankJob ranks{.what = {.damping = job.options.run.program.damping,
                                    .tolerance = job.options.run.program.tolerance},
                           .pieces = job.options.run.asytick.pieces};
  settle_method(job.cluster, graph, job.partition);
  ranks.partition = job.partition;
  if (job.options.iterations) ranks.what.tolerance = 0;
  const double tolerance = tolerance_of(ranks);
  if (tolerance > 0) job.engine.ticks = kMostTicks;
  if (!job.options.run.asytick.alpha &&
      !job.options.run.asytick.beta) {  // D(P) of a graph cannot be told (AsyTick §4.2.2)
    job.engine.alpha = 0;
    job.engine.beta = 1;
  }
  const std::string hash = hash_of(graph);
  KeptRun<double> kept;
  LEEWAY_TRY(keep_run(job,
                      {.graph = *job.options.graph,
                       .graph_hash = hash,
                       .vertices = graph.vertex_count(),
                       .arcs = graph.arc_count(),
                       .settings = {{"damping", format("{}", ranks.what.damping)},
                                    {"tolerance", format("{}", tolerance)}}},
                      tolerance > 0, "f64", kept));
  LEEWAY_ASSIGN(auto run, watched(job, [&] {
                  return piece::run_pagerank(graph, ranks, job.cluster, job.engine, kept.ends);
                }));
  if (!job.first) return {};
  Report report = report_of(job, std::move(run.record), graph.vertex_count(), tolerance > 0);
  kept.snapshots->end(report);
  report.input.arcs = graph.arc_count();
  report.input.graph = *job.options.graph;
  report.input.hash = hash;
  report.phases.load = load;
  if (tolerance > 0 && verifies_cells(job.options, graph.arc_count(), report.iterations)) {
    const CheckingPhase phase(report);
    const auto expected =
        reference::pagerank(graph, {.damping = ranks.what.damping, .tolerance = 1e-15});
    double most = 0;
    for (std::size_t i = 0; i < expected.size(); ++i)
      most = std::max(most, std::abs(expected[i] - run.ranks[i]));
    LEEWAY_TRY(hold(most <= 1e-12 + tolerance * 10,
                    format("within {:.1e} of the textbook's ranks", most), report));
  }
  return finish(job, report, {.values = ranks_table(graph, run.ranks), .top = job.options.run.top});
}

struct PieceProgram {
  std::string_view name;
  Status (*run)(PieceJob& job);
};
constexpr std::array kPrograms = {
    PieceProgram{"fish", run_school},
    PieceProgram{"nbody", run_bodies},
    PieceProgram{"pagerank", run_ranks},
    PieceProgram{"jacobi", run_plate},
};

}  // namespace

Result<int> run_piece(const Invocation& invocation, const DecidedRun& run,
                      const ClusterOptions& cluster) {
  const Options& options = invocation.options;
  const auto found = std::find_if(kPrograms.begin(), kPrograms.end(),
                                  [&](const auto& each) { return each.name == run.name(); });
  LEEWAY_CHECK(found != kPrograms.end(), run.name());  // the list of programs says it has it
  PieceJob job{.options = options,
               .run = run,
               .cluster = cluster,
               .engine = engine_of(options, cluster),
               .first = cluster.job == nullptr || cluster.job->self() == NodeId(0),
               .begun = invocation.begun,
               .outputs = {},
               .partition = options.partition};
  LEEWAY_TRY(piece::admit_options(job.engine));
  LEEWAY_ASSIGN(job.outputs, RunOutputs::open(options, job.first));
  LEEWAY_TRY(found->run(job));
  return job.gave_up ? kGaveUp : 0;
}

}  // namespace leeway::cli
