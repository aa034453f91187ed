#include "test/campaign/hunt.h"

#include <array>
#include <optional>

#include "base/format.h"
#include "leeway/mutant.h"
#include "test/campaign/apart.h"
#include "test/campaign/run.h"
#include "test/campaign/watchdog.h"

namespace leeway::campaign {

namespace {

/// Mutants that do harm only in one exact situation, which is too rare here; the tests of that
/// situation find them (test/protocol/meson.build, test/dsm/meson.build).
constexpr std::array<std::string_view, 6> kShownByTests = {
    "count-of-reads-wraps",
    "an-eviction-overtakes-its-read",
    "own-write-is-undone-by-an-answer",
    "evict-ignores-number",
    "who-is-turned-away-from-a-poll-is-forgotten",
    "a-stale-copy-goes-unheard"};

/// The first seed that finds the active mutant, and how; nothing if no seed does.
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

int hunt_mutants(const HuntOptions& options) {
  return hunt(
      {.mutants = kMutants,
       .shown_by_tests = kShownByTests,
       .only = options.only,
       .known = options.known,
       .try_known = [](const KnownFind& find) { return find_in(find.seed, 1, find.over_threads); },
       .search =
           [&] {
             auto words = find_in(options.first, options.seeds, false);
             // Failures that need real threads are rarer.
             return words ? words : find_in(options.first, options.seeds / 4, true);
           }});
}

}  // namespace leeway::campaign
