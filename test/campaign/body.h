// What one node of a plan does, whatever cluster it runs in: random reads, writes, prefetches and pauses in
// iterations until all agree, then a quiet look at everything.
#pragma once

#include <functional>

#include "test/campaign/program.h"

namespace leeway::campaign {

struct BodyHooks {
  std::function<void()> begin_overtaking;  ///< where the network can do that; may be empty
  std::function<void()> cluster_is_quiet;  ///< called at node 0
};

/// Closes the node at the end.
void run_body(Node& node, const Plan& plan, const BodyHooks& hooks);

}  // namespace leeway::campaign
