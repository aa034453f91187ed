// The program of one node of a plan, for every kind of cluster: random reads, stores, prefetches
// and pauses in iterations until all nodes vote to end, then a check of all values at quiescence.
#pragma once

#include <functional>
#include <memory>

#include "test/campaign/observers.h"
#include "test/campaign/plan.h"

namespace leeway::campaign {

/// One node's program. Outlives the activities that it starts, including those that are unwound
/// after a node was lost.
class Body {
 public:
  virtual ~Body() = default;
  /// Closes the node at the end. `begin_overtaking` lets frames overtake each other if the network
  /// can do that; may be empty.
  virtual void run(const std::function<void()>& begin_overtaking = {}) = 0;
};

[[nodiscard]] std::unique_ptr<Body> make_body(Node& node, const Plan& plan, Observers& observers);

}  // namespace leeway::campaign
