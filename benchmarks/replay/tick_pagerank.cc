// Tick §6.3, Figure 7: dependency scheduling where almost everybody talks to almost everybody.
#include "leeway/base/format.h"
#include "leeway/benchmarks/replay/tick_trials.h"
#include "leeway/datasets/graph_spec.h"
#include "leeway/programs/tick/page_ranks.h"

namespace leeway::replay {

namespace {

constexpr std::string_view kGraph = "kron:15:4";
constexpr std::uint32_t kTicks = 60;
constexpr std::uint32_t kRounds = 3;
constexpr double kPatentArcs = 16'518'948;  // of the paper's graph
constexpr double kArcNanoseconds = 10;      // a random read and an addition on the paper's machines

TickMeasure measured(const tick::PageRankRun& run, double arc_ticks, TickMeasure so_far) {
  Duration step{}, wait{}, all{};
  for (const tick::NodeLog& log : run.result.logs) {
    step += log.counts.step;
    wait += log.counts.wait;
    all += log.counts.end - log.counts.begin;
    so_far.megabytes += static_cast<double>(log.counts.bytes) / 1e6 / kRounds;
  }
  so_far.seconds.push_back(seconds(run.elapsed));
  so_far.throughput += arc_ticks / seconds(run.elapsed) / kRounds;
  so_far.step_share += seconds(step) / seconds(all) / kRounds;
  so_far.wait_share += seconds(wait) / seconds(all) / kRounds;
  return so_far;
}

}  // namespace

Result<Figure> replay_tick_fig7(Laboratory& lab) {
  TickTrials trials(lab);
  const std::uint32_t ticks = lab.settings().iterations.value_or(kTicks);
  LEEWAY_ASSIGN(const Graph graph, generate(kGraph, {}));
  const auto arcs = static_cast<double>(graph.arc_count());
  tick::PageRankSettings ranking;
  ranking.arc_price_ps = static_cast<std::uint64_t>(kArcNanoseconds * 1000 * kPatentArcs / arcs);
  const std::vector<Technique> techniques = {local(), schedule(1), schedule(2), schedule(4),
                                             schedule(10)};
  std::vector<TickMeasure> measures(techniques.size());
  for (std::uint32_t round = 0; round < kRounds; ++round) {
    for (std::size_t i = 0; i < techniques.size(); ++i) {
      lab.say(format("pagerank, {}, round {}", techniques[i].name, round + 1));
      tick::Options options = techniques[i].options;
      options.ticks = tick::Tick(ticks);
      ClusterOptions cluster = lab.cluster(trials.nodes(), trials.network());
      cluster.seed += round;
      LEEWAY_ASSIGN(const tick::RankedGraph ranked,
                    tick::run_page_ranks(graph, ranking, options, cluster));
      measures[i] = measured(ranked.run, arcs * ticks, std::move(measures[i]));
    }
  }
  Figure figure;
  figure.configuration = {
      {"paper", "Zou et al., SOCC 2011"},
      {"graph", format("{}, {} vertices, {:.0f} arcs, METIS", kGraph, graph.vertex_count(), arcs)},
      {"arc", format("{:.0f} ns", static_cast<double>(ranking.arc_price_ps) / 1000)},
      {"nodes", std::to_string(trials.nodes())},
      {"net", trials.network().name},
      {"ticks", std::to_string(ticks)},
      {"rounds", std::to_string(kRounds)},
      {"seed", std::to_string(lab.settings().seed)}};
  figure.notes = {
      "a generated graph stands in for the patent citations; an arc is priced so that a tick takes "
      "as long as that graph's arcs would at 10 ns each, while messages have the small graph's "
      "size"};
  Rows rows(figure, {shown("technique"), shown("million edge ticks/s", ".2f"),
                     shown("of the first", ".2f"), shown("waiting %", ".0f")});
  const std::vector<double> ratio = gains(measures);
  for (std::size_t i = 0; i < techniques.size(); ++i) {
    rows.add(
        {techniques[i].name, measures[i].throughput / 1e6, ratio[i], 100 * measures[i].wait_share});
  }
  add_raw("pagerank", trials.nodes(), techniques, measures, figure);
  figure.claims = {{"scheduling one tick ahead raises PageRank's throughput as well",
                    "d = 1 above local synchronization", format("{:.3f}", ratio[1]), ratio[1] > 1},
                   no_deeper(measures)};
  return figure;
}

}  // namespace leeway::replay
