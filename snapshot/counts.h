// What a run's snapshots came to.
#pragma once

#include <cstdint>

namespace leeway::snapshot {

/// What it came to on one node. Plain data.
struct Counts {
  std::uint64_t taken = 0;      ///< whole and valid; node 0's
  std::uint64_t failed = 0;     ///< parts that could not be written
  std::uint64_t skipped = 0;    ///< parts left out because the one before was still being written
  std::uint64_t bytes = 0;      ///< of all parts of those taken; node 0's
  std::int64_t paused_ns = 0;   ///< the computation stood still for, in all
  std::int64_t longest_ns = 0;  ///< and for one snapshot at the most
  std::int64_t written_ns = 0;  ///< from the agreement until it was valid, in all; node 0's
};

}  // namespace leeway::snapshot
