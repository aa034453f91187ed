// The random steps of one thread in one iteration: reads, stores, prefetches and pauses.
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "test/campaign/objects.h"
#include "test/campaign/observers.h"
#include "test/campaign/own_objects.h"

namespace leeway::campaign {

/// State that the threads of one node share.
struct Common {
  Node& node;
  const Plan& plan;
  Observers& observers;
  OwnObjects own_objects;
  std::vector<std::unique_ptr<Objects>> spaces;
  std::atomic<bool> stored{false};  ///< some thread stored in this iteration
};

/// Takes the number of steps in the plan. All threads of a node call this concurrently, each with
/// its own `reader.thread`.
void take_steps(Common& common, const Reader& reader);
/// A few reads between the node's vote and the verdict.
void read_on(Common& common, const Reader& reader);

}  // namespace leeway::campaign
