// What one node of a plan does, whatever cluster it runs in: random reads, stores, prefetches and pauses in
// iterations until all agree, then a quiet look at everything.
#pragma once

#include <functional>
#include <memory>

#include "test/campaign/observers.h"
#include "test/campaign/plan.h"

namespace leeway::campaign {

/// One node's. Outlives the activities that it starts, those that are unwound with a cluster that lost a node
/// included.
class Body {
 public:
  virtual ~Body() = default;
  /// Closes the node at the end. `begin_overtaking`: where the network can do that; may be empty.
  virtual void run(const std::function<void()>& begin_overtaking = {}) = 0;
};

[[nodiscard]] std::unique_ptr<Body> make_body(Node& node, const Plan& plan, Observers& observers);

}  // namespace leeway::campaign
