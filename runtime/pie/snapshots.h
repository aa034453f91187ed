// Snapshots: the snapshots of one node's part of a PIE run.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/clock.h"
#include "base/ids.h"
#include "runtime/pie/workers.h"
#include "snapshot/recorder.h"

namespace leeway::pie {

/// On a request of node 0, every node copies the results of its workers' inner vertices between two rounds. Messages
/// in flight are not recorded: a program that can start from results (`peval_from`) finds the answer from any
/// mixture of results of different times (docs/adr/0008). Not thread-safe.
class Snapshots {
 public:
  struct PieSnapshotOptions {
    snapshot::SnapshotOptions plan;
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

  /// On node 0, before the run: opens the folder, as Recorder::open.
  Status open();

  void begin(Instant now);
  void end() { running_ = false; }
  /// Whether this node requests a snapshot now: node 0 sends the request to all nodes, another node to node 0.
  [[nodiscard]] bool should_request(const std::vector<WorkerSlot>& slots, Instant now);
  /// On node 0: the next request to send to all nodes.
  [[nodiscard]] SnapshotRequest next() { return {recorder_.run(), number_++}; }
  /// On node 0: another node has requested a snapshot.
  void request() { recorder_.request(); }
  void note_failures(NodeId node, std::uint64_t count);
  /// Number of this node's failed parts, if it has grown since the last call.
  [[nodiscard]] std::optional<std::uint64_t> new_failures();

  /// A request of node 0 has arrived.
  void request(const SnapshotRequest& request) { open_ = request; }
  /// Takes the requested snapshot, if there is one and every worker here has results.
  void take(std::vector<WorkerSlot>& slots, Instant now);

  /// After the run, with a barrier between the two.
  void end_writing() { recorder_.end_writing(); }
  snapshot::Counts close();

 private:
  /// The smallest number of iterations of any worker.
  [[nodiscard]] static std::uint64_t iterations(const std::vector<WorkerSlot>& slots);
  [[nodiscard]] static bool has_results(const std::vector<WorkerSlot>& slots);
  void write(std::vector<WorkerSlot>& slots, const SnapshotRequest& request, Instant now);

  const PieSnapshotOptions options_;
  snapshot::Recorder recorder_;
  SteadyClock clock_;
  bool running_ = false;
  bool same_folder_ = false;  // this process sees the files that node 0 writes
  std::uint64_t number_ = 0;  // on node 0: number of the next snapshot
  std::optional<SnapshotRequest> open_;
  std::vector<std::uint64_t> failures_;  // by node, as reported to node 0
  std::uint64_t reported_failures_ = 0;
};

}  // namespace leeway::pie
