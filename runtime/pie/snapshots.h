// One node's snapshots of a PIE run. Node 0 asks, and every node copies the results of its workers' inner vertices
// between two rounds. No channel is recorded: a program that can begin from results (`peval_from`) finds the answer from
// whatever results there were at whatever times (docs/adr/0008). One thread's own.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/clock.h"
#include "base/ids.h"
#include "runtime/pie/workers.h"
#include "snapshot/recorder.h"

namespace leeway::pie {

class Snapshots {
 public:
  struct PieSnapshotOptions {
    snapshot::SnapshotPlan plan;
    NodeId self{0};
    std::uint32_t nodes = 1;
    bool own_process = false;
    bool background = true;
  };
  struct SnapshotRequest {
    std::uint64_t run = 0;
    std::uint64_t number = 0;
  };

  explicit Snapshots(PieSnapshotOptions options);

  /// On node 0, before the run: takes the folder, as Recorder::open.
  Status open();

  void begin(Instant now);
  void end() { running_ = false; }
  /// Whether this node asks for one: node 0 tells all, another node tells node 0.
  [[nodiscard]] bool wants(const std::vector<WorkerSlot>& slots, Instant now);
  /// On node 0: what is to be told to all.
  [[nodiscard]] SnapshotRequest next() { return {recorder_.run(), number_++}; }
  /// On node 0, from another node.
  void ask() { recorder_.ask(); }
  void note_failures(NodeId node, std::uint64_t count);
  /// Of this node, where there are more than were last told of.
  [[nodiscard]] std::optional<std::uint64_t> new_failures();

  /// One was asked for.
  void request(const SnapshotRequest& request) { open_ = request; }
  /// Takes what was asked for, once every worker here has results.
  void take(std::vector<WorkerSlot>& slots, Instant now);

  /// After the run, with a barrier between the two.
  void end_writing() { recorder_.end_writing(); }
  snapshot::Counts close();

 private:
  /// That every worker has made.
  [[nodiscard]] static std::uint64_t iterations(const std::vector<WorkerSlot>& slots);
  [[nodiscard]] static bool has_results(const std::vector<WorkerSlot>& slots);
  void write(std::vector<WorkerSlot>& slots, const SnapshotRequest& request, Instant now);

  const PieSnapshotOptions options_;
  snapshot::Recorder recorder_;
  SteadyClock clock_;
  bool running_ = false;
  bool same_folder_ = false;  // this process sees what node 0 writes
  std::uint64_t number_ = 0;  // node 0's
  std::optional<SnapshotRequest> open_;
  std::vector<std::uint64_t> failures_;  // by node, as far as node 0 knows
  std::uint64_t told_failures_ = 0;
};

}  // namespace leeway::pie
