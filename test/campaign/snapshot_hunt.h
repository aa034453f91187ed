// Every deliberate mistake that snapshot_mutants.py puts into a build of what snapshots stand on must be found by some
// seed.
#pragma once

#include <string>

#include "test/campaign/hunt.h"

namespace leeway::campaign {

[[nodiscard]] bool has_snapshot_mutants();
/// Prints a line a mutant. Returns the exit code.
int hunt_snapshot_mutants(const HuntOptions& options, const std::string& folder);

}  // namespace leeway::campaign
