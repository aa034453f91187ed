// Runs one body on every node of a cluster that shares objects. Blocks until all that live in this process
// have returned and closed.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "leeway/base/result.h"
#include "leeway/runtime/node_programs.h"

namespace leeway {

struct ClusterOutcome {
  std::vector<NodeStats> nodes;
  std::uint64_t events = 0;  ///< sim's
  std::uint64_t digest = 0;  ///< sim's: equal runs have equal digests
};

/// The first error any body returned; an Environment error if the virtual cluster did not finish.
Result<ClusterOutcome> run_cluster(const ClusterOptions& cluster,
                                   const std::function<Status(Node&)>& body);

}  // namespace leeway
