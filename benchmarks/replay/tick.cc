#include "benchmarks/replay/tick.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/format.h"
#include "programs/scene/scenes.h"

namespace leeway::replay {

namespace {

Box common(const Box& a, const Box& b) {
  return {std::max(a.left, b.left), std::max(a.bottom, b.bottom), std::min(a.right, b.right),
          std::min(a.top, b.top)};
}

double area_of(const Box& box) {
  return box.empty() ? 0 : (box.right - box.left) * (box.top - box.bottom);
}

}  // namespace

double Plot::tuples(const std::optional<Plot>& hole) const {
  const Box here = common(box, area);
  const double without = hole ? area_of(common(here, hole->box)) : 0;
  return std::max(0.0, area_of(here) - without) * density;
}

void PhantomState::encode(const Selection& border, const Plot& requested, ByteWriter& out) const {
  (void)border;  // no node requests tuples outside it
  Plot both = own_;
  both.box = common(own_.box, requested.box);
  out.byte(0);
  const auto bytes = static_cast<std::size_t>(std::llround(both.tuples() * both.tuple_bytes));
  (void)out.extend(bytes);
}

Result<std::vector<Plot>> Phantom::part(std::uint32_t count, const State* now) const {
  (void)now;  // an even ground stays even
  std::vector<Plot> plots;
  for (const Box& box : grid_boxes(ground_.area, count))
    plots.push_back({box, ground_.area, ground_.density, ground_.tuple_bytes});
  return plots;
}

Duration Phantom::price(const State::Selection& to_step) const {
  return Duration(std::llround(to_step.tuples() * ground_.tuple_ns));
}

Result<tick::TickResult<PhantomState>> run_phantom(const Ground& ground,
                                                   const tick::TickOptions& options,
                                                   const ClusterOptions& cluster) {
  return run_ticks(Phantom(ground), options, cluster);
}

namespace {

constexpr std::uint32_t kNodes = 50;        // §6.1
constexpr std::uint32_t kTrialTicks = 500;  // §6.2: at least 500

Technique technique(std::string name, tick::Sync sync) {
  Technique made{std::move(name), {}};
  made.options.sync = sync;
  return made;
}

/// An even ground with one square per node, in the shape that grid_boxes divides.
Ground ground_of(const TickWorkload& workload, std::uint32_t nodes) {
  std::uint32_t rows = 1;
  for (std::uint32_t some = 1; some * some <= nodes; ++some) {
    if (nodes % some == 0) rows = some;
  }
  Ground ground;
  ground.area = {0, 0, workload.side * (nodes / rows), workload.side * rows};
  ground.density = workload.density;
  ground.sight = workload.sight;
  ground.reach = workload.reach;
  ground.tuple_bytes = workload.tuple_bytes;
  ground.tuple_ns = workload.tuple_ns;
  return ground;
}

void add_round(const TickRound& run, TickMeasure& measure) {
  Counters sum;
  Duration all{};
  for (const NodeRecord& node : run.nodes) {
    sum.add(node.counters);
    all += node.end - node.begin;
  }
  const auto real = [&](Counter counter) { return static_cast<double>(sum[counter]); };
  measure.seconds.push_back(seconds(run.elapsed));
  measure.step_share += sum.seconds(Counter::StepTime) / seconds(all);
  measure.wait_share += sum.seconds(Counter::WaitTime) / seconds(all);
  measure.copied += real(Counter::Copied) / real(Counter::Stepped);
  measure.megabytes += real(Counter::BytesSent) / 1e6;
}

/// Replaces the sums over all rounds by their means. Call it once.
void sums_to_means(double tuple_ticks, TickMeasure& measure) {
  const auto rounds = static_cast<double>(measure.seconds.size());
  double sum = 0;
  double squares = 0;
  for (const double each : measure.seconds) {
    const double rate = tuple_ticks / each;
    sum += rate;
    squares += rate * rate;
  }
  measure.throughput = sum / rounds;
  measure.deviation =
      std::sqrt(std::max(0.0, squares / rounds - measure.throughput * measure.throughput));
  measure.step_share /= rounds;
  measure.wait_share /= rounds;
  measure.copied /= rounds;
  measure.megabytes /= rounds;
}

}  // namespace

TickWorkload fish_workload() {
  TickWorkload fish{.name = "fish", .unit = "agent ticks", .side = 271, .sight = 6, .reach = 0.2};
  fish.density = 5500 / (fish.side * fish.side);
  fish.tuple_bytes = sizeof(scene::Fish);
  fish.tuple_ns = 1000;
  return fish;
}

TickWorkload jacobi_workload() {
  return {.name = "jacobi", .unit = "cell ticks", .side = 1000, .tuple_bytes = 8, .tuple_ns = 2};
}

Technique barrier() { return technique("global barrier", tick::Sync::Barrier); }
Technique local() { return technique("local synchronization", tick::Sync::Local); }
Technique schedule(std::uint32_t depth) {
  Technique made = technique(format("scheduling, d = {}", depth), tick::Sync::Schedule);
  made.options.depth = depth;
  return made;
}
Technique replicate(std::uint32_t every, std::uint32_t replicas) {
  Technique made =
      technique(format("replication, k = {}, m = {}", every, replicas), tick::Sync::Replicate);
  made.options.every = every;
  made.options.replicas = replicas;
  return made;
}
Technique combined(std::uint32_t depth, std::uint32_t every, std::uint32_t replicas) {
  Technique made = technique(format("combined, d = {}, k = {}, m = {}", depth, every, replicas),
                             tick::Sync::Combined);
  made.options.depth = depth;
  made.options.every = every;
  made.options.replicas = replicas;
  return made;
}

std::vector<RawCell> raw_cells(const TickMeasure& measure) {
  const double sum = std::accumulate(measure.seconds.begin(), measure.seconds.end(), 0.0);
  std::vector<RawCell> cells = {{"seconds", sum / static_cast<double>(measure.seconds.size())},
                                {"throughput", measure.throughput},
                                {"deviation", measure.deviation},
                                {"step_share", measure.step_share},
                                {"wait_share", measure.wait_share},
                                {"copied_share", measure.copied},
                                {"megabytes", measure.megabytes}};
  for (std::size_t round = 0; round < measure.seconds.size(); ++round)
    cells.emplace_back(format("seconds_of_round_{}", round + 1), measure.seconds[round]);
  return cells;
}

std::uint32_t tick_nodes(const Laboratory& lab) { return lab.nodes(kNodes); }
std::uint32_t ticks_of_trial(const Laboratory& lab) {
  return lab.settings().iterations.value_or(kTrialTicks);
}
NetworkProfile tick_network(const Laboratory& lab) { return lab.network("ec2"); }

namespace {

/// A cluster for one round; rounds of different seeds differ.
ClusterOptions cluster_of_round(const Laboratory& lab, std::uint32_t nodes, std::uint32_t round) {
  constexpr std::uint64_t kMostRounds = 1000;
  ClusterOptions cluster = lab.cluster(nodes, tick_network(lab));
  cluster.seed = cluster.seed * kMostRounds + round;
  return cluster;
}

RunKey key_of(const TickSeries& series, const Technique& technique) {
  return {{"workload", series.workload},
          {"nodes", series.nodes},
          {"technique", technique.name},
          {"ticks", series.ticks},
          {"rounds", series.rounds}};
}

}  // namespace

Result<std::vector<TickMeasure>> measure_techniques(Laboratory& lab, const TickSeries& series,
                                                    const std::vector<Technique>& techniques,
                                                    const RunTickRound& run) {
  const auto measure = [&](const Technique& technique) -> Result<TickMeasure> {
    TickMeasure measured;
    for (std::uint32_t round = 0; round < series.rounds; ++round) {
      lab.announce(format("{}, {}, {} nodes, round {}", series.workload, technique.name,
                          series.nodes, round + 1));
      tick::TickOptions options = technique.options;
      options.ticks = tick::Tick(series.ticks);
      LEEWAY_ASSIGN(const TickRound one, run(options, cluster_of_round(lab, series.nodes, round)));
      add_round(one, measured);
    }
    sums_to_means(series.tuples * series.ticks, measured);
    return measured;
  };
  std::vector<TickMeasure> measures;
  for (const Technique& technique : techniques) {
    LEEWAY_ASSIGN(const TickMeasure* const one,
                  lab.study().run<TickMeasure>(key_of(series, technique),
                                               [&] { return measure(technique); }));
    measures.push_back(*one);
  }
  return measures;
}

Result<std::vector<TickMeasure>> run_techniques(Laboratory& lab, const TickWorkload& workload,
                                                const std::vector<Technique>& techniques,
                                                std::uint32_t rounds, std::uint32_t nodes) {
  const Ground ground = ground_of(workload, nodes);
  const TickSeries series{.workload = workload.name,
                          .nodes = nodes,
                          .ticks = ticks_of_trial(lab),
                          .rounds = rounds,
                          .tuples = workload.density * workload.side * workload.side * nodes};
  return measure_techniques(
      lab, series, techniques,
      [&](const tick::TickOptions& options, const ClusterOptions& cluster) -> Result<TickRound> {
        LEEWAY_ASSIGN(auto run, run_phantom(ground, options, cluster));
        return TickRound{std::move(run.result.nodes), run.elapsed};
      });
}

Figure blank_tick(Laboratory& lab, const TickWorkload& workload, std::uint32_t rounds) {
  lab.study().begin_figure();
  Figure figure;
  const double tuples = workload.density * workload.side * workload.side;
  figure.configuration = {
      {"workload",
       format("{}, {:.0f} tuples a node, {:.2f} ms a tick, {} bytes a tuple", workload.name, tuples,
              tuples * workload.tuple_ns / 1e6, workload.tuple_bytes)},
      {"dependencies", format("R_D reaches {} of a node's side of {}, W_D {}", workload.sight,
                              workload.side, workload.reach)},
      {"nodes", std::to_string(tick_nodes(lab))},
      {"net", tick_network(lab).name},
      {"ticks", std::to_string(ticks_of_trial(lab))},
      {"rounds", std::to_string(rounds)},
  };
  figure.notes = {
      "the engine, its queries and the sizes of its messages are real; STEP is priced, but not "
      "executed"};
  return figure;
}

Claim no_deeper(const std::vector<TickMeasure>& measures) {
  std::vector<double> deeper;
  for (const std::size_t i : {2U, 3U, 4U})
    deeper.push_back(measures[i].throughput / measures[1].throughput);
  return order_claim("a larger depth does not significantly improve it",
                     format("d = 2, 4 and 10 within {:.0f} % of d = 1", 100 * kSimilarWithin),
                     places_similar(deeper, std::vector<double>(deeper.size(), 1.0)),
                     deeper.size());
}

std::vector<double> gains(const std::vector<TickMeasure>& measures) {
  std::vector<double> all;
  for (const TickMeasure& measure : measures)
    all.push_back(measure.throughput / measures.front().throughput);
  return all;
}

}  // namespace leeway::replay
