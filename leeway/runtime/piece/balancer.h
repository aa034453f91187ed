// The persistence-based load balancer (Lifflander et al., HPDC'12, as AsyTick uses it): what took long in
// the ticks just measured is taken to take long in those to come, and workers with more than their share
// hand pieces to those with less. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "leeway/runtime/piece/ids.h"

namespace leeway::piece {

/// Owners after redistribution: the heaviest pieces that fit move from the most loaded worker to the
/// least loaded one until nobody exceeds the average by more than `slack_percent`, or no move helps.
/// `standing` is what each of the workers has to do besides, which cannot be moved. The same loads give
/// the same owners everywhere.
[[nodiscard]] std::vector<NodeId> rebalanced(std::span<const NodeId> owners,
                                             std::span<const std::uint64_t> loads,
                                             std::span<const std::uint64_t> standing,
                                             std::uint32_t slack_percent = 5);

}  // namespace leeway::piece
