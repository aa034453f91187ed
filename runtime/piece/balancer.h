// The persistence-based load balancer (Lifflander et al., HPDC'12, as AsyTick uses it): what took long in
// the ticks just measured is taken to take long in those to come, and workers with more than their share
// hand pieces to those with less. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "leeway/runtime/piece/layout.h"

namespace leeway::piece {

/// Owners after redistribution: pieces move away from the most loaded worker until nobody exceeds the
/// average by more than `slack_percent`, or no move helps. A heavy piece is moved rather than a light one,
/// and rather to a worker that has pieces around it, so that partitions stay in one part. `standing` is
/// what each of the workers has to do besides, which cannot be moved. The same loads give the same owners
/// everywhere.
[[nodiscard]] std::vector<NodeId> balanced_owners(const PieceLayout& layout,
                                                  std::span<const NodeId> owners,
                                                  std::span<const std::uint64_t> loads,
                                                  std::span<const std::uint64_t> standing,
                                                  std::uint32_t slack_percent = 5);

}  // namespace leeway::piece
