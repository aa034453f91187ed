#include "test/campaign/snapshot_hunt.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <optional>

#include "leeway/base/format.h"
#include "leeway/mutant.h"
#include "test/campaign/apart.h"
#include "test/campaign/snapshot_run.h"
#include "test/campaign/watchdog.h"

namespace leeway::campaign {

namespace {

/// Shown by a test of the one situation in which they do harm (test/snapshot/meson.build).
constexpr std::array<std::string_view, 3> kShownByTests = {
    "a-part-has-its-name-before-it-is-whole", "a-snapshot-has-its-number-before-its-manifest",
    "a-copy-is-kept-without-its-version"};

bool shown_by_a_test(std::string_view mutant) {
  return std::find(kShownByTests.begin(), kShownByTests.end(), mutant) != kShownByTests.end();
}

std::optional<std::string> find_in(std::uint64_t first, std::uint64_t seeds,
                                   const std::string& folder) {
  Watchdog watchdog;
  for (std::uint64_t seed = first; seed - first < seeds; ++seed) {
    const SnapshotPlan plan = make_snapshot_plan(seed);
    watchdog.begin(plan.describe(), plan.repeat_command());
    const SnapshotOutcome outcome = run_snapshot_plan(plan, folder);
    if (outcome.wrong.empty()) continue;
    return format("seed {}: {}", seed, outcome.wrong.substr(0, 90));
  }
  return std::nullopt;
}

}  // namespace

bool has_snapshot_mutants() { return true; }

int hunt_snapshot_mutants(std::uint64_t first, std::uint64_t seeds, const std::string& only,
                          const std::string& folder) {
  int caught = 0, survived = 0;
  for (std::size_t i = 0; i < kMutants.size(); ++i) {
    if (only.empty() ? shown_by_a_test(kMutants[i]) : kMutants[i] != only) continue;
    active_mutant = static_cast<int>(i) + 1;
    const std::string found = found_apart([&] { return find_in(first, seeds, folder); });
    ++(found.empty() ? survived : caught);
    std::printf("%-56s %s\n", std::string(kMutants[i]).c_str(),
                found.empty() ? "SURVIVED" : format("caught by {}", found).c_str());
    std::fflush(stdout);
  }
  if (caught + survived == 0) std::printf("no mutant '%s'\n", only.c_str());
  std::printf("%d passed, %d failed, 0 skipped\n", caught, survived);
  return survived == 0 && caught > 0 ? 0 : 1;
}

}  // namespace leeway::campaign
