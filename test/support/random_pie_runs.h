// Runs of PIE programs in the virtual cluster, drawn from a seed.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <string>

#include "base/format.h"
#include "base/random.h"
#include "leeway/pie.h"

namespace leeway::testing {

using pie::Cut;
using pie::PieOptions;

/// A number from the environment.
inline std::uint64_t number_from(const char* name, std::uint64_t fallback) {
  const char* const text = std::getenv(name);
  return text == nullptr ? fallback : std::strtoull(text, nullptr, 10);
}

/// All parameters of a run except the program, drawn from a seed.
inline RunOptions random_run(Random& random, std::uint64_t seed) {
  RunOptions options;
  ClusterOptions& cluster = options.cluster;
  cluster.fabric = Fabric::Sim;
  cluster.seed = seed;
  cluster.nodes = 1 + static_cast<std::uint32_t>(random.below(9));
  const char* const networks[] = {
      "ideal", "ec2", "infiniband",
      "custom:latency_us=20,jitter_us=400,spike_per_million=100000,spike_us=5000"};
  cluster.network = parse_profile(networks[random.below(4)]).value();
  for (std::uint32_t node = 0; node < cluster.nodes; ++node)
    cluster.faults.slowdown_percent.push_back(100 +
                                              static_cast<std::uint32_t>(random.below(40)) * 100);
  if (random.chance(0.3)) {
    cluster.faults.pauses.push_back(
        {NodeId(static_cast<std::uint32_t>(random.below(cluster.nodes))),
         Instant(std::chrono::microseconds(random.below(500))),
         std::chrono::microseconds(1 + random.below(3000))});
  }
  options.pie.workers = 1 + static_cast<std::uint32_t>(random.below(random.chance(0.1) ? 64 : 14));
  for (std::uint32_t worker = 0; worker < options.pie.workers; ++worker)
    options.pie.nodes_of.push_back(NodeId(static_cast<std::uint32_t>(random.below(cluster.nodes))));
  Schedule& schedule = options.pie.schedule;
  schedule.model = static_cast<Scheduler>(1 + random.below(5));
  if (schedule.model == Scheduler::Ssp || random.chance(0.3))
    schedule.bound = static_cast<std::uint32_t>(random.below(4));
  schedule.gather_fraction = random.unit() * 2;
  schedule.least_target = static_cast<double>(random.below(6));
  schedule.fixed_target = random.chance(0.5);
  options.pie.most_rounds = 1'000'000;
  const PartitionMethod methods[] = {PartitionMethod::Random, PartitionMethod::Hash,
                                     PartitionMethod::Block, PartitionMethod::Metis};
  options.partition.method = methods[random.below(4)];
  if (random.chance(0.3)) options.pie.rate_window = std::chrono::microseconds(random.below(2000));
  if (random.chance(0.4)) options.pie.rebalance = 1 + static_cast<std::uint32_t>(random.below(6));
  options.partition.seed = seed;
  options.pie.cut = random.chance(0.3) ? Cut::Vertex : Cut::Edge;
  options.pie.hops = random.chance(0.2) ? 1 : 0;
  return options;
}

inline std::string described(const RunOptions& options) {
  return format("{} on {} nodes with {} workers, balanced every {} rounds, {}",
                scheduler_name(options.pie.schedule.model), options.cluster.nodes,
                options.pie.workers, options.pie.rebalance, options.cluster.network.name);
}

}  // namespace leeway::testing
