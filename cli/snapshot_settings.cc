// The settings of snapshots and restarts, as rows of the one table.
#include "leeway/cli/conditions.h"
#include "leeway/cli/setting_type.h"

namespace leeway::cli {

namespace {

constexpr double kLongest = 1e6;  // seconds
constexpr std::uint64_t kMostRounds = 1'000'000'000;

/// "10s" or "0.5s" are seconds, "5" is a count of iterations.
Status read_every(Options& o, std::string_view v) {
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

using O = Options;
using R = RunChoices;
using S = SnapshotChoices;

}  // namespace

std::vector<Setting> snapshot_settings() {
  return {
      Setting("snapshot", "FOLDER",
              "keep what the run has reached there, to go on from with --resume; also on SIGUSR1",
              text<&O::run, &R::snapshots, &S::folder>(), kRun, {}, {}, Told::Never),
      Setting(
          "snapshot-every", "WHEN",
          "how often: seconds, as 10s, or iterations, as 5; by ticks a tenth of them unless said",
          {.read = read_every}, kRun, "10s", {{.when = kSnapshots}}),
      Setting("snapshots-kept", "N", "so many of them, the newest",
              within<&O::run, &R::snapshots, &S::kept>(1, 1'000'000), kRun, {},
              {{.when = kSnapshots}}, Told::Never),
      Setting("resume", "FOLDER",
              "go on from the newest snapshot there, or from this one; on as many nodes as there "
              "are now",
              text<&O::run, &R::snapshots, &S::resume>(), kRun, {}, {}, Told::Never),
  };
}

}  // namespace leeway::cli
