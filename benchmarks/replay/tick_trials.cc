#include "benchmarks/replay/tick_trials.h"

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

void add_round(const tick::TickResult<PhantomState>& run, TickMeasure& measure) {
  Duration step{}, wait{}, all{};
  double copied = 0;
  double stepped = 0;
  double bytes = 0;
  for (const tick::TickNodeLog& log : run.result.logs) {
    step += log.counts.step;
    wait += log.counts.wait;
    all += log.counts.end - log.counts.begin;
    copied += static_cast<double>(log.counts.copied);
    stepped += static_cast<double>(log.counts.stepped);
    bytes += static_cast<double>(log.counts.bytes);
  }
  measure.seconds.push_back(seconds(run.elapsed));
  measure.step_share += seconds(step) / seconds(all);
  measure.wait_share += seconds(wait) / seconds(all);
  measure.copied += copied / stepped;
  measure.megabytes += bytes / 1e6;
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

TickTrials::TickTrials(Laboratory& lab)
    : lab_(lab),
      network_(lab.network("ec2")),
      nodes_(lab.nodes(kNodes)),
      ticks_(lab.settings().iterations.value_or(kTrialTicks)) {}

Result<std::vector<TickMeasure>> TickTrials::run(const TickWorkload& workload,
                                                 const std::vector<Technique>& techniques,
                                                 std::uint32_t rounds, std::uint32_t nodes) {
  const Ground ground = ground_of(workload, nodes);
  const double tuples = workload.density * workload.side * workload.side * nodes;
  std::vector<TickMeasure> measures(techniques.size());
  for (std::uint32_t round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < techniques.size(); ++i) {
      lab_.announce(format("{}, {}, {} nodes, round {}", workload.name, techniques[i].name, nodes,
                           round + 1));
      tick::TickOptions options = techniques[i].options;
      options.ticks = tick::Tick(ticks_);
      ClusterOptions cluster = lab_.cluster(nodes, network_);
      cluster.seed += round;
      LEEWAY_ASSIGN(const auto run, run_phantom(ground, options, cluster));
      add_round(run, measures[i]);
    }
  }
  for (TickMeasure& measure : measures) sums_to_means(tuples * ticks_, measure);
  return measures;
}

Figure TickTrials::blank(const TickWorkload& workload, std::uint32_t rounds) const {
  Figure figure;
  const double tuples = workload.density * workload.side * workload.side;
  figure.configuration = {
      {"paper", "Zou et al., SOCC 2011"},
      {"workload",
       format("{}, {:.0f} tuples a node, {:.2f} ms a tick, {} bytes a tuple", workload.name, tuples,
              tuples * workload.tuple_ns / 1e6, workload.tuple_bytes)},
      {"dependencies", format("R_D reaches {} of a node's side of {}, W_D {}", workload.sight,
                              workload.side, workload.reach)},
      {"nodes", std::to_string(nodes_)},
      {"net", network_.name},
      {"ticks", std::to_string(ticks_)},
      {"rounds", std::to_string(rounds)},
      {"seed", std::to_string(lab_.settings().seed)},
  };
  figure.notes = {
      "the engine, its queries and the sizes of its messages are real; STEP is priced, but not "
      "executed"};
  return figure;
}

void add_raw(std::string_view workload, std::uint32_t nodes,
             const std::vector<Technique>& techniques, const std::vector<TickMeasure>& measures,
             Figure& figure) {
  figure.raw.columns.clear();  // a figure may combine several workloads
  Rows rows(figure,
            {raw("workload"), raw("nodes"), raw("technique"), raw("seconds", ".6f"),
             raw("throughput", ".6g"), raw("deviation", ".3g"), raw("step_share", ".4f"),
             raw("wait_share", ".4f"), raw("copied_share", ".4f"), raw("megabytes", ".3f")});
  for (std::size_t i = 0; i < techniques.size(); ++i) {
    const TickMeasure& each = measures[i];
    std::string name = techniques[i].name;
    std::erase(name, ',');  // commas separate the table's columns
    const double sum = std::accumulate(each.seconds.begin(), each.seconds.end(), 0.0);
    rows.add({workload, nodes, name, sum / static_cast<double>(each.seconds.size()),
              each.throughput, each.deviation, each.step_share, each.wait_share, each.copied,
              each.megabytes});
  }
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
