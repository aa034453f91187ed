// The load balancer (AAP §7): virtual workers whose rounds took long in the query just answered are taken to
// take long in the next, and nodes with more than their share hand workers to those with less. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "leeway/base/clock.h"
#include "leeway/base/ids.h"

namespace leeway::pie {

/// Which node each virtual worker runs on, by what a round of it takes: a worker moves from the most
/// loaded node to the least loaded one while that lowers the higher load of the two; of those that do, the
/// one that lowers it most. The same times give the same places everywhere.
[[nodiscard]] std::vector<NodeId> balanced_nodes_of(std::span<const NodeId> nodes_of,
                                                    std::span<const Duration> times,
                                                    std::uint32_t nodes);

}  // namespace leeway::pie
