// Tick's Figure 1, the latencies themselves, and the list of all its figures.
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "leeway/base/format.h"
#include "leeway/benchmarks/replay/study.h"
#include "leeway/runtime/post.h"

namespace leeway::replay {

Result<Figure> replay_tick_fig5(const StudySettings& settings);
Result<Figure> replay_tick_fig6(const StudySettings& settings);
Result<Figure> replay_tick_fig7(const StudySettings& settings);
Result<Figure> replay_tick_fig8(const StudySettings& settings);
Result<Figure> replay_tick_fig9(const StudySettings& settings);
Result<Figure> replay_tick_fig10(const StudySettings& settings);
Result<Figure> replay_tick_fig11(const StudySettings& settings);
Result<Figure> replay_tick_fig12(const StudySettings& settings);
Result<Figure> replay_tick_fig13(const StudySettings& settings);

namespace {

constexpr std::size_t kMessageBytes = 16 * 1024;  // as in the paper's figure
constexpr std::uint32_t kTrips = 20'000;
constexpr double kTight = 2;   // "tightly distributed": the 99th of 100 within twice the mean
constexpr double kOrder = 10;  // "an order of magnitude"
constexpr double kOften = 0.002;

/// Milliseconds of round trips between two nodes, one after the other.
Result<std::vector<double>> round_trips(const NetworkProfile& network, std::uint64_t seed) {
  ClusterOptions cluster;
  cluster.fabric = Fabric::Sim;
  cluster.nodes = 2;
  cluster.network = network;
  cluster.seed = seed;
  std::vector<double> trips;
  const auto outcome = run_posts(cluster, [&](Post& post) -> Status {
    const NodeId other(1 - post.self().value());
    std::uint32_t heard = 0;
    for (std::uint32_t trip = 0; trip < kTrips; ++trip) {
      const Instant begin = post.now();
      if (post.self() == NodeId(0)) post.send(other, Frame(kMessageBytes));
      const std::uint32_t wanted = trip + 1;
      while (heard < wanted) {
        if (post.receive([&](NodeId, std::span<const std::byte>) { ++heard; }) == 0) post.wait();
      }
      if (post.self() == NodeId(1)) post.send(other, Frame(kMessageBytes));
      if (post.self() == NodeId(0)) trips.push_back(seconds(post.now() - begin) * 1e3);
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

Result<Figure> replay_tick_fig1(const StudySettings& settings) {
  Figure figure{.name = "tick-fig1", .title = "round trips of 16 KB between two nodes"};
  figure.configuration = {{"paper", "Zou et al., SOCC 2011"},
                          {"trips", std::to_string(kTrips)},
                          {"seed", std::to_string(settings.seed)}};
  figure.notes = {
      "gigabit stands for the paper's Weblab cluster, ec2 for its large EC2 instances; the small "
      "and the cluster instances have no profile here"};
  figure.shown.columns = {"profile", "mean ms", "median ms", "99 % ms", "greatest ms", "spikes %"};
  figure.raw.columns = {"profile", "mean_ms", "median_ms", "p99_ms", "greatest_ms", "spike_share"};
  std::array<Spread, 2> spreads;
  const std::array<std::string, 2> names = {"gigabit", "ec2"};
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (settings.say) settings.say("round trips, " + names[i]);
    LEEWAY_ASSIGN(const NetworkProfile network, parse_profile(names[i]));
    LEEWAY_ASSIGN(std::vector<double> trips, round_trips(network, settings.seed));
    spreads[i] = spread_of(std::move(trips));
    const Spread& s = spreads[i];
    figure.shown.rows.push_back({names[i], format("{:.3f}", s.mean), format("{:.3f}", s.half),
                                 format("{:.3f}", s.most), format("{:.3f}", s.greatest),
                                 format("{:.2f}", 100 * s.spikes)});
    figure.raw.rows.push_back({names[i], format("{:.6f}", s.mean), format("{:.6f}", s.half),
                               format("{:.6f}", s.most), format("{:.6f}", s.greatest),
                               format("{:.6f}", s.spikes)});
  }
  figure.claims = {
      {"a dedicated cluster's latencies lie tightly around their mean",
       format("99 of 100 within {} times the mean", kTight),
       format("{:.2f}", spreads[0].most / spreads[0].mean),
       spreads[0].most <= kTight * spreads[0].mean},
      {"the cloud's have frequent spikes more than an order of magnitude above the mean",
       format("at least {} % above {} times the mean", 100 * kOften, kOrder),
       format("{:.2f} %", 100 * spreads[1].spikes), spreads[1].spikes >= kOften}};
  return figure;
}

constexpr std::array kStudies = {
    Study{"tick-fig1", "latencies of a cluster and of the cloud", replay_tick_fig1},
    Study{"tick-fig5", "Jacobi, round by round", replay_tick_fig5},
    Study{"tick-fig6", "fish, dependency scheduling", replay_tick_fig6},
    Study{"tick-fig7", "PageRank, dependency scheduling", replay_tick_fig7},
    Study{"tick-fig8", "fish, replication with k = 1", replay_tick_fig8},
    Study{"tick-fig9", "fish, replication with k = 2", replay_tick_fig9},
    Study{"tick-fig10", "fish, replication with k = 5", replay_tick_fig10},
    Study{"tick-fig11", "Jacobi, the techniques together", replay_tick_fig11},
    Study{"tick-fig12", "fish, the techniques together", replay_tick_fig12},
    Study{"tick-fig13", "fish, 4 to 100 nodes", replay_tick_fig13},
};

}  // namespace

std::span<const Study> tick_studies() { return kStudies; }

}  // namespace leeway::replay
