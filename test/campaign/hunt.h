// Every deliberate mistake that mutants.py puts into a build of protocol and dsm must be found by some seed.
#pragma once

#include <cstdint>
#include <string>

namespace leeway::campaign {

struct HuntOptions {
  std::uint64_t first = 1;
  std::uint64_t seeds = 0;
  std::string only;   ///< this mutant; all if empty
  std::string known;  ///< a file of what has found them before, tried first (apart.h)
};

[[nodiscard]] bool has_mutants();
/// Prints a line a mutant. Returns the exit code.
int hunt_mutants(const HuntOptions& options);

}  // namespace leeway::campaign
