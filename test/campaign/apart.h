// A search for deliberate mistakes, for each in a process of its own, which the mistake may end.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace leeway::campaign {

/// A run that has found a mistake before.
struct KnownFind {
  std::uint64_t seed = 0;
  bool over_threads = false;
};

struct MutantHunt {
  std::span<const std::string_view> mutants;
  /// Those that are too rare here, and that a test of the one situation in which they do harm shows.
  std::span<const std::string_view> shown_by_tests;
  std::string only;  ///< all but `shown_by_tests` if empty
  /// A file of lines "MUTANT SEED [threads]": that run is tried before all others.
  std::string known;
  /// How the mistake that is on was found, in a line; nothing if it was not.
  std::function<std::optional<std::string>(const KnownFind&)> try_known;
  std::function<std::optional<std::string>()> search;
};

/// Turns on one mutant after another and prints a line for each. Returns the exit code: 0 if all were found.
[[nodiscard]] int hunt(const MutantHunt& hunt);

}  // namespace leeway::campaign
