// Runs an interrupted job to its end in the virtual cluster and reports what was wrong. Each run
// resumes from the last complete snapshot of the previous ones; without one it starts again.
#pragma once

#include <cstdint>
#include <string>

#include "test/campaign/snapshot_plan.h"

namespace leeway::campaign {

struct SnapshotOutcome {
  std::string wrong;            ///< empty: every answer and every snapshot is right
  std::uint64_t runs = 0;       ///< completed runs
  std::uint64_t snapshots = 0;  ///< complete snapshots
  std::uint64_t lost = 0;       ///< runs ended by the loss of a node
  std::uint64_t resumed = 0;    ///< runs resumed from a snapshot
  std::uint64_t digest = 0;     ///< of all runs' events

  void add(const SnapshotOutcome& other);
};

/// `folder` belongs to the caller; it is created, and emptied at the end.
[[nodiscard]] SnapshotOutcome run_snapshot_plan(const SnapshotOptions& plan,
                                                const std::string& folder);

}  // namespace leeway::campaign
