// `leeway run PROGRAM --engine piece`: the shipped programs of the piece engine, from settings to
// files.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <functional>
#include <span>
#include <type_traits>

#include "leeway/base/check.h"
#include "leeway/base/format.h"
#include "leeway/cli/admit_memory.h"
#include "leeway/cli/piece_report.h"
#include "leeway/cli/result_tables.h"
#include "leeway/cli/run_plan.h"
#include "leeway/cli/simulation_run.h"
#include "leeway/cli/vertex_report.h"
#include "leeway/cli/watch.h"
#include "leeway/programs/piece/fish.h"
#include "leeway/programs/piece/jacobi.h"
#include "leeway/programs/piece/nbody.h"
#include "leeway/programs/piece/pagerank.h"
#include "leeway/programs/reference/oracles.h"

namespace leeway::cli {

namespace {

constexpr std::uint32_t kTicks = 100;
constexpr std::uint32_t kMostTicks = 100'000;  // of what comes to rest by itself
constexpr std::uint32_t kTicksBetweenSnapshots =
    10;  // where it is not known how many there will be

piece::Options engine_of(const Options& options, const ClusterOptions& cluster) {
  piece::Options engine = options.run.piece;
  options.run.asytick.settle(engine.alpha, engine.beta);
  engine.ticks = options.iterations.value_or(kTicks);
  engine.threads = threads_of_node(options, cluster);
  engine.stop = options.stop;
  engine.frame_every = options.run.scene.frames.empty() ? 0 : options.run.scene.frame_every;
  engine.trace = !options.run.trace.empty() || !options.run.report.empty();
  return engine;
}

/// How it is stepped, and a run that may go on from a snapshot and may take some.
template <class Thing>
struct KeptRun {
  piece::Options engine;
  bool may_rest = false;  ///< the program has a Termination() of its own
  std::unique_ptr<TickSnapshots> snapshots = {};
  std::vector<Thing> from = {};  ///< where it goes on from a snapshot
  piece::PieceEnds<Thing> ends = {};

