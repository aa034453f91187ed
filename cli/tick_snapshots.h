// Snapshots of a run by ticks, under the tick engine or the piece engine: node 0, which has the whole state at ticks that
// are known beforehand, writes it as the one part. Going on from one means stepping the ticks that are left.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "leeway/base/clock.h"
#include "leeway/cli/options.h"
#include "leeway/cli/report.h"
#include "leeway/runtime/cluster.h"
#include "leeway/runtime/tick/tick.h"
#include "leeway/snapshot/recorder.h"
#include "leeway/snapshot/source.h"

namespace leeway::cli {

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
  snapshot::Plan plan_;
  std::optional<snapshot::Recorder> recorder_;
  snapshot::Counts counts_;
  SteadyClock clock_;
};

}  // namespace leeway::cli
