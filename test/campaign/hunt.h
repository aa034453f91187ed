// Searches a seed that finds each mutant that mutants.py built into protocol and dsm.
#pragma once

#include <cstdint>
#include <string>

namespace leeway::campaign {

struct HuntOptions {
  std::uint64_t first = 1;
  std::uint64_t seeds = 0;
  std::string only;   ///< this mutant; all if empty
  std::string known;  ///< file of runs that found mutants, tried first (apart.h)
};

[[nodiscard]] bool has_mutants();
/// Prints one line per mutant. Returns the exit code.
int hunt_mutants(const HuntOptions& options);

}  // namespace leeway::campaign
