// A random program on a random cluster, all from one seed: who reads, writes, prefetches and waits when;
// how large objects, caches and thresholds are; what the network does and what goes wrong.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "leeway/dsm/node.h"
#include "leeway/transport/sim.h"
#include "test/campaign/observers.h"

namespace leeway::campaign {

struct SpacePlan {
  std::string mode;
  ValueShape shape;
  std::uint32_t objects_per_node = 1;
  std::uint32_t cache_capacity = 0;
};

struct Plan {
  std::uint64_t seed = 0;
  SimOptions sim;
  std::vector<SpacePlan> spaces;
  Optimizations optimizations;
  std::uint32_t iterations = 0;          ///< at least this many
  std::uint32_t writing_iterations = 0;  ///< nobody writes after these
  std::uint32_t steps = 0;               ///< of each node in each iteration
  std::uint32_t threads = 1;             ///< activities a node
  Service service = Service::Background;
  bool crashes = false;

  [[nodiscard]] std::string describe() const;
};

[[nodiscard]] Plan make_plan(std::uint64_t seed);

struct Outcome {
  std::vector<std::string> violations;
  std::uint64_t digest = 0;  ///< of the event log and the cluster's own events
  std::uint64_t events = 0;
  std::uint64_t records = 0;
  std::vector<std::string> log;  ///< lines, when asked for
};

[[nodiscard]] std::vector<Promise> promises_of(const Plan& plan);
void tell_initial_values(const Plan& plan, Observers& observers);
[[nodiscard]] Outcome run_plan(const Plan& plan, bool keep_log = false);

}  // namespace leeway::campaign
