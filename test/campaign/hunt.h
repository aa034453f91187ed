// Every deliberate mistake that mutants.py puts into a build of protocol and dsm must be found by some seed.
#pragma once

#include <cstdint>
#include <string>

namespace leeway::campaign {

[[nodiscard]] bool has_mutants();
/// Prints a line a mutant; `only`: of this one, all if empty. Returns the exit code.
int hunt_mutants(std::uint64_t first, std::uint64_t seeds, const std::string& only);

}  // namespace leeway::campaign
