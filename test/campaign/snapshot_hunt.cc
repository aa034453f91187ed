#include "test/campaign/snapshot_hunt.h"

#include <array>
#include <optional>

#include "base/format.h"
#include "leeway/mutant.h"
#include "test/campaign/apart.h"
#include "test/campaign/snapshot_run.h"
#include "test/campaign/watchdog.h"

namespace leeway::campaign {

namespace {

/// Mutants that do harm only in one exact situation; the tests of that situation find them
/// (test/mutants/snapshot/meson.build).
constexpr std::array<std::string_view, 2> kShownByTests = {
    "a-part-has-its-name-before-it-is-whole", "a-snapshot-has-its-number-before-its-manifest"};

std::optional<std::string> find_in(std::uint64_t first, std::uint64_t seeds,
                                   const std::string& folder) {
  Watchdog watchdog;
  for (std::uint64_t seed = first; seed - first < seeds; ++seed) {
    const SnapshotOptions plan = make_snapshot_plan(seed);
    watchdog.begin(plan.describe(), plan.repeat_command());
    const SnapshotOutcome outcome = run_snapshot_plan(plan, folder);
    if (outcome.wrong.empty()) continue;
    return format("seed {}: {}", seed, outcome.wrong.substr(0, 90));
  }
  return std::nullopt;
}

}  // namespace

bool has_snapshot_mutants() { return true; }

int hunt_snapshot_mutants(const HuntOptions& options, const std::string& folder) {
  return hunt({.mutants = kMutants,
               .shown_by_tests = kShownByTests,
               .only = options.only,
               .known = options.known,
               .try_known = [&](const KnownFind& find) { return find_in(find.seed, 1, folder); },
               .search = [&] { return find_in(options.first, options.seeds, folder); }});
}

}  // namespace leeway::campaign
