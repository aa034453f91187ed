// What `leeway run` does about snapshots: which job they are of, the one to go on from, and SIGUSR1.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "leeway/cli/applicability.h"
#include "leeway/cli/options.h"
#include "leeway/cli/report.h"
#include "leeway/cli/run_plan.h"
#include "leeway/snapshot/recorder.h"
#include "leeway/snapshot/source.h"

namespace leeway::cli {

/// Whether a run needs its graph's hash before it begins.
[[nodiscard]] bool uses_snapshots(const Options& options);

/// Before any work: an error where --snapshot names a folder that cannot be written to.
Status check_snapshot_folder(const Options& options);

/// Puts into `plan` where snapshots go, and the one to go on from, which is read and checked as a whole. An Input error
/// where that is of another job.
Status plan_snapshots(const Options& options, const Configuration& used, const ReportInput& input,
                      Plan& plan);

/// How often somebody has asked for a snapshot by SIGUSR1, which ends no process that has called this. Null where
/// signals are not the command's, but those of a program it runs in.
[[nodiscard]] const std::atomic<std::uint32_t>* watch_requests(const Options& options);

/// An Input error where the folder's snapshots are of another job, which this one's would push out, and nobody has
/// said --force.
Status check_folder(const std::string& folder, const snapshot::Identity& job, bool force);

/// The snapshot to go on from. An Input error where it is of another job. `says`: in the log.
Result<std::shared_ptr<const snapshot::Source>> open_resumed(const std::string& path,
                                                             const snapshot::Identity& job,
                                                             bool says);

/// Where snapshots go, how often, and what they will tell of this run of `job`, which goes on from `resumed`, or
/// begins at the beginning. The schedule and the memory are the engine's to name.
[[nodiscard]] snapshot::Plan plan_of(const SnapshotChoices& told, snapshot::Identity job,
                                     Fabric fabric, const snapshot::Source* resumed);

/// Adds what a run tells of its snapshots, and of the one it went on from; null: there are none, or it began at the
/// beginning.
void add_snapshots(const snapshot::Plan* taken, const snapshot::Source* resumed,
                   const snapshot::Counts& counts, Report& report);
/// The exit code of a run whose outputs are written. kSnapshotsLost, with an error in the log, if snapshots that the user
/// asked for could not be written.
[[nodiscard]] int exit_code_of(bool gave_up, const Options& options,
                               const snapshot::Counts& counts);
inline void add_snapshots(const ProgramOptions& options, const RunRecord& record, Report& report) {
  add_snapshots(options.snapshots.get(), options.resume.get(), record.snapshots(), report);
}

}  // namespace leeway::cli