  /// The tick that the run has come to, those before a restart counted.
  [[nodiscard]] std::uint32_t last(const Report& report) const {
    return snapshots->first().value() + static_cast<std::uint32_t>(report.iterations);
  }
};

/// `type`: of a thing, as a snapshot calls it.
template <class Thing>
Status keep_run(const SimulationJob& job, snapshot::Identity what, std::string_view type,
                KeptRun<Thing>& kept) {
  static_assert(std::is_trivially_copyable_v<Thing>);
  TickInterval span{.ticks = kept.engine.ticks,
                    .every_unsaid = kept.may_rest ? kTicksBetweenSnapshots : 0,
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
    snapshots.keep(tick::Tick(snapshots.first().value() + tick.value()),
                   std::as_bytes(std::span(things)));
  };
  return {};
}

template <class Thing>
Report report_of(SimulationJob& job, KeptRun<Thing>& kept, const piece::PieceRecord& record,
                 std::uint64_t objects) {
  const piece::Options& engine = kept.engine;
  Report report = job.report(
      {{"threads", std::to_string(engine.threads)},
       {"alpha", format("{}", engine.alpha)},
       {"beta", format("{}", engine.beta)},
       {"iterations", record.terminated ? "until it rests" : std::to_string(record.ticks)}});
  if (kept.may_rest) report.converged = record.terminated;
  report.gave_up = job.gave_up = kept.may_rest && !record.terminated && !job.options.iterations;
  add_piece_run(record, objects, report);
  kept.snapshots->end(report);
  job.snapshot_counts = kept.snapshots->counts();
  return report;
}

/// `step`, watched: the pieces are made before the first tick, which takes time where there are many.
template <class Step>
auto watched(const SimulationJob& job, Step&& step) {
  Watch watch(job.options);
  watch.progress()->start(format("making {} pieces", format_count(job.options.run.asytick.pieces)));
  return step();
}

/// Steps a scene of things that move, and delivers. `things`: those of the engine's own job, which has them meanwhile.
template <class Thing, class Run>
Status step_moving(SimulationJob& job, Scene<Thing> scene, std::vector<Thing>& things,
                   Run&& run_it) {
  things = std::move(scene.first);
  KeptRun<Thing> kept{.engine = engine_of(job.options, job.cluster)};
  LEEWAY_TRY(keep_run(job, identity_of(scene), "bytes", kept));
  LEEWAY_ASSIGN(const piece::SimulationRun<Thing> run,
                watched(job, [&] { return run_it(kept.engine, kept.ends); }));
  if (!job.first) return {};
  scene.first = std::move(things);
  Report report = report_of(job, kept, run.record, scene.count);
  Pictures<Thing> pictures;
  for (const auto& [tick, shown] : run.frames)
    pictures.emplace_back(kept.snapshots->first().value() + tick, shown);
  return conclude(job, std::move(scene), std::span(run.things), pictures, kept.last(report),
                  report);
}

Status run_school(SimulationJob& job) {
  const std::uint32_t count = job.options.run.scene.fish;
  LEEWAY_TRY(admit_memory("--fish", "fish", count, 4 * sizeof(scene::Fish)));
  piece::FishJob school;
  school.model = fish_model(job.options);
  school.pieces = job.options.run.asytick.pieces;
  return step_moving(job, fish_scene(job.options, true), school.fish,
                     [&](const piece::Options& engine, const auto& ends) {
                       return piece::run_fish(school, job.cluster, engine, ends);
                     });
}

Status run_bodies(SimulationJob& job) {
  const std::uint32_t count = job.options.run.scene.bodies;
  LEEWAY_TRY(admit_memory("--bodies", "bodies", count, 4 * sizeof(scene::Body)));
  piece::NBodyJob bodies;
  Scene<scene::Body> scene = nbody_scene(job.options, bodies.model);
  bodies.pieces = job.options.run.asytick.pieces;
  return step_moving(job, std::move(scene), bodies.bodies,
                     [&](const piece::Options& engine, const auto& ends) {
                       return piece::run_nbody(bodies, job.cluster, engine, ends);
                     });
}

Status run_plate(SimulationJob& job) {
  KeptRun<double> kept{.engine = engine_of(job.options, job.cluster)};
  const piece::JacobiJob plate{.plate = plate_of(job.options),
                               .seed = job.options.load.seed,
                               .pieces = job.options.run.asytick.pieces,
                               .tolerance = job.options.run.program.tolerance.value_or(0),
                               .measure = measured_every(job.options, kept.engine.ticks)};
  LEEWAY_TRY(admit_memory("--plate", "cells", plate.plate.cells(), 4 * sizeof(double)));
  kept.may_rest = plate.tolerance > 0;
  if (kept.may_rest) kept.engine.ticks = kMostTicks;
  Scene<double> scene = plate_scene(job.options, job.names_scene());
  snapshot::Identity what = identity_of(scene);
  what.settings = {{"tolerance", format("{}", plate.tolerance)}};
  LEEWAY_TRY(keep_run(job, std::move(what), "f64", kept));
  LEEWAY_ASSIGN(auto run, watched(job, [&] {
                  return piece::run_jacobi(plate, job.cluster, kept.engine, kept.ends);
                }));
  if (!job.first) return {};
  Report report = report_of(job, kept, run.record, scene.count);
  return conclude(job, std::move(scene), std::span<const double>(run.heat), {}, kept.last(report),
                  report);
}

Status verify_ranks(const Graph& graph, double damping, double tolerance,
                    const std::vector<double>& ranks, Report& report) {
  const CheckingPhase phase(report);
  const auto expected = reference::pagerank(graph, {.damping = damping, .tolerance = 1e-15});
  double most = 0;
  for (std::size_t i = 0; i < expected.size(); ++i)
    most = std::max(most, std::abs(expected[i] - ranks[i]));
  if (!(most <= 1e-12 + tolerance * 10)) return fail(differs(format("a rank is {} off", most)));
  report.verified = format("within {:.1e} of the textbook's ranks", most);
  return {};
}

Status run_ranks(SimulationJob& job) {
  const Options& options = job.options;
  double load = 0;
  LEEWAY_ASSIGN(const RunGraph held, job.open_graph(load));
  const Graph& graph = *held;
  const double damping = options.run.program.damping;
  piece::PageRankJob ranks{.what = {.damping = damping, .tolerance = options.run.program.tolerance},
                           .partition = job.partition,
                           .pieces = options.run.asytick.pieces};
  if (options.iterations) ranks.what.tolerance = 0;
  const double tolerance = tolerance_of(ranks);
  KeptRun<double> kept{.engine = engine_of(options, job.cluster), .may_rest = tolerance > 0};
  if (kept.may_rest) kept.engine.ticks = kMostTicks;
  const AsyTickChoices& told = options.run.asytick;
  if (!told.alpha && !told.beta) {  // D(P) of a graph cannot be told (AsyTick §4.2.2)
    kept.engine.alpha = 0;
    kept.engine.beta = 1;
  }
  const snapshot::Identity what{
      .graph = *options.graph,
      .graph_hash = hash_of(graph),
      .vertices = graph.vertex_count(),
      .arcs = graph.arc_count(),
      .settings = {{"damping", format("{}", damping)}, {"tolerance", format("{}", tolerance)}}};
  LEEWAY_TRY(keep_run(job, what, "f64", kept));
  LEEWAY_ASSIGN(auto run, watched(job, [&] {
                  return piece::run_pagerank(graph, ranks, job.cluster, kept.engine, kept.ends);
                }));
  if (!job.first) return {};
  Report report = report_of(job, kept, run.record, graph.vertex_count());
  report.input.graph = what.graph;
  report.input.hash = what.graph_hash;
  report.input.arcs = what.arcs;
  report.phases.load = load;
  if (kept.may_rest && verifies_cells(options, graph.arc_count(), report.iterations))
    LEEWAY_TRY(verify_ranks(graph, damping, tolerance, run.ranks, report));
  return job.finish(report, {.values = ranks_table(graph, run.ranks), .top = options.run.top});
}

}  // namespace

Result<int> run_piece(const Invocation& invocation, const DecidedRun& run,
                      const ClusterOptions& cluster) {
  using Runner = Status (*)(SimulationJob& job);
  constexpr std::array<std::pair<std::string_view, Runner>, 4> kPrograms = {
      {{"fish", run_school},
       {"nbody", run_bodies},
       {"pagerank", run_ranks},
       {"jacobi", run_plate}}};
  const auto found = std::find_if(kPrograms.begin(), kPrograms.end(),
                                  [&](const auto& each) { return each.first == run.name(); });
  LEEWAY_CHECK(found != kPrograms.end(), run.name());  // the list of programs says it has it
  LEEWAY_TRY(piece::admit_options(engine_of(invocation.options, cluster)));
  LEEWAY_ASSIGN(SimulationJob job, SimulationJob::open(invocation, run, cluster));
  LEEWAY_TRY(found->second(job));
  return job.exit_code();
}

}  // namespace leeway::cli
