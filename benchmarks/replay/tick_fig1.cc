// Tick's Figure 1: the latencies themselves.
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "leeway/base/format.h"
#include "leeway/benchmarks/replay/laboratory.h"
#include "leeway/runtime/endpoint.h"

namespace leeway::replay {

namespace {

constexpr std::size_t kMessageBytes = 16 * 1024;  // as in the paper's figure
constexpr std::uint32_t kTrips = 20'000;
constexpr double kTight = 2;   // "tightly distributed": the 99th of 100 within twice the mean
constexpr double kOrder = 10;  // "an order of magnitude"
constexpr double kOften = 0.002;

/// Milliseconds of round trips between two nodes, one after the other.
Result<std::vector<double>> round_trips(const ClusterOptions& cluster) {
  std::vector<double> trips;
  const auto outcome = run_endpoints(cluster, [&](Endpoint& endpoint) -> Status {
    const NodeId other(1 - endpoint.self().value());
    std::uint32_t heard = 0;
    for (std::uint32_t trip = 0; trip < kTrips; ++trip) {
      const Instant begin = endpoint.now();
      if (endpoint.self() == NodeId(0)) endpoint.send(other, Frame(kMessageBytes));
      const std::uint32_t wanted = trip + 1;
      while (heard < wanted) {
        if (endpoint.receive([&](NodeId, std::span<const std::byte>) { ++heard; }) == 0)
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
      "gigabit stands for the paper's Weblab cluster, ec2 for its large EC2 instances; the small "
      "and the cluster instances have no profile here"};
  Rows rows(figure,
            {both("profile"), both("mean ms", ".3f", "mean_ms", ".6f"),
             both("median ms", ".3f", "median_ms", ".6f"), both("99 % ms", ".3f", "p99_ms", ".6f"),
             both("greatest ms", ".3f", "greatest_ms", ".6f"), shown("spikes %", ".2f"),
             raw("spike_share", ".6f")});
  std::array<Spread, 2> spreads;
  const std::array<std::string, 2> names = {"gigabit", "ec2"};
  for (std::size_t i = 0; i < names.size(); ++i) {
    lab.say("round trips, " + names[i]);
    LEEWAY_ASSIGN(const NetworkProfile network, parse_profile(names[i]));
    LEEWAY_ASSIGN(std::vector<double> trips, round_trips(lab.cluster(2, network)));
    spreads[i] = spread_of(std::move(trips));
    const Spread& s = spreads[i];
    rows.add({names[i], s.mean, s.half, s.most, s.greatest, 100 * s.spikes, s.spikes});
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

}  // namespace leeway::replay
