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
#include "leeway/cli/command.h"
#include "leeway/cli/graph_argument.h"
#include "leeway/cli/heeding.h"
#include "leeway/cli/output.h"
#include "leeway/cli/run_outputs.h"
#include "leeway/cli/run_report.h"
#include "leeway/cli/scene_hash.h"
#include "leeway/cli/tick_files.h"
#include "leeway/cli/tick_report.h"
#include "leeway/datasets/byte_stream.h"
#include "leeway/programs/reference/rank_ticks.h"
#include "leeway/programs/tick/page_ranks.h"
#include "leeway/runtime/tick/checkpoint.h"

namespace leeway::cli {

namespace {

constexpr std::uint32_t kTicks = 100;
constexpr std::uint32_t kRankTicks = 180;  // 0.85 to this power is below 1e-12
constexpr std::uint64_t kVerifiedTupleTicks = 20'000'000;
constexpr double kRankTolerance = 1e-12;

TickOptions tick_options(const Options& options, const ClusterOptions& cluster) {
  const SimulationChoices& told = options.run.simulation;
  TickOptions ticks;
  ticks.sync = told.sync;
  ticks.depth = told.depth;
  ticks.every = told.every;
  ticks.replicas = told.replicas;
  ticks.ticks = Tick(options.iterations.value_or(kTicks));
  ticks.rebalance = told.rebalance;
  ticks.checkpoint = told.checkpoint.empty() ? 0 : told.checkpoint_every;
  ticks.frames = told.frames.empty() ? 0 : told.frame_every;
  ticks.check = told.check;
  ticks.trace = !options.run.trace.empty() || !options.run.report.empty();
  ticks.meter = cluster.fabric != Fabric::Sim;
  return ticks;
}

FishSettings fish_settings(const Options& options) {
  const SimulationChoices& told = options.run.simulation;
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

/// What a checkpoint's state and its program's settings are, for one program.
template <class State>
class Resumption {
 public:
  Resumption(std::string program, std::string model, typename State::Query all)
      : program_(std::move(program)), model_(std::move(model)), all_(all) {}

  /// What the run starts from and where it leaves its checkpoints.
  Result<TickEnds<State>> ends(const SimulationChoices& told) {
    TickEnds<State> ends;
    if (!told.restart.empty()) {
      LEEWAY_ASSIGN(const TickCheckpoint kept, read_checkpoint(told.restart, program_, model_));
      if (!unpack_state(kept.state, all_, state_)) {
        return fail(input_error(told.restart, "its state cannot be read",
                                "give what leeway run … --checkpoint FILE wrote"));
      }
      ends.from = &state_;
      ends.first = kept.tick;
    }
    if (told.checkpoint.empty()) return ends;
    ends.keeper = [this, path = told.checkpoint](Tick tick, const State& state) {
      return write_checkpoint(path, {program_, model_, tick, packed_state(state)});
    };
    return ends;
  }

 private:
  std::string program_, model_;
  typename State::Query all_;
  State state_;
};

/// The facts that every program's run has. `whole`: what it took from the call to the result, whose part
/// before the first step and after the last is the set-up; virtual time leaves that untold.
template <class State>
TickFacts facts_of(const Options& options, const DecidedRun& decided, const ClusterOptions& cluster,
                   std::uint32_t ticks, const TickRun<State>& run, Duration whole) {
  TickFacts facts;
  Configuration used = {
      {"engine", "tick"},
      {"fabric", std::string(fabric_name(cluster.fabric))},
      {"nodes", std::to_string(cluster.nodes)},
      {"net", cluster.network.name},
      {"sync", std::string(tick_sync_name(options.run.simulation.sync))},
      {"depth", std::to_string(run.pace.depth)},
      {"every", std::to_string(run.pace.every)},
      {"replicas", std::to_string(run.pace.replicas)},
      {"iterations", std::to_string(ticks)},
      {"seed", std::to_string(options.load.seed)},
      {"damping", format("{}", options.run.damping)},
      {"partition", partition_text(options.partition)},
  };
  facts.configuration = heeded_configuration(std::move(used), options, decided);
  facts.ticks = ticks;
  facts.simulated = cluster.fabric == Fabric::Sim;
  facts.compute_seconds = seconds(run.elapsed);
  if (!facts.simulated) facts.setup_seconds = std::max(0.0, seconds(whole - run.elapsed));
  facts.digest = run.digest;
  facts.rebalanced = run.result.rebalanced;
  facts.logs = run.result.logs;
  return facts;
}

Status finish(TickFacts& facts, RunOutputs& outputs, const Options& options,
              const std::function<std::string()>& lines, const std::function<std::string()>& film) {
  const SteadyClock clock;
  const Instant started = clock.now();
  LEEWAY_TRY(write_to(outputs.values, lines));
  if (outputs.frames != nullptr) facts.film = film();
  LEEWAY_TRY(write_to(outputs.frames, [&] { return facts.film; }));
  facts.output_seconds = seconds(clock.now() - started);
  LEEWAY_TRY(write_to(outputs.report, [&] { return tick_report_json(facts); }));
  LEEWAY_TRY(write_to(outputs.trace, [&] { return tick_trace_json(facts); }));
  return print(tick_summary(facts, options.json));
}

bool verifies(const Options& options, std::uint64_t tuples, std::uint32_t ticks) {
  return options.run.verify.value_or(tuples * ticks <= kVerifiedTupleTicks);
}

Error differs(std::string_view what) {
  return Error{ErrorKind::Environment, "--verify",
               format("the result differs from the sequential update's: {}", what),
               "report this, with the command"};
}

std::vector<reference::Fish> first_school(const FishSettings& settings, const FishEnds& ends) {
  if (ends.from != nullptr) return {ends.from->tuples().begin(), ends.from->tuples().end()};
  return reference::school(settings.model, settings.count, settings.informed, settings.goals,
                           settings.seed);
}

std::vector<double> first_heat(const HeatSettings& settings, const HeatEnds& ends) {
  const reference::Plate& plate = settings.plate;
  if (ends.from == nullptr) return reference::first_plate(plate, settings.seed);
  return {ends.from->at(0, 0), ends.from->at(0, 0) + plate.cells()};
}

Status verify_fish(const FishSettings& settings, std::vector<reference::Fish> fish,
                   const FishRun& run, TickFacts& facts) {
  for (std::uint32_t i = 0; i < facts.ticks; ++i) fish = reference::fish_tick(settings.model, fish);
  FishTable expected;
  for (const reference::Fish& each : fish) expected.add(each);
  if (const auto wrong = FishTable::difference(run.result.state, expected))
    return fail(differs(*wrong));
  facts.verified = "all bits are those of the sequential update";
  return {};
}

Status verify_heat(const HeatSettings& settings, std::vector<double> heat, const HeatRun& run,
                   TickFacts& facts) {
  const reference::Plate& plate = settings.plate;
  heat = reference::jacobi(plate, std::move(heat), facts.ticks);
  Field expected;
  const IndexRange all{0, 0, plate.columns, plate.rows};
  expected.reset(all, all);
  std::copy(heat.begin(), heat.end(), expected.at(0, 0));
  if (const auto wrong = Field::difference(run.result.state, expected))
    return fail(differs(*wrong));
  facts.verified = "all bits are those of the sequential update";
  return {};
}

Status run_fish_school(const Options& options, const DecidedRun& decided,
                       const ClusterOptions& cluster, bool first, RunOutputs& outputs) {
  const FishSettings settings = fish_settings(options);
  LEEWAY_TRY(
      admit_memory("--fish", "fish", settings.count, bytes_of(sizeof(reference::Fish), cluster)));
  const reference::FishModel& model = settings.model;
  Resumption<FishTable> resumption("fish",
                                   format("basin {}x{}, visibility {}, reach {}", model.width,
                                          model.height, model.visibility, model.reach),
                                   Box::everywhere());
  LEEWAY_ASSIGN(const FishEnds ends, resumption.ends(options.run.simulation));
  const SteadyClock clock;
  const Instant started = clock.now();
  LEEWAY_ASSIGN(const FishRun run,
                run_fish(settings, tick_options(options, cluster), cluster, ends));
  if (!first) return {};
  TickFacts facts = facts_of(options, decided, cluster, options.iterations.value_or(kTicks), run,
                             clock.now() - started);
  facts.program = "fish";
  facts.tuples = run.result.state.size();
  facts.input = format("{} fish in a basin of {} x {}", facts.tuples, model.width, model.height);
  std::vector<reference::Fish> school = first_school(settings, ends);
  facts.input_hash = hash_of(settings.model, school);
  if (verifies(options, facts.tuples, facts.ticks))
    LEEWAY_TRY(verify_fish(settings, std::move(school), run, facts));
  return finish(
      facts, outputs, options, [&] { return lines_of(run.result.state); },
      [&] { return film_json(film_of(settings, run)); });
}

Status run_heat_plate(const Options& options, const DecidedRun& decided,
                      const ClusterOptions& cluster, bool first, RunOutputs& outputs) {
  const SimulationChoices& told = options.run.simulation;
  HeatSettings settings{.plate = {told.columns, told.rows}, .seed = options.load.seed};
  LEEWAY_TRY(
      admit_memory("--plate", "cells", settings.plate.cells(), bytes_of(sizeof(double), cluster)));
  const IndexRange all{0, 0, told.columns, told.rows};
  Resumption<Field> resumption("jacobi", format("a plate of {}x{}", told.columns, told.rows), all);
  LEEWAY_ASSIGN(const HeatEnds ends, resumption.ends(told));
  const SteadyClock clock;
  const Instant started = clock.now();
  LEEWAY_ASSIGN(const HeatRun run,
                run_heat(settings, tick_options(options, cluster), cluster, ends));
  if (!first) return {};
  TickFacts facts = facts_of(options, decided, cluster, options.iterations.value_or(kTicks), run,
                             clock.now() - started);
  facts.program = "jacobi";
  facts.tuples = settings.plate.cells();
  facts.input = format("a plate of {} x {} cells", told.columns, told.rows);
  std::vector<double> heat = first_heat(settings, ends);
  facts.input_hash = hash_of(settings.plate, heat);
  if (verifies(options, facts.tuples, facts.ticks))
    LEEWAY_TRY(verify_heat(settings, std::move(heat), run, facts));
  return finish(
      facts, outputs, options, [&] { return lines_of(run.result.state); }, [] { return ""; });
}

Status verify_ranks(const Graph& graph, double damping, const std::vector<double>& from,
                    std::span<const double> ranks, TickFacts& facts) {
  const auto expected = reference::rank_ticks(graph, from, facts.ticks, damping);
  double far = 0;
  for (std::size_t i = 0; i < expected.size(); ++i)
    far = std::max(far, std::abs(expected[i] - ranks[i]));
  if (far > kRankTolerance) return fail(differs(format("a rank is {} off", far)));
  facts.verified = format("within {} of the plain iteration", kRankTolerance);
  return {};
}

std::string rank_lines(const Graph& graph, std::span<const double> ranks) {
  const std::vector<double> scaled = scaled_ranks(ranks);
  std::string text;
  for (VertexId v(0); v.value() < graph.vertex_count(); v = v.next())
    text += format("{} {}\n", graph.names().name(v), scaled[v.index()]);
  return text;
}

/// The same for PageRank, whose labels are made only when it runs.
class RankResumption {
 public:
  RankResumption(const Graph& graph, std::string model) : graph_(graph), model_(std::move(model)) {}

  Result<PageRankEnds> ends(const SimulationChoices& told) {
    PageRankEnds ends;
    if (!told.restart.empty()) {
      LEEWAY_ASSIGN(const TickCheckpoint kept, read_checkpoint(told.restart, "pagerank", model_));
      ranks_ = VertexState::whole(kept.state);
      if (!ranks_ || ranks_->size() != graph_.vertex_count()) {
        return fail(input_error(told.restart, "its state cannot be read",
                                "give what leeway run … --checkpoint FILE wrote"));
      }
      ends.first = kept.tick;
    }
    if (told.checkpoint.empty()) return ends;
    ends.keeper = [this, path = told.checkpoint](Tick tick, const VertexState& state) {
      return write_checkpoint(path, {"pagerank", model_, tick, packed_state(state)});
    };
    return ends;
  }
  /// A rank a vertex, if there was a checkpoint.
  [[nodiscard]] const std::vector<double>* from() const { return ranks_ ? &*ranks_ : nullptr; }

 private:
  const Graph& graph_;
  std::string model_;
  std::optional<std::vector<double>> ranks_;
};

Status run_ranks(const Options& options, const DecidedRun& decided, const ClusterOptions& cluster,
                 bool first, RunOutputs& outputs) {
  const SimulationChoices& told = options.run.simulation;
  const SteadyClock clock;
  const Instant opened = clock.now();
  LEEWAY_ASSIGN(const Graph graph, open_graph(*options.graph, options));
  const double load = seconds(clock.now() - opened);
  const PageRankSettings settings{.damping = options.run.damping, .partition = options.partition};
  TickOptions ticks = tick_options(options, cluster);
  ticks.ticks = Tick(options.iterations.value_or(kRankTicks));
  const std::string hash = hash_of(graph);
  RankResumption resumption(graph,
                            format("a graph with hash {}, damping {}", hash, settings.damping));
  LEEWAY_ASSIGN(const PageRankEnds ends, resumption.ends(told));
  const Instant started = clock.now();
  LEEWAY_ASSIGN(const RankedGraph ranked,
                run_page_ranks(graph, settings, ticks, cluster, resumption.from(), ends));
  if (!first) return {};
  TickFacts facts =
      facts_of(options, decided, cluster, ticks.ticks.value(), ranked.run, clock.now() - started);
  facts.load_seconds = load;
  const std::span<const double> ranks = ranked.run.result.state.values();
  facts.program = "pagerank";
  facts.tuples = graph.vertex_count();
  facts.links = graph.arc_count();
  facts.input = *options.graph;
  facts.input_hash = hash;
  if (verifies(options, facts.links, facts.ticks)) {
    const std::vector<double> even(facts.tuples, 1 / static_cast<double>(facts.tuples));
    const std::vector<double>& from = resumption.from() != nullptr ? *resumption.from() : even;
    LEEWAY_TRY(verify_ranks(graph, settings.damping, from, ranks, facts));
  }
  return finish(
      facts, outputs, options, [&] { return rank_lines(graph, ranks); }, [] { return ""; });
}

}  // namespace

Result<int> run_tick(const Invocation& invocation, const DecidedRun& run,
                     const ClusterOptions& cluster) {
  const Options& options = invocation.options;
  const bool first = cluster.job == nullptr || cluster.job->self() == NodeId(0);
  using Runner =
      Status (*)(const Options&, const DecidedRun&, const ClusterOptions&, bool, RunOutputs&);
  constexpr std::array<std::pair<std::string_view, Runner>, 3> kPrograms = {
      {{"fish", run_fish_school}, {"jacobi", run_heat_plate}, {"pagerank", run_ranks}}};
  const auto found = std::find_if(kPrograms.begin(), kPrograms.end(),
                                  [&](const auto& each) { return each.first == run.name(); });
  LEEWAY_CHECK(found != kPrograms.end(), run.name());  // the list of programs says it has it
  LEEWAY_ASSIGN(RunOutputs outputs, RunOutputs::open(options, first));
  LEEWAY_TRY(found->second(options, run, cluster, first, outputs));
  return 0;
}

}  // namespace leeway::cli
