// Runs an interrupted job to its end in the virtual cluster and says what was wrong. Each run goes on from what the one
// before has left: its last whole snapshot, what nodes held when one was lost, or nothing.
#pragma once

#include <cstdint>
#include <string>

#include "test/campaign/snapshot_plan.h"

namespace leeway::campaign {

struct SnapshotOutcome {
  std::string wrong;            ///< empty: every answer and every snapshot is right
  std::uint64_t runs = 0;       ///< that came to their end
  std::uint64_t snapshots = 0;  ///< whole
  std::uint64_t lost = 0;       ///< runs that a lost node ended
  std::uint64_t resumed = 0;    ///< from a snapshot
  std::uint64_t salvaged = 0;   ///< from what nodes held, with a snapshot or without
  std::uint64_t digest = 0;     ///< of all runs' events

  void add(const SnapshotOutcome& other);
};

/// `folder` is the caller's: it is made, and emptied at the end.
[[nodiscard]] SnapshotOutcome run_snapshot_plan(const SnapshotPlan& plan,
                                                const std::string& folder);

}  // namespace leeway::campaign
