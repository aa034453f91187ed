// Every deliberate mistake that snapshot_mutants.py puts into a build of what snapshots stand on must be found by some
// seed.
#pragma once

#include <cstdint>
#include <string>

namespace leeway::campaign {

[[nodiscard]] bool has_snapshot_mutants();
/// Prints a line a mutant; `only`: of this one, all if empty. Returns the exit code.
int hunt_snapshot_mutants(std::uint64_t first, std::uint64_t seeds, const std::string& only,
                          const std::string& folder);

}  // namespace leeway::campaign
