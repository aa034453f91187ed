// A search for mutants, each in a child process, because a mutant can end the process.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace leeway::campaign {

/// A run that found the mutant in an earlier search.
struct KnownFind {
  std::uint64_t seed = 0;
  bool over_threads = false;
};

struct MutantHunt {
  std::span<const std::string_view> mutants;
  /// Mutants that random runs seldom find; a test of the exact situation finds them.
  std::span<const std::string_view> shown_by_tests;
  std::string only;  ///< empty: all except `shown_by_tests`
  /// A file of lines "MUTANT SEED [threads]"; these runs are tried first.
  std::string known;
  /// One line that describes how the active mutant was found; nothing if it was not.
  std::function<std::optional<std::string>(const KnownFind&)> try_known;
  std::function<std::optional<std::string>()> search;
};

/// Activates one mutant after another and prints a line for each. Returns the exit code: 0 if all
/// were found.
[[nodiscard]] int hunt(const MutantHunt& hunt);

}  // namespace leeway::campaign
