#include "test/campaign/hunt.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <optional>

#include "leeway/base/format.h"
#include "leeway/mutant.h"
#include "test/campaign/apart.h"
#include "test/campaign/run.h"
#include "test/campaign/watchdog.h"

namespace leeway::campaign {

namespace {

/// What takes one exact situation: too rare here, and shown by a test of that situation (test/protocol/meson.build,
/// test/dsm/meson.build).
constexpr std::array<std::string_view, 5> kShownByTests = {
    "count-of-reads-wraps", "an-eviction-overtakes-its-read", "own-write-is-undone-by-an-answer",
    "evict-ignores-number", "who-is-turned-away-from-a-poll-is-forgotten"};

bool shown_by_a_test(std::string_view mutant) {
  return std::find(kShownByTests.begin(), kShownByTests.end(), mutant) != kShownByTests.end();
}

/// The first seed that finds the mistake that is on, and how; nothing if none does.
std::optional<std::string> find_in(std::uint64_t first, std::uint64_t seeds, bool over_threads) {
  Watchdog watchdog;
  for (std::uint64_t seed = first; seed - first < seeds; ++seed) {
    const Plan plan = make_plan(seed, over_threads);
    watchdog.begin(plan.describe(), plan.repeat_command());
    const Outcome outcome = run_plan(plan);
    if (outcome.violations.empty()) continue;
    return format("seed {}{}: {}", seed, over_threads ? " over threads" : "",
                  outcome.violations[0].substr(0, outcome.violations[0].find(':')));
  }
  return std::nullopt;
}

}  // namespace

bool has_mutants() { return true; }

int hunt_mutants(std::uint64_t first, std::uint64_t seeds, const std::string& only) {
  int caught = 0, survived = 0;
  for (std::size_t i = 0; i < kMutants.size(); ++i) {
    if (only.empty() ? shown_by_a_test(kMutants[i]) : kMutants[i] != only) continue;
    active_mutant = static_cast<int>(i) + 1;
    const std::string found = found_apart([&] {
      auto words = find_in(first, seeds, false);
      // What only real threads can do takes longer to come up.
      return words ? words : find_in(first, seeds / 4, true);
    });
    ++(found.empty() ? survived : caught);
    std::printf("%-36s %s\n", std::string(kMutants[i]).c_str(),
                found.empty() ? "SURVIVED" : format("caught by {}", found).c_str());
  }
  if (caught + survived == 0) std::printf("no mutant '%s'\n", only.c_str());
  std::printf("%d passed, %d failed, 0 skipped\n", caught, survived);
  return survived == 0 && caught > 0 ? 0 : 1;
}

}  // namespace leeway::campaign
