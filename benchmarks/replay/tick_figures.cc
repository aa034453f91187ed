// The figures of Tick: latencies (Figure 1), throughput of scheduling, replication and their combination (5, 6, 8 to
// 13), and PageRank (7).

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "base/format.h"
#include "benchmarks/replay/laboratory.h"
#include "benchmarks/replay/tick.h"
#include "datasets/graph.h"
#include "programs/jacobi/tick.h"
#include "programs/pagerank/tick.h"
#include "runtime/cluster/endpoint.h"

namespace leeway::replay {

namespace {

constexpr std::size_t kMessageBytes = 16 * 1024;  // as in the paper's figure
constexpr std::uint32_t kTrips = 20'000;
constexpr double kTight = 2;  // "tightly distributed": the 99th percentile is within twice the mean
constexpr double kOrder = 10;  // "an order of magnitude"
constexpr double kOften = 0.002;

/// Milliseconds of successive round trips between two nodes.
Result<std::vector<double>> round_trips(const ClusterOptions& cluster) {
  std::vector<double> trips;
  const auto outcome = run_endpoints(cluster, [&](Endpoint& endpoint) -> Status {
    const NodeId other(1 - endpoint.self().value());
    std::uint32_t received = 0;
    for (std::uint32_t trip = 0; trip < kTrips; ++trip) {
      const Instant begin = endpoint.now();
      if (endpoint.self() == NodeId(0)) endpoint.send(other, Frame(kMessageBytes));
      const std::uint32_t needed = trip + 1;
      while (received < needed) {
        if (endpoint.receive([&](NodeId, std::span<const std::byte>) { ++received; }) == 0)
          endpoint.wait();
      }
      if (endpoint.self() == NodeId(1)) endpoint.send(other, Frame(kMessageBytes));
      if (endpoint.self() == NodeId(0)) trips.push_back(seconds(endpoint.now() - begin) * 1e3);
    }
    return {};
  });
  if (!outcome) return fail(outcome.error());
  return trips;
}

struct Spread {
  double mean = 0, half = 0, most = 0, greatest = 0;
  double spikes = 0;  ///< share above ten times the mean
};

Spread spread_of(std::vector<double> trips) {
  std::sort(trips.begin(), trips.end());
  Spread spread;
  spread.mean =
      std::accumulate(trips.begin(), trips.end(), 0.0) / static_cast<double>(trips.size());
  spread.half = trips[trips.size() / 2];
  spread.most = trips[trips.size() * 99 / 100];
  spread.greatest = trips.back();
  const auto above =
      trips.end() - std::upper_bound(trips.begin(), trips.end(), kOrder * spread.mean);
  spread.spikes = static_cast<double>(above) / static_cast<double>(trips.size());
  return spread;
}

}  // namespace

Result<Figure> replay_tick_fig1(Laboratory& lab) {
  Figure figure;
  figure.configuration = {{"paper", "Zou et al., SOCC 2011"},
                          {"trips", std::to_string(kTrips)},
                          {"seed", std::to_string(lab.settings().seed)}};
  figure.notes = {
      "gigabit represents the paper's Weblab cluster, ec2 its large EC2 instances; there are no "
      "profiles of the small and the cluster instances"};
  Rows rows(figure,
            {both("profile"), both("mean ms", ".3f", "mean_ms", ".6f"),
             both("median ms", ".3f", "median_ms", ".6f"), both("99 % ms", ".3f", "p99_ms", ".6f"),
             both("greatest ms", ".3f", "greatest_ms", ".6f"), shown("spikes %", ".2f"),
             raw("spike_share", ".6f")});
  std::array<Spread, 2> spreads;
  const std::array<std::string, 2> names = {"gigabit", "ec2"};
  for (std::size_t i = 0; i < names.size(); ++i) {
    lab.announce("round trips, " + names[i]);
    LEEWAY_ASSIGN(const NetworkProfile network, parse_profile(names[i]));
    LEEWAY_ASSIGN(std::vector<double> trips, round_trips(lab.cluster(2, network)));
    spreads[i] = spread_of(std::move(trips));
    const Spread& s = spreads[i];
    rows.add({names[i], s.mean, s.half, s.most, s.greatest, 100 * s.spikes, s.spikes});
  }
  const std::string assumed = "the profile was made to have this";
  figure.claims = {
      as_calibration(band_claim("a dedicated cluster's latencies lie tightly around their mean",
                                "the 99th percentile over the mean", 0, kTight,
                                spreads[0].most / spreads[0].mean),
                     assumed),
      as_calibration(
          band_claim(
              "the cloud's have frequent spikes more than an order of magnitude above the mean",
              format("per cent of the round trips above {} times the mean", kOrder), 100 * kOften,
              100, 100 * spreads[1].spikes),
          assumed)};
  return figure;
}

namespace {

// Tick §6.3: throughput of scheduling, replication and both together (Figures 5, 6, 8 to 13), at the paper's number
// of nodes. The rules were fixed before the figures were run.
constexpr std::uint32_t kRounds = 5;
constexpr std::uint32_t kRoundsOfSearch = 2;
constexpr std::uint32_t kRoundsOfFigure5 = 20;  // number in the paper's figure
constexpr std::uint32_t kDeep = 10;             // §6.3: depth when combined
constexpr double kGainOfScheduling = 1.3;       // "roughly 30 %"
constexpr double kGainOnFish = 2.5;
constexpr double kGainOnJacobi = 3.0;
constexpr double kNearLinear = 0.8;  // relative to the throughput per node at the fewest nodes

/// The usual table: one technique per row.
FigureTable technique_table(const TickWorkload& workload, const std::vector<Technique>& techniques,
                            const std::vector<TickMeasure>& measures) {
  Figure scratch;
  Rows rows(scratch,
            {shown("technique"), shown("million " + workload.unit + "/s", ".1f"),
             shown("deviation", ".1f"), shown("of the first", ".2f"), shown("waiting %", ".0f"),
             shown("for others %", ".0f"), shown("MB sent", ".1f")});
  const std::vector<double> ratio = gains(measures);
  for (std::size_t i = 0; i < techniques.size(); ++i) {
    const TickMeasure& each = measures[i];
    rows.add({techniques[i].name, each.throughput / 1e6, each.deviation / 1e6, ratio[i],
              100 * each.wait_share, 100 * each.copied, each.megabytes});
  }
  return scratch.shown;
}

Status measure_technique(Laboratory& lab, const TickWorkload& workload,
                         const std::vector<Technique>& techniques, Figure& figure,
                         std::vector<TickMeasure>& measures) {
  LEEWAY_ASSIGN(measures, run_techniques(lab, workload, techniques, kRounds, tick_nodes(lab)));
  figure.shown = technique_table(workload, techniques, measures);
  lab.study().write_raw(figure);
  return {};
}

std::size_t best_of(const std::vector<TickMeasure>& measures, std::size_t from = 0) {
  const auto best = std::max_element(
      measures.begin() + static_cast<std::ptrdiff_t>(from), measures.end(),
      [](const TickMeasure& a, const TickMeasure& b) { return a.throughput < b.throughput; });
  return static_cast<std::size_t>(best - measures.begin());
}

constexpr std::string_view kFlatOptimum =
    "The optimum is flat: a further layer costs processor time at both ends and saves waiting. "
    "What "
    "decides is the processor time of a byte, which the paper does not give.";

/// Replication with one k and several m, compared with local synchronization.
Result<Figure> replication(Laboratory& lab, std::uint32_t every,
                           const std::vector<std::uint32_t>& layers,
                           std::vector<TickMeasure>& measures) {
  const TickWorkload fish = fish_workload();
  Figure figure = blank_tick(lab, fish, kRounds);
  std::vector<Technique> techniques = {local()};
  for (const std::uint32_t each : layers) techniques.push_back(replicate(every, each));
  LEEWAY_TRY(measure_technique(lab, fish, techniques, figure, measures));
  return figure;
}

}  // namespace

Result<Figure> replay_tick_fig5(Laboratory& lab) {
  const TickWorkload jacobi = jacobi_workload();
  const std::vector<Technique> techniques = {local(), schedule(kDeep), replicate(3, 5),
                                             combined(kDeep, 3, 5)};
  Figure figure = blank_tick(lab, jacobi, kRoundsOfFigure5);
  figure.notes.push_back(
      "rounds differ by the seed of one profile, so a real cloud's drift over hours is not "
      "reproduced");
  LEEWAY_ASSIGN(const auto measures,
                run_techniques(lab, jacobi, techniques, kRoundsOfFigure5, tick_nodes(lab)));
  std::vector<Column> columns = {shown("round")};
  for (const Technique& each : techniques) columns.push_back(shown(each.name + " s", ".3f"));
  Rows rows(figure, columns);
  std::size_t ordered = 0;
  for (std::uint32_t round = 0; round < kRoundsOfFigure5; ++round) {
    std::vector<double> seconds;
    for (const TickMeasure& each : measures) seconds.push_back(each.seconds[round]);
    rows.add({round + 1, seconds[0], seconds[1], seconds[2], seconds[3]});
    ordered += falling_steps(seconds) + 1 == seconds.size() ? 1 : 0;
  }
  lab.study().write_raw(figure);
  figure.claims = {order_claim(
      "which techniques are superior shows in every round",
      "rounds in which local synchronization, scheduling, replication and both are each "
      "faster than the one before",
      ordered, kRoundsOfFigure5)};
  return figure;
}

namespace {

/// The share of the processor time of one real thread that is not STEP.
Result<double> share_of_runtime() {
  constexpr std::uint32_t kTicksOfMeter = 20;
  ClusterOptions thread;
  thread.nodes = 1;
  LEEWAY_ASSIGN(const tick::HeatRun run,
                tick::run_heat({.plate = {1000, 1000}},
                               {.ticks = tick::Tick(kTicksOfMeter), .meter = true}, thread));
  const Counters& counters = run.result.nodes.front().counters;
  const double own = counters.seconds(Counter::RuntimeProcessorTime);
  return own / (own + counters.seconds(Counter::StepProcessorTime));
}

}  // namespace

Result<Figure> replay_tick_fig6(Laboratory& lab) {
  LEEWAY_ASSIGN(const double runtime_share, share_of_runtime());
  const TickWorkload fish = fish_workload();
  const TickWorkload jacobi = jacobi_workload();
  Figure figure = blank_tick(lab, fish, kRounds);
  std::vector<Technique> techniques = {local(), schedule(1), schedule(2), schedule(4),
                                       schedule(kDeep)};
  LEEWAY_ASSIGN(const auto on_jacobi,
                run_techniques(lab, jacobi, techniques, kRounds, tick_nodes(lab)));
  figure.further = {{"jacobi", technique_table(jacobi, techniques, on_jacobi)}};
  techniques.push_back(barrier());
  std::vector<TickMeasure> measures;
  LEEWAY_TRY(measure_technique(lab, fish, techniques, figure, measures));
  const std::vector<double> ratio = gains(measures);
  Claim jacobi_no_deeper = no_deeper(on_jacobi);
  jacobi_no_deeper.text = "Jacobi: " + jacobi_no_deeper.text;
  figure.claims = {
      share_claim("one tick ahead already raises throughput by roughly 30 %",
                  "per cent of local synchronization's", 100 * kGainOfScheduling, 100 * ratio[1],
                  100),
      no_deeper(measures),
      holds_claim("local synchronization costs less than a global barrier",
                  "the barrier's throughput is below local synchronization's", ratio[5] < 1),
      share_claim("Jacobi: the results are similar to those of the fish",
                  "throughput one tick ahead, in per cent of local synchronization's",
                  100 * kGainOfScheduling, 100 * gains(on_jacobi)[1], 100),
      std::move(jacobi_no_deeper),
      because(holds_claim("the runtime itself takes at most 0.02 % of the time",
                          "processor time on a real thread without waiting, Jacobi on 1,000 x "
                          "1,000 cells",
                          runtime_share <= 0.0002),
              "Its instructions cost no virtual time, so it is measured on a real thread: about "
              "5 us a tick and rank, regardless of the work (../tick.md). A tick of the paper's "
              "machines would have to take 25 ms.")};
  return figure;
}

Result<Figure> replay_tick_fig8(Laboratory& lab) {
  std::vector<TickMeasure> measures;
  LEEWAY_ASSIGN(Figure figure, replication(lab, 1, {0, 1, 2, 3, 4, 5, 6}, measures));
  const std::size_t best = best_of(measures, 1) - 1;
  figure.claims = {band_claim("throughput peaks at m = 2", "the best m, give or take one", 1, 3,
                              static_cast<double>(best)),
                   holds_claim("it drops after the peak",
                               "m = 6 is below the best by more than the deviation of either",
                               measures[7].throughput + measures[7].deviation <
                                   measures[best + 1].throughput - measures[best + 1].deviation)};
  for (Claim& claim : figure.claims)
    claim =
        as_calibration(std::move(claim),
                       "the processor time of a byte, which decides it, was added because there "
                       "was no peak without it");
  return figure;
}

Result<Figure> replay_tick_fig9(Laboratory& lab) {
  std::vector<TickMeasure> measures;
  LEEWAY_ASSIGN(Figure figure, replication(lab, 2, {1, 2, 3, 4, 5, 6, 7}, measures));
  const std::size_t best = best_of(measures, 1);
  figure.claims = {band_claim("with messages every second tick, m = 3 is best",
                              "the best m, give or take one", 2, 4, static_cast<double>(best))};
  explain(figure.claims, kFlatOptimum);
  return figure;
}

Result<Figure> replay_tick_fig10(Laboratory& lab) {
  std::vector<TickMeasure> measures;
  LEEWAY_ASSIGN(Figure figure, replication(lab, 5, {4, 5, 6, 7, 8, 9, 10}, measures));
  const double step = measures[6].throughput / measures[5].throughput;
  figure.claims = {
      holds_claim(
          "throughput rises from m = 8 to m = 9, where a whole round of messages is unnecessary",
          "m = 9 is above m = 8", step > 1),
      ratio_claim("from m = 8 to m = 9 the replicas grow by an eighth",
                  "bytes sent with m = 9 over those with m = 8", 9.0 / 8,
                  measures[6].megabytes / measures[5].megabytes)};
  explain(figure.claims,
          "A node waits for less than a hundredth of its time at m = 8, so the round of "
          "messages that m = 9 makes unnecessary cannot raise throughput.");
  return figure;
}

namespace {

/// The paper's k and m for the combination, compared with others.
Status search(Laboratory& lab, const TickWorkload& workload, std::uint32_t every,
              std::uint32_t replicas, Figure& figure) {
  constexpr std::pair<std::uint32_t, std::uint32_t> kOthers[] = {
      {1, 1}, {1, 2}, {1, 4}, {2, 2}, {2, 3}, {2, 5}, {3, 3}, {3, 5}, {3, 8}, {5, 5}, {5, 9}};
  std::vector<Technique> techniques = {combined(kDeep, every, replicas)};
  for (const auto& [k, m] : kOthers) {
    if (k != every || m != replicas) techniques.push_back(combined(kDeep, k, m));
  }
  LEEWAY_ASSIGN(const auto measures,
                run_techniques(lab, workload, techniques, kRoundsOfSearch, tick_nodes(lab)));
  lab.study().write_raw(figure);
  const std::size_t best = best_of(measures);
  const double share = measures.front().throughput / measures[best].throughput;
  figure.claims.push_back(band_claim(
      format("the best setting is k = {}, m = {}", every, replicas),
      format("its throughput over the best of {} settings from k = 1, m = 1 to k = 5, m = 9",
             techniques.size()),
      1 - kSimilarWithin, 1, share));
  return {};
}

constexpr std::size_t kGainClaim = 2;  // in the claims of `combination`: the gain of both together

/// Figures 11 and 12: each technique alone, and combined.
Result<Figure> combination(Laboratory& lab, const TickWorkload& workload, std::uint32_t every,
                           std::uint32_t replicas, double goal) {
  Figure figure = blank_tick(lab, workload, kRounds);
  std::vector<TickMeasure> measures;
  LEEWAY_TRY(measure_technique(lab, workload,
                               {local(), schedule(kDeep), replicate(every, replicas),
                                combined(kDeep, every, replicas), barrier()},
                               figure, measures));
  const std::vector<double> ratio = gains(measures);
  figure.claims = {holds_claim("replication brings the largest benefit as an individual technique",
                               "replication is above scheduling", ratio[2] > ratio[1]),
                   holds_claim("replication combined with scheduling shows even better performance",
                               "both together are above replication", ratio[3] > ratio[2]),
                   ratio_claim(format("together they improve throughput by a factor of {}", goal),
                               "throughput over local synchronization's", goal, ratio[3])};
  LEEWAY_TRY(search(lab, workload, every, replicas, figure));
  return figure;
}

}  // namespace

Result<Figure> replay_tick_fig11(Laboratory& lab) {
  return combination(lab, jacobi_workload(), 3, 5, kGainOnJacobi);
}

Result<Figure> replay_tick_fig12(Laboratory& lab) {
  LEEWAY_ASSIGN(Figure figure, combination(lab, fish_workload(), 2, 3, kGainOnFish));
  Claim& gain = figure.claims[kGainClaim];
  gain = as_calibration(std::move(gain),
                        "the number of fish was chosen so that this gain is possible");
  return figure;
}

namespace {

/// Throughput of local synchronization and of the combination, for a workload that grows with the number of nodes.
struct ScaleUp {
  FigureTable table;
  std::vector<double> local, combined;  ///< of one node, by number of nodes
};

Result<ScaleUp> scale_up(Laboratory& lab, const TickWorkload& workload, std::uint32_t every,
                         std::uint32_t replicas) {
  const std::vector<Technique> techniques = {local(), combined(kDeep, every, replicas)};
  Figure scratch;
  Rows rows(scratch,
            {shown("nodes"), shown("local, million/s", ".1f"), shown("combined, million/s", ".1f"),
             shown("local, a node", ".2f"), shown("combined, a node", ".2f")});
  ScaleUp scale;
  for (const std::uint32_t nodes : {4u, 9u, 16u, 25u, 36u, 49u, 64u, 81u, 100u}) {
    LEEWAY_ASSIGN(const auto measures, run_techniques(lab, workload, techniques, kRounds, nodes));
    scale.local.push_back(measures[0].throughput / nodes);
    scale.combined.push_back(measures[1].throughput / nodes);
    rows.add({nodes, measures[0].throughput / 1e6, measures[1].throughput / 1e6,
              scale.local.back() / scale.local.front(),
              scale.combined.back() / scale.combined.front()});
  }
  scale.table = std::move(scratch.shown);
  return scale;
}

/// Each but the first, over the first.
std::vector<double> shares_of_first(const std::vector<double>& series) {
  std::vector<double> shares;
  for (std::size_t i = 1; i < series.size(); ++i) shares.push_back(series[i] / series.front());
  return shares;
}

std::vector<Claim> claims_of_scale(std::string_view workload, const ScaleUp& scale) {
  const double least = *std::min_element(scale.combined.begin(), scale.combined.end());
  return {band_claim(format("{}: throughput grows near-linearly from 4 to 100 nodes", workload),
                     "the least throughput of a node, over that with 4 nodes", kNearLinear,
                     1 / kNearLinear, least / scale.combined.front()),
          order_claim(
              format("{}: the best combination scales better than local synchronization", workload),
              "numbers of nodes above 4 at which a node keeps a greater share of its throughput",
              places_below(shares_of_first(scale.local), shares_of_first(scale.combined)),
              scale.local.size() - 1)};
}

}  // namespace

Result<Figure> replay_tick_fig13(Laboratory& lab) {
  Figure figure = blank_tick(lab, fish_workload(), kRounds);
  LEEWAY_ASSIGN(const ScaleUp fish, scale_up(lab, fish_workload(), 2, 3));
  LEEWAY_ASSIGN(const ScaleUp jacobi, scale_up(lab, jacobi_workload(), 3, 5));
  figure.shown = fish.table;
  figure.further = {{"jacobi", jacobi.table}};
  lab.study().write_raw(figure);
  figure.claims = claims_of_scale("fish", fish);
  add_claims(figure, claims_of_scale("Jacobi", jacobi));
  explain(figure.claims,
          "Most of the loss is from 4 to 9 nodes, because a node on a square of four has fewer "
          "neighbours than one inside a larger square.");
  return figure;
}

namespace {

// Tick §6.3, Figure 7: dependency scheduling if almost all processes communicate with each other.
constexpr std::string_view kGraph = "kron:15:4";
constexpr std::uint32_t kTicks = 60;
constexpr std::uint32_t kPageRankRounds = 3;
constexpr std::string_view kCitations = "cit-HepTh.txt.zst";
constexpr double kPatentArcs = 16'518'948;  // arcs of the paper's graph
constexpr double kPatentVertices = 3'774'768;
constexpr double kArcNanoseconds = 10;  // a random read and an addition on the paper's machines

/// The graph that replaces the paper's, with the prices of the paper's size.
struct PatentsStandIn {
  const Graph* graph = nullptr;
  std::string name;
  tick::RankTicksJob job;
  NetworkProfile network;
  std::uint32_t ticks = 0;
};

Result<PatentsStandIn> patents_stand_in(Laboratory& lab) {
  PatentsStandIn made;
  const std::string place = place_of(kCitations, kGraph);
  made.name = file_name(place);
  LEEWAY_ASSIGN(made.graph, lab.inputs().graph({place, false, false}));
  const auto arcs = static_cast<double>(made.graph->arc_count());
  made.job.arc_price_ps = static_cast<std::uint64_t>(kArcNanoseconds * 1000 * kPatentArcs / arcs);
  made.network =
      tick_network(lab).carrying(kPatentVertices / static_cast<double>(made.graph->vertex_count()));
  made.ticks = lab.settings().iterations.value_or(kTicks);
  return made;
}

Result<std::vector<TickMeasure>> measure_ranks(Laboratory& lab, const PatentsStandIn& patents,
                                               const std::vector<Technique>& techniques) {
  const TickSeries series{.workload = "pagerank",
                          .nodes = tick_nodes(lab),
                          .ticks = patents.ticks,
                          .rounds = kPageRankRounds,
                          .tuples = static_cast<double>(patents.graph->arc_count())};
  return measure_techniques(
      lab, series, techniques,
      [&](const tick::TickOptions& options, ClusterOptions cluster) -> Result<TickRound> {
        cluster.network = patents.network;
        LEEWAY_ASSIGN(tick::RankedGraph ranked,
                      tick::run_page_ranks(*patents.graph, patents.job, options, cluster));
        return TickRound{std::move(ranked.run.result.nodes), ranked.run.elapsed};
      });
}

}  // namespace

Result<Figure> replay_tick_fig7(Laboratory& lab) {
  lab.study().begin_figure();
  LEEWAY_ASSIGN(const PatentsStandIn patents, patents_stand_in(lab));
  const std::vector<Technique> techniques = {local(),     schedule(1),  schedule(2),
                                             schedule(4), schedule(10), replicate(1, 1)};
  LEEWAY_ASSIGN(const auto measures, measure_ranks(lab, patents, techniques));
  Figure figure;
  figure.configuration = {
      {"graph", format("{}, {} vertices, {} arcs, METIS", patents.name,
                       patents.graph->vertex_count(), patents.graph->arc_count())},
      {"arc", format("{:.0f} ns", static_cast<double>(patents.job.arc_price_ps) / 1000)},
      {"nodes", std::to_string(tick_nodes(lab))},
      {"net", patents.network.name},
      {"ticks", std::to_string(patents.ticks)},
      {"rounds", std::to_string(kPageRankRounds)}};
  figure.notes = {
      "another citation graph replaces the patents; an arc and a byte of a message are priced so "
      "that a tick computes and sends the amounts of the patents"};
  Rows rows(figure, {shown("technique"), shown("million edge ticks/s", ".2f"),
                     shown("of the first", ".2f"), shown("waiting %", ".0f")});
  const std::vector<double> ratio = gains(measures);
  for (std::size_t i = 0; i < techniques.size(); ++i) {
    rows.add(
        {techniques[i].name, measures[i].throughput / 1e6, ratio[i], 100 * measures[i].wait_share});
  }
  lab.study().write_raw(figure);
  figure.claims = {holds_claim("scheduling one tick ahead raises PageRank's throughput as well",
                               "d = 1 is above local synchronization", ratio[1] > 1),
                   no_deeper(measures),
                   holds_claim("replication is counterproductive, because a part's dependencies "
                               "are a large part of the graph",
                               "k = 1, m = 1 is below local synchronization", ratio[5] < 1)};
  explain(figure.claims,
          "STEP is an eighth of the time here, so that hiding communication behind it "
          "gains little; a tick needs messages from almost all nodes, and METIS cuts four "
          "fifths of the generated graph.");
  return figure;
}

}  // namespace leeway::replay
