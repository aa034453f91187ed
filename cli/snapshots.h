// Snapshots in `leeway run`: the identity of a job, the snapshot to resume from, requests by SIGUSR1, snapshots of
// runs by ticks, and their entries in a report.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "cli/applicability.h"
#include "cli/options.h"
#include "cli/report.h"
#include "cli/run.h"
#include "leeway/cluster.h"
#include "leeway/tick_program.h"
#include "runtime/cluster/checkpointer.h"
#include "snapshot/recorder.h"
#include "snapshot/source.h"

namespace leeway::cli {

/// True if the run takes snapshots or resumes from one, and therefore needs its graph's hash first.
[[nodiscard]] bool uses_snapshots(const CommandOptions& options);

/// Returns an error, before any work, if the folder of --snapshot cannot be written.
Status check_snapshot_folder(const CommandOptions& options);

/// Stores the snapshot schedule and the snapshot to resume from in `call`. Reads and checks that snapshot completely.
/// Returns an Input error if it belongs to another job.
Status prepare_snapshots(const CommandOptions& options, const Configuration& used,
                         const ReportInput& input, ProgramCall& call);

/// The number of SIGUSR1 signals received, each a request for a snapshot. Installs the handler; the signal then no
/// longer ends the process. Null if the command runs inside another program, which owns its signals.
[[nodiscard]] const std::atomic<std::uint32_t>* watch_requests(const CommandOptions& options);

/// Returns an Input error if the folder contains snapshots of another job, which this job would delete, unless
/// `force` is set.
Status check_folder(const std::string& folder, const snapshot::Identity& job, bool force);

/// Opens the snapshot to resume from. Returns an Input error if it belongs to another job. `logs`: log the progress
/// it holds.
Result<std::shared_ptr<const snapshot::Source>> open_resumed(const std::string& path,
                                                             const snapshot::Identity& job,
                                                             bool logs);

/// Adds the snapshots taken and the snapshot resumed from to the report; either may be null. `from_states`: as
/// Record::from_states.
void add_snapshots(const snapshot::SnapshotOptions* taken, const snapshot::Source* resumed,
                   const snapshot::Counts& counts, Report& report, bool from_states = false);
/// Exit code of a run whose outputs are written: kSnapshotsLost, with an error in the log, if a requested snapshot
/// could not be written.
[[nodiscard]] int exit_code_of(bool gave_up, const CommandOptions& options,
                               const snapshot::Counts& counts);
/// And the replacement of lost processes.
void add_snapshots(const RunOptions& options, const Record& record, Report& report);

/// The ticks of a run and the interval of its snapshots.
struct TickInterval {
  std::uint32_t ticks = 0;  ///< total ticks; after `open`: remaining ticks
  std::uint32_t every = 0;  ///< set by `open`: ticks between snapshots; 0: none
  /// Default interval in ticks; 0: a tenth of all ticks.
  std::uint32_t default_every = 0;
  std::string_view synchronization;
  /// Bytes of one object of the state, which has one object per vertex of the job; 0: the state is a single block.
  std::uint32_t thing_bytes = 0;
  std::string_view thing_type = "bytes";
};

/// Snapshots of a run by ticks, on the tick or piece engine. Node 0 has the complete state at ticks that all nodes
/// know in advance, and writes it as the only part. Resuming means executing the remaining ticks.
class TickSnapshots {
 public:
  /// A state and its tick.
  struct Start {
    tick::Tick tick{0};
    std::vector<std::byte> state;
  };

  /// Reads the snapshot to resume from, if any, and reduces `span.ticks` to the remaining ticks; node 0 opens the
  /// folder for new snapshots. Returns an Input error if the snapshot belongs to another job or is beyond the last
  /// tick.
  static Result<std::unique_ptr<TickSnapshots>> open(const CommandOptions& options,
                                                     snapshot::Identity job,
                                                     const ClusterOptions& cluster,
                                                     TickInterval& span);

  [[nodiscard]] const std::optional<Start>& start() const { return start_; }
  [[nodiscard]] tick::Tick first() const { return start_ ? start_->tick : tick::Tick(0); }
  /// The error of a snapshot that does not contain a state of this program.
  [[nodiscard]] Error unreadable() const;
  /// True if this node writes snapshots.
  [[nodiscard]] bool takes() const { return checkpointer_.has_value(); }
  /// Skips the snapshot if the previous one is still being written.
  void keep(tick::Tick tick, std::span<const std::byte> state);

  /// Waits until the last snapshot is written or abandoned, then adds all of them to the report.
  void end(Report& report);
  /// Valid after `end`.
  [[nodiscard]] const snapshot::Counts& counts() const { return counts_; }

 private:
  TickSnapshots() = default;
  /// `logs`: log the progress of the snapshot.
  Status resume_from(const std::string& path, const snapshot::Identity& job, bool logs,
                     TickInterval& span);
  Result<std::vector<std::byte>> saved_state(const TickInterval& span) const;

  std::shared_ptr<const snapshot::Source> source_;
  std::uint32_t thing_bytes_ = 0;
  std::optional<Start> start_;
  std::shared_ptr<const snapshot::SnapshotOptions> plan_;
  std::optional<Checkpointer> checkpointer_;
  snapshot::Counts counts_;
  SteadyClock clock_;
};

}  // namespace leeway::cli
