// Options of a run of the vertex engine, drawn at random: fabric, nodes, threads and mode.
#pragma once

#include <iterator>

#include "base/random.h"
#include "leeway/cluster.h"
#include "leeway/options.h"
#include "protocol/policy.h"
#include "transport/cluster_model.h"

namespace leeway::testing {

inline RunOptions drawn_options(Random& random, const SchedulerInfo& scheduler) {
  constexpr const char* kModes[] = {"scp", "scp+rw", "stale-1", "stale-4", "rcp", "rcp+push"};
  RunOptions options;
  options.cluster.fabric = random.chance(0.5) ? Fabric::Sim : Fabric::Loopback;
  if (options.cluster.fabric == Fabric::Sim)
    options.cluster.network = parse_profile("gigabit").value();
  options.cluster.nodes = 1 + static_cast<std::uint32_t>(random.below(4));
  options.cluster.policy = parse_policy(kModes[random.below(std::size(kModes))]).value();
  options.vertex.scheduler = scheduler.scheduler;
  // The virtual cluster's nodes are fibers of one thread.
  const bool virtual_nodes = options.cluster.fabric == Fabric::Sim;
  options.vertex.threads = virtual_nodes ? 1 : 1 + static_cast<unsigned>(random.below(2));
  options.partition.method = PartitionMethod::Hash;
  options.cluster.seed = random.below(100);
  return options;
}

}  // namespace leeway::testing
