// Snapshots in `leeway run`: the identity of a job, requests by SIGUSR1, and entries in a report.
#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "app/applicability.h"
#include "app/options.h"
#include "app/report.h"
#include "app/run.h"
#include "app/run_options.h"
#include "runtime/cluster/saving.h"
#include "snapshot/recorder.h"
#include "snapshot/source.h"

namespace leeway::app {

/// Returns an error, before any work, if the folder of --snapshot cannot be written.
Status check_snapshot_folder(const CommandOptions& options);

/// Stores the snapshot schedule and the snapshot to resume from in `call`. Reads and checks that snapshot completely.
/// Returns an Input error if it belongs to another job.
Status prepare_snapshots(const CommandOptions& options, const Configuration& used,
                         const ReportInput& input, ProgramCall& call);

/// The number of SIGUSR1 signals received, each a request for a snapshot. Installs the handler; the signal then no
/// longer ends the process. Null if no snapshots are taken, or the command runs inside another program, which owns its signals.
[[nodiscard]] const std::atomic<std::uint32_t>* watch_requests(const CommandOptions& options);

/// What a run saves and resumes, from the options, without program and graph. An Input error for an interval in seconds of a run by
/// ticks.
Result<Saving> saving_of(const CommandOptions& options, bool by_ticks);

/// Adds the snapshots taken and the snapshot resumed from to the report; either may be null. `from_states`: as
/// Record::from_states.
void add_snapshots(const snapshot::SnapshotOptions* taken, const snapshot::Source* resumed,
                   const snapshot::Counts& counts, Report& report, bool from_states = false);
/// Those of a run by ticks, and the ticks that it ran.
void add_snapshots(const TickSnapshots& snapshots, const snapshot::Counts& counts, Report& report);
/// Exit code of a run whose outputs are written: kSnapshotsLost, with an error in the log, if a requested snapshot
/// could not be written.
[[nodiscard]] int exit_code_of(bool gave_up, const CommandOptions& options,
                               const snapshot::Counts& counts);
void add_snapshots(const RunOptions& options, const Record& record, Report& report);

}  // namespace leeway::app
