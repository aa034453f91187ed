// Checkpointer: takes one node's part of a run's snapshots, between an engine and the recorder. CheckpointVotes: the
// nodes' agreement on snapshots by the votes or sums that end their rounds.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>

#include "base/clock.h"
#include "base/ids.h"
#include "base/result.h"
#include "dsm/node.h"
#include "snapshot/manifest.h"

namespace leeway::snapshot {
class Part;
struct SnapshotOptions;
class Recorder;
}  // namespace leeway::snapshot

namespace leeway {

/// How the nodes agree on a snapshot is up to the engine: by their votes (CheckpointVotes), by a token that travels with
/// the messages (TokenCheckpoints, pie/checkpoints.h), or by ticks that are fixed before the run. Used only by the
/// node's main thread.
class Checkpointer {
 public:
  /// Gives the part its shape, after filling in the sizes in the header, and copies the state into it.
  using LayOut = std::function<void(snapshot::Part& part, snapshot::PartHeader header)>;

  struct CheckpointOptions {
    std::shared_ptr<const snapshot::SnapshotOptions> plan;
    NodeId self{0};
    std::uint32_t parts = 1;   ///< of a snapshot, one for each node
    bool own_process = false;  ///< the node is a process of a job
    bool background = true;    ///< write on a separate thread; false where nodes are fibers
  };
  /// One snapshot: the random number of the run, and its own number.
  struct CheckpointId {
    std::uint64_t run = 0;
    std::uint64_t number = 0;
  };

  explicit Checkpointer(CheckpointOptions options);
  ~Checkpointer();
  Checkpointer(const Checkpointer&) = delete;
  Checkpointer& operator=(const Checkpointer&) = delete;

  /// On node 0, before all other calls: locks the folder and draws the run's number. An Environment error if it cannot
  /// be written, an Input error if another job holds it or it is not a folder.
  Status open();
  /// On node 0, after `open`: a new snapshot. No number is given out twice, so the parts of two snapshots cannot mix.
  [[nodiscard]] CheckpointId next();
  /// An Environment error if this process does not see the folder that node 0 has opened.
  Status check_same_folder(std::uint64_t run);

  void begin(Instant now);
  /// Whether this node requests a snapshot now, after `rounds` rounds of this run: node 0 when one is due and the
  /// previous one is finished, another node after a signal.
  [[nodiscard]] bool should_request(Instant now, std::uint64_t rounds);
  /// On node 0: another node has requested a snapshot.
  void request();

  /// Takes a snapshot: the state of the time `now`, after `rounds` rounds of this run. Leaves it out if the previous
  /// part is still being written, or if this process does not see the folder.
  void take(const CheckpointId& id, Instant now, std::uint64_t rounds, const LayOut& lay_out);
  /// Counts further time for which the node did not compute.
  void paused(Duration time);

  /// Number of this node's parts that failed or were skipped.
  [[nodiscard]] std::uint64_t failures() const;
  /// The same, if it has grown since the last call.
  [[nodiscard]] std::optional<std::uint64_t> new_failures();
  /// On node 0: the failures of all nodes so far.
  void note_failures(std::uint64_t all);
  /// On node 0: a snapshot that was requested will not be taken here.
  void give_up(const CheckpointId& id);

  /// After the run, with a barrier between the two.
  void end_writing();
  snapshot::Counts close();
  [[nodiscard]] snapshot::Counts counts() const;

 private:
  const CheckpointOptions options_;
  std::unique_ptr<snapshot::Recorder> recorder_;
  SteadyClock clock_;
  std::uint64_t next_ = 0;      // on node 0: number of the next snapshot
  bool same_folder_ = false;    // this process sees the files that node 0 writes
  std::uint64_t reported_ = 0;  // failures at the last call of `new_failures`
};

/// The nodes agree on each snapshot within the votes or sums that end their rounds, so agreement needs no messages of
/// its own and does not disturb termination detection. An engine adds `numbers` to its sums and passes the result to
/// `agreed`. If a snapshot is then open (open_request), the engine calls `take` when its values may be copied. Used
/// only by the node's main thread.
class CheckpointVotes {
 public:
  /// Number of values that a node adds to the sums.
  static constexpr std::size_t kNumbers = 3;

  /// Collective. Returns an error at the nodes that found the cause: a folder that cannot be written, the folder of
  /// another job, or a different folder in another process. The other nodes get null, and `refused` is set.
  static Result<std::unique_ptr<CheckpointVotes>> open(Node& node,
                                                       Checkpointer::CheckpointOptions options,
                                                       Checkpointer::LayOut lay_out, bool& refused);

  void begin();
  /// From now on rounds are counted from 0 again.
  void begin_stage() { rounds_before_stage_ = rounds_; }
  /// After `rounds` rounds of this run, or of its stage.
  [[nodiscard]] std::array<std::uint64_t, kNumbers> numbers(std::uint64_t rounds);
  void agreed(std::span<const std::uint64_t> sums);
  /// A snapshot was agreed on and has not been taken on this node.
  [[nodiscard]] bool open_request() const { return open_; }
  void take(std::uint64_t rounds);
  /// After the run. Collective.
  void close();
  [[nodiscard]] snapshot::Counts counts() const { return checkpointer_.counts(); }

 private:
  CheckpointVotes(Node& node, Checkpointer::CheckpointOptions options,
                  Checkpointer::LayOut lay_out);

  Node& node_;
  Checkpointer checkpointer_;
  const Checkpointer::LayOut lay_out_;
  std::uint64_t rounds_ = 0;               // run so far, at the last call of numbers()
  std::uint64_t rounds_before_stage_ = 0;  // in the stages before
  Checkpointer::CheckpointId last_;        // the snapshot agreed on last
  bool open_ = false;
};

}  // namespace leeway
