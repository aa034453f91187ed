// What `leeway run` does about snapshots: which job they are of, the one to go on from, and SIGUSR1.
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
#include "snapshot/recorder.h"
#include "snapshot/source.h"

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
[[nodiscard]] snapshot::SnapshotPlan plan_of(const SnapshotChoices& told, snapshot::Identity job,
                                             Fabric fabric, const snapshot::Source* resumed);

/// Adds what a run tells of its snapshots, and of the one it went on from; null: there are none, or it began at the
/// beginning.
void add_snapshots(const snapshot::SnapshotPlan* taken, const snapshot::Source* resumed,
                   const snapshot::Counts& counts, Report& report);
/// The exit code of a run whose outputs are written. kSnapshotsLost, with an error in the log, if snapshots that the user
/// asked for could not be written.
[[nodiscard]] int exit_code_of(bool gave_up, const Options& options,
                               const snapshot::Counts& counts);
inline void add_snapshots(const ProgramOptions& options, const RunRecord& record, Report& report) {
  add_snapshots(options.snapshots.get(), options.resume.get(), record.snapshots(), report);
}

// Snapshots of a run by ticks, under the tick engine or the piece engine: node 0, which has the whole state at ticks that
// are known beforehand, writes it as the one part. Going on from one means stepping the ticks that are left.

/// What a run by ticks says of itself, and is told.
struct TickInterval {
  std::uint32_t ticks = 0;  ///< to be stepped: in all, then those that are left
  std::uint32_t every = 0;  ///< told: how often a state is to be kept; 0: never
  /// Ticks between two where nobody says how often; 0: a tenth of all.
  std::uint32_t every_unsaid = 0;
  std::string_view synchronization;
  /// Of each of the things that the state consists of, so many as the job has vertices; 0: it is one whole.
  std::uint32_t thing_bytes = 0;
  std::string_view thing_type = "bytes";
};

class TickSnapshots {
 public:
  /// What a snapshot holds: a state, and the tick it is of.
  struct Start {
    tick::Tick tick{0};
    std::vector<std::byte> state;
  };

  /// Reads the snapshot to go on from, if there is one, of whose ticks `span` is told what is left; takes on node 0
  /// the folder to write to. An Input error where the snapshot is of another job or none are left.
  static Result<std::unique_ptr<TickSnapshots>> open(const Options& options, snapshot::Identity job,
                                                     const ClusterOptions& cluster,
                                                     TickInterval& span);

  [[nodiscard]] const std::optional<Start>& start() const { return start_; }
  [[nodiscard]] tick::Tick first() const { return start_ ? start_->tick : tick::Tick(0); }
  /// For a start that is no state of the program.
  [[nodiscard]] Error unreadable() const;
  /// Whether states are to be kept here.
  [[nodiscard]] bool takes() const { return recorder_.has_value(); }
  /// Not where the one before it is still being written.
  void keep(tick::Tick tick, std::span<const std::byte> state);

  /// After the run: the last one is whole or gone; then what a report says of them.
  void end(Report& report);
  /// After `end`.
  [[nodiscard]] const snapshot::Counts& counts() const { return counts_; }

 private:
  TickSnapshots() = default;
  /// `says`: in the log.
  Status go_on(const std::string& path, const snapshot::Identity& job, bool says,
               TickInterval& span);
  Result<std::vector<std::byte>> saved_state(const TickInterval& span) const;

  std::shared_ptr<const snapshot::Source> source_;
  std::uint32_t thing_bytes_ = 0;
  std::optional<Start> start_;
  snapshot::SnapshotPlan plan_;
  std::optional<snapshot::Recorder> recorder_;
  snapshot::Counts counts_;
  SteadyClock clock_;
};

}  // namespace leeway::cli
