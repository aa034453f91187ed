// `leeway run PROGRAM --engine piece`: the shipped programs of the piece engine, from settings to
// files.
#include <functional>
#include <memory>

#include "leeway/base/check.h"
#include "leeway/base/format.h"
#include "leeway/cli/admit_memory.h"
#include "leeway/cli/command.h"
#include "leeway/cli/graph_argument.h"
#include "leeway/cli/heeding.h"
#include "leeway/cli/output.h"
#include "leeway/cli/piece_report.h"
#include "leeway/cli/run_outputs.h"
#include "leeway/cli/run_report.h"
#include "leeway/cli/scene_hash.h"
#include "leeway/cli/tick_files.h"
#include "leeway/datasets/byte_stream.h"
#include "leeway/programs/piece/fish.h"
#include "leeway/programs/piece/jacobi.h"
#include "leeway/programs/piece/nbody.h"
#include "leeway/programs/piece/pagerank.h"
#include "leeway/programs/reference/oracles.h"

namespace leeway::cli {

namespace {

constexpr std::uint32_t kTicks = 100;
constexpr std::uint32_t kMostTicks = 100'000;  // of what comes to rest by itself
constexpr std::uint64_t kVerifiedObjectTicks = 20'000'000;

/// One run under way.
struct PieceJob {
  const Options& options;
  const DecidedRun& run;
  const ClusterOptions& cluster;
  piece::PieceOptions engine;
  bool first = true;  ///< of the nodes: the one that speaks
  RunOutputs outputs;
};

piece::PieceOptions engine_of(const Options& options) {
  const SimulationChoices& told = options.run.simulation;
  piece::PieceOptions engine;
  engine.system = told.system;
  engine.ticks = options.iterations.value_or(kTicks);
  engine.scheduler = told.by_priority;
  if (told.alpha || told.beta) {
    engine.alpha = told.alpha.value_or(1 - told.beta.value_or(0));
    engine.beta = told.beta.value_or(1 - engine.alpha);
  }
  engine.balance_every = told.balance_every;
  engine.frame_every = told.frames.empty() ? 0 : told.frame_every;
  engine.trace = !options.run.trace.empty() || !options.run.report.empty();
  return engine;
}

/// `may_rest`: the program has a Termination() of its own.
PieceFacts facts_of(const PieceJob& job, std::string program, piece::PieceRecord record,
                    bool may_rest) {
  const piece::PieceOptions& engine = job.engine;
  PieceFacts facts;
  facts.program = std::move(program);
  Configuration used = {
      {"engine", "piece"},
      {"fabric", std::string(fabric_name(job.cluster.fabric))},
      {"nodes", std::to_string(job.cluster.nodes)},
      {"net", job.cluster.network.name},
      {"system", std::string(piece::system_name(engine.system))},
      {"pieces", std::to_string(job.options.run.simulation.pieces)},
      {"piece-order", engine.scheduler ? "priority" : "arrival"},
      {"alpha", format("{}", engine.alpha)},
      {"beta", format("{}", engine.beta)},
      {"balance-every", std::to_string(engine.balance_every)},
      {"iterations", record.terminated ? "until it rests" : std::to_string(record.ticks)},
      {"seed", std::to_string(job.options.load.seed)},
      {"damping", format("{}", job.options.run.damping)},
      {"partition", partition_text(job.options.partition)},
  };
  facts.configuration = heeded_configuration(std::move(used), job.options, job.run);
  facts.simulated = job.cluster.fabric == Fabric::Sim;
  facts.why = record.terminated ? "it came to rest" : "as many ticks as were asked for";
  if (may_rest) facts.converged = record.terminated;
  facts.frames = job.options.run.simulation.frames;
  facts.record = std::move(record);
  return facts;
}

Status finish(PieceJob& job, PieceFacts& facts, const std::function<std::string()>& lines,
              const std::function<std::string()>& film) {
  const SteadyClock clock;
  const Instant started = clock.now();
  LEEWAY_TRY(write_to(job.outputs.values, lines));
  LEEWAY_TRY(write_to(job.outputs.frames, film));
  facts.output_seconds = seconds(clock.now() - started);
  LEEWAY_TRY(write_to(job.outputs.report, [&] { return piece_report_json(facts); }));
  LEEWAY_TRY(write_to(job.outputs.trace, [&] { return piece_trace_json(facts); }));
  return print(piece_summary(facts, job.options.json));
}

bool verifies(const PieceJob& job, std::uint64_t objects, std::uint32_t ticks) {
  return job.options.run.verify.value_or(objects * ticks <= kVerifiedObjectTicks);
}

Status hold(bool same, std::string found, PieceFacts& facts) {
  if (same) {
    facts.verified = std::move(found);
    return {};
  }
  return fail(Error{ErrorKind::Environment, "--verify",
                    "the result differs from the sequential program's",
                    "report this, with the command"});
}

constexpr const char* kSameBits = "all bits are those of the sequential program";

template <class Thing>
Film film_of(const piece::SimulationRun<Thing>& run, std::string program, double width,
             double height, std::uint32_t Thing::*kind) {
  Film film{.program = std::move(program), .width = width, .height = height};
  for (const Thing& thing : run.things) film.kinds.push_back(thing.*kind);
  for (const auto& [tick, things] : run.frames) {
    Film::Picture& picture = film.pictures.emplace_back();
    picture.tick = tick;
    for (const Thing& thing : things) picture.places.emplace_back(thing.x, thing.y);
  }
  return film;
}

template <class Thing>
std::string lines_of(const std::vector<Thing>& things) {
  std::string text;
  for (const Thing& thing : things)
    text += format("{} {} {} {} {}\n", thing.id, thing.x, thing.y, thing.vx, thing.vy);
  return text;
}

Status run_school(PieceJob& job) {
  const SimulationChoices& told = job.options.run.simulation;
  LEEWAY_TRY(admit_memory("--fish", "fish", told.fish, 4 * sizeof(reference::Fish)));
  piece::FishJob school;
  school.model.width = told.width;
  school.model.height = told.height;
  school.model.visibility = told.visibility;
  school.model.reach = told.reach;
  school.pieces = told.pieces;
  school.fish =
      reference::school(school.model, told.fish, told.informed, told.goals, job.options.load.seed);
  LEEWAY_ASSIGN(auto run, piece::run_fish(school, job.cluster, job.engine));
  if (!job.first) return {};
  PieceFacts facts = facts_of(job, "fish", std::move(run.record), false);
  facts.objects = run.things.size();
  facts.input = format("{} fish in a basin of {} x {}", facts.objects, told.width, told.height);
  facts.input_hash = hash_of(school.model, school.fish);
  if (verifies(job, facts.objects, facts.record.ticks)) {
    std::vector<reference::Fish> fish = school.fish;
    for (std::uint32_t i = 0; i < facts.record.ticks; ++i)
      fish = reference::fish_tick(school.model, fish);
    LEEWAY_TRY(hold(fish == run.things, kSameBits, facts));
  }
  return finish(
      job, facts, [&] { return lines_of(run.things); },
      [&] {
        return film_json(film_of(run, "fish", told.width, told.height, &reference::Fish::goal));
      });
}

Status run_bodies(PieceJob& job) {
  const SimulationChoices& told = job.options.run.simulation;
  LEEWAY_TRY(admit_memory("--bodies", "bodies", told.bodies, 4 * sizeof(reference::Body)));
  piece::NBodyJob bodies;
  bodies.model.width = told.box_width;
  bodies.model.height = told.box_height;
  bodies.model.radius = told.cutoff;
  bodies.model.reach = std::min(told.box_width, told.box_height) / 16;
  bodies.pieces = told.pieces;
  bodies.bodies = reference::nbody_scene(
      {.bodies = told.bodies, .groups = told.groups, .seed = job.options.load.seed}, bodies.model);
  LEEWAY_ASSIGN(auto run, piece::run_nbody(bodies, job.cluster, job.engine));
  if (!job.first) return {};
  PieceFacts facts = facts_of(job, "nbody", std::move(run.record), false);
  facts.objects = run.things.size();
  facts.input =
      format("{} bodies in a box of {} x {}", facts.objects, told.box_width, told.box_height);
  facts.input_hash = hash_of(bodies.model, bodies.bodies);
  if (verifies(job, facts.objects, facts.record.ticks)) {
    const auto expected =
        reference::nbody_reference(bodies.model, bodies.bodies, facts.record.ticks);
    LEEWAY_TRY(hold(expected == run.things, kSameBits, facts));
  }
  return finish(
      job, facts, [&] { return lines_of(run.things); },
      [&] {
        return film_json(
            film_of(run, "nbody", told.box_width, told.box_height, &reference::Body::trap));
      });
}

Status run_plate(PieceJob& job) {
  const SimulationChoices& told = job.options.run.simulation;
  piece::JacobiJob plate{.plate = {told.columns, told.rows},
                         .seed = job.options.load.seed,
                         .pieces = told.pieces,
                         .tolerance = job.options.run.tolerance.value_or(0)};
  LEEWAY_TRY(admit_memory("--plate", "cells", plate.plate.cells(), 4 * sizeof(double)));
  if (plate.tolerance > 0) job.engine.ticks = kMostTicks;
  LEEWAY_ASSIGN(auto run, piece::run_jacobi(plate, job.cluster, job.engine));
  if (!job.first) return {};
  PieceFacts facts = facts_of(job, "jacobi", std::move(run.record), plate.tolerance > 0);
  facts.objects = plate.plate.cells();
  facts.input = format("a plate of {} x {} cells", told.columns, told.rows);
  std::vector<double> heat = reference::first_plate(plate.plate, plate.seed);
  facts.input_hash = hash_of(plate.plate, heat);
  if (verifies(job, facts.objects, facts.record.ticks)) {
    const auto expected = reference::jacobi(plate.plate, std::move(heat), facts.record.ticks);
    LEEWAY_TRY(hold(expected == run.heat, kSameBits, facts));
  }
  const auto lines = [&] {
    std::string text;
    for (std::size_t i = 0; i < run.heat.size(); ++i)
      text += format("{} {} {}\n", i % told.columns, i / told.columns, run.heat[i]);
    return text;
  };
  return finish(job, facts, lines, [] { return std::string(); });
}

Status run_ranks(PieceJob& job) {
  const SimulationChoices& told = job.options.run.simulation;
  const SteadyClock clock;
  const Instant opened = clock.now();
  LEEWAY_ASSIGN(const Graph graph, open_graph(*job.options.graph, job.options));
  const double load = seconds(clock.now() - opened);
  piece::PageRankJob ranks{.damping = job.options.run.damping, .pieces = told.pieces};
  ranks.partition = job.options.partition;
  ranks.tolerance =
      job.options.iterations ? 0 : job.options.run.tolerance.value_or(ranks.tolerance);
  if (ranks.tolerance > 0) job.engine.ticks = kMostTicks;
  if (!told.alpha && !told.beta) {  // D(P) of a graph cannot be told (AsyTick §4.2.2)
    job.engine.alpha = 0;
    job.engine.beta = 1;
  }
  LEEWAY_ASSIGN(auto run, piece::run_pagerank(graph, ranks, job.cluster, job.engine));
  if (!job.first) return {};
  PieceFacts facts = facts_of(job, "pagerank", std::move(run.record), ranks.tolerance > 0);
  facts.objects = graph.vertex_count();
  facts.links = graph.arc_count();
  facts.input = *job.options.graph;
  facts.input_hash = hash_of(graph);
  facts.load_seconds = load;
  if (ranks.tolerance > 0 && verifies(job, graph.arc_count(), facts.record.ticks)) {
    const auto expected =
        reference::pagerank(graph, {.damping = ranks.damping, .tolerance = 1e-15});
    double most = 0;
    for (std::size_t i = 0; i < expected.size(); ++i)
      most = std::max(most, std::abs(expected[i] - run.ranks[i]));
    LEEWAY_TRY(hold(most <= 1e-12 + ranks.tolerance * 10,
                    format("within {:.1e} of the textbook's ranks", most), facts));
  }
  const auto lines = [&] {
    std::string text;
    for (VertexId v(0); v.value() < graph.vertex_count(); v = v.next())
      text += format("{} {}\n", graph.names().name(v), run.ranks[v.index()]);
    return text;
  };
  return finish(job, facts, lines, [] { return std::string(); });
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
               .engine = engine_of(options),
               .first = cluster.job == nullptr || cluster.job->self() == NodeId(0),
               .outputs = {}};
  LEEWAY_TRY(piece::admit_options(job.engine));
  LEEWAY_ASSIGN(job.outputs, RunOutputs::open(options, job.first));
  LEEWAY_TRY(found->run(job));
  return 0;
}

}  // namespace leeway::cli
