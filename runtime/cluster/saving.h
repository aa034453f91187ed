// Snapshots of a run of any engine, as its user asks for them (Saving, leeway/options.h): the folder is checked, the snapshot to resume is found,
// and a program resumes only its snapshots, on the same graph. The engines by rounds take their snapshots themselves;
// TickSnapshots are those of the engines by ticks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "datasets/graph.h"
#include "leeway/options.h"
#include "runtime/cluster/checkpointer.h"
#include "runtime/cluster/endpoint.h"
#include "runtime/cluster/schedule.h"
#include "snapshot/recorder.h"
#include "snapshot/source.h"

namespace leeway {

/// The identity of a run of the engine `engine`, still without its graph.
[[nodiscard]] snapshot::Identity identity_of(const Saving& saving, std::string_view engine);

/// What `saving` asks for, opened for a run of `job`.
struct OpenedSaving {
  std::shared_ptr<const snapshot::Source> resumed;  ///< null: the run starts from the beginning
  /// Null: no snapshots. The engine adds scheduler and consistency.
  std::shared_ptr<snapshot::SnapshotOptions> taken;

  /// Reads and checks the snapshot to resume. An Input error if it, or one in the folder, belongs to another job. Every process of a
  /// job calls it, and one may fail alone.
  static Result<OpenedSaving> open(const Saving& saving, const snapshot::Identity& job,
                                   const ClusterOptions& cluster);
};

/// Stores what was opened for a run of an engine by rounds in its options.
void use_saving(OpenedSaving opened, Scheduler scheduler, RunOptions& options);
/// Whether open_saving has something to open.
[[nodiscard]] bool is_unopened(const RunOptions& options);
/// Opens `options.saving` for a run of an engine by rounds on a graph with this hash, and stores the result in `options`.
/// One process may fail alone.
Status find_saving(RunOptions& options, std::string_view engine, Scheduler scheduler,
                   const GraphTotals& graph, std::string hash);
/// The same. Collective; an error of one process ends it for all.
Status open_saving(RunOptions& options, std::string_view engine, Scheduler scheduler,
                   const GraphTotals& graph, std::string hash);

/// The ticks of a run and the interval of its snapshots.
struct TickInterval {
  std::uint32_t ticks = 0;  ///< total ticks; after `open`: remaining ticks
  std::uint32_t every = 0;  ///< set by `open`: ticks between snapshots; 0: none
  /// The program can end the run, so that `ticks` is only a bound, and no measure for the interval.
  bool terminates = false;
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
    std::uint32_t tick = 0;
    std::vector<std::byte> state;
  };

  /// Reads the snapshot to resume from, if any, and reduces `span.ticks` to the remaining ticks; node 0 opens the
  /// folder for new snapshots. Returns an Input error if the snapshot belongs to another job or is beyond the last
  /// tick. Collective.
  static Result<std::unique_ptr<TickSnapshots>> open(const Saving& saving,
                                                     const snapshot::Identity& job,
                                                     const ClusterOptions& cluster,
                                                     TickInterval& span);

  [[nodiscard]] const std::optional<Start>& start() const { return start_; }
  [[nodiscard]] std::uint32_t first() const { return start_ ? start_->tick : 0; }
  /// The error of a snapshot that does not contain a state of this program.
  [[nodiscard]] Error unreadable() const;
  /// True if this node writes snapshots.
  [[nodiscard]] bool takes() const { return checkpointer_.has_value(); }
  /// Skips the snapshot if the previous one is still being written.
  void keep(std::uint32_t tick, std::span<const std::byte> state);

  /// Waits until the last snapshot is written or abandoned; returns the number of all.
  snapshot::Counts end();
  [[nodiscard]] const OpenedSaving& opened() const { return opened_; }

 private:
  TickSnapshots() = default;
  Status open_files(const Saving& saving, const snapshot::Identity& job,
                    const ClusterOptions& cluster, TickInterval& span);
  Status resume(TickInterval& span);
  Result<std::vector<std::byte>> saved_state(const TickInterval& span) const;

  OpenedSaving opened_;
  std::uint32_t thing_bytes_ = 0;
  std::optional<Start> start_;
  std::optional<Checkpointer> checkpointer_;
  SteadyClock clock_;
};

}  // namespace leeway
