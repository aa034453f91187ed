// Runs one body on every node of a cluster inside this process: threads over the loopback transport, or
// fibers of the virtual cluster; or on this process's node of a job of processes. Blocks until all that
// live here have returned and closed.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "leeway/base/result.h"
#include "leeway/dsm/node.h"
#include "leeway/transport/cost_model.h"
#include "leeway/transport/fabric.h"
#include "leeway/transport/network_profile.h"

namespace leeway {

struct ClusterOptions {
  Fabric fabric = Fabric::Loopback;  ///< what `job` says, if there is one
  std::uint32_t nodes = 1;           ///< as many as `job` has, if there is one
  Job* job = nullptr;      ///< of Mpi or Ofi: joined, and left, by the caller, whom it outlives
  NetworkProfile network;  ///< loopback holds frames back by it, in real time
  CostModel cost;          ///< sim: what computation takes
  std::uint64_t seed = 1;
  Policy policy;
};

struct ClusterOutcome {
  std::vector<NodeStats> nodes;
  std::uint64_t events = 0;  ///< sim's
  std::uint64_t digest = 0;  ///< sim's: equal runs have equal digests
};

/// The first error any body returned; an Environment error if the virtual cluster did not finish.
Result<ClusterOutcome> run_cluster(const ClusterOptions& options,
                                   const std::function<Status(Node&)>& body);

}  // namespace leeway
