// Searches a seed that finds each mutant that snapshot_mutants.py built into the snapshot code and
// its dependencies.
#pragma once

#include <string>

#include "test/campaign/hunt.h"

namespace leeway::campaign {

[[nodiscard]] bool has_snapshot_mutants();
/// Prints one line per mutant. Returns the exit code.
int hunt_snapshot_mutants(const HuntOptions& options, const std::string& folder);

}  // namespace leeway::campaign
