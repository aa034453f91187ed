// The settings of snapshots and restarts, as rows of the one table.
#include <cmath>

#include "leeway/cli/conditions.h"
#include "leeway/cli/setting_values.h"

namespace leeway::cli {

namespace {

using Value = std::string_view;

constexpr double kLongest = 1e6;  // seconds
constexpr std::uint64_t kMostRounds = 1'000'000'000;

/// "10s" or "0.5s" are seconds, "5" is a count of iterations.
Status choose_every(Options& o, Value v) {
  SnapshotChoices& told = o.run.snapshots;
  const bool by_time = v.ends_with('s');
  double time = 0;
  std::uint64_t rounds = 0;
  const Status read = by_time ? number(v.substr(0, v.size() - 1), 1e-3, kLongest, time)
                              : number(v, std::uint64_t{1}, kMostRounds, rounds);
  if (!read) {
    return fail(input_error("", format("'{}' is no time and no count of iterations", v),
                            "give seconds, as in 10s, or iterations, as in 5"));
  }
  told.every_seconds = time;
  told.every_rounds = rounds;
  return {};
}

}  // namespace

std::vector<Setting> snapshot_settings() {
  const auto heeded_where = [](const Condition& when) -> std::vector<Hearer> {
    if (when.holds == nullptr) return {};
    return {{.when = when}};
  };
  return {
      {"snapshot",
       "FOLDER",
       "none",
       "keep what the run has reached there, to go on from with --resume; also on SIGUSR1",
       kRun,
       {},
       [](Options& o, Value v) { return keep(v, o.run.snapshots.folder); },
       heeded_where({}),
       false},
      {"snapshot-every",
       "WHEN",
       "10s",
       "how often: seconds, as 10s, or iterations, as 5; by ticks a tenth of them unless said",
       kRun,
       {},
       choose_every,
       heeded_where(kSnapshots)},
      {"snapshots-kept",
       "N",
       "2",
       "so many of them, the newest",
       kRun,
       {},
       [](Options& o, Value v) { return number(v, 1U, 1'000'000U, o.run.snapshots.kept); },
       heeded_where(kSnapshots),
       false},
      {"resume",
       "FOLDER",
       "none",
       "go on from the newest snapshot there, or from this one; on as many nodes as there are now",
       kRun,
       {},
       [](Options& o, Value v) { return keep(v, o.run.snapshots.resume); },
       heeded_where({}),
       false},
  };
}

}  // namespace leeway::cli
