// Chandy-Lamport checkpoints of PIE runs (AAP §7): TokenCheckpoints takes one node's part of them, saved_workers reads
// them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "base/clock.h"
#include "base/ids.h"
#include "base/result.h"
#include "runtime/cluster/checkpointer.h"
#include "runtime/cluster/hsync.h"
#include "runtime/pie/workers.h"
#include "snapshot/source.h"

namespace leeway::pie {

/// A message that was in flight when a checkpoint was taken.
struct LateMessage {
  PartId to{0};
  PartId from{0};
  std::vector<std::byte> message;  ///< empty: only an answer
};

/// Hsync's state, which all nodes share.
struct HsyncState {
  bool chosen = false;  ///< the run was under Hsync
  Together together = Together::Sync;
  double apart_for = 0;
  HsyncChoice::HsyncMemory memory;
};

/// The checkpoint that a run resumes from, for the workers of one process.
struct SavedWorkers {
  HsyncState hsync;
  std::vector<std::optional<std::vector<std::byte>>>
      states;  ///< by worker; none: of another process
  std::vector<LateMessage> late;
};

/// Node 0, the master, starts a checkpoint: it saves its own state and sends a token, the number of the checkpoint, to
/// all nodes. A node that receives the token, and does not hold it already, saves the state of its workers before it
/// sends anything else, and passes the token on to all nodes; it attaches the token to its later messages. A message
/// that arrives without the token, at a node that holds it, was sent before the sender's state was saved and arrives
/// after the receiver's was: it is added to the receiver's part. Messages are in order, so nothing is added after the
/// sender's token. When all tokens have arrived, the part is complete and is written.
///
/// So the parts and their messages are a state that the run could have been in, whatever the program is. Between the
/// phases of rounds in step no message is in flight; there a checkpoint is the states alone (`take_between_phases`).
///
/// Saves states only between rounds. Not thread-safe.
class TokenCheckpoints {
 public:
  using CheckpointId = Checkpointer::CheckpointId;

  /// `division`: a hash of the fragments, by which a resumed run recognizes them.
  TokenCheckpoints(Checkpointer::CheckpointOptions options, std::uint64_t division);

  /// On node 0, before the run, as Checkpointer::open.
  Status open() { return checkpointer_.open(); }
  void begin(Instant now);
  void end() {
    running_ = false;
    ended_ = true;
  }

  /// Whether this node requests a checkpoint now: node 0 starts it, another node sends the request to node 0.
  [[nodiscard]] bool should_request(const std::vector<WorkerSlot>& slots, Instant now);
  /// On node 0: another node has requested a checkpoint.
  void request() { checkpointer_.request(); }
  /// On node 0: a new checkpoint, to be started here.
  [[nodiscard]] CheckpointId next() { return checkpointer_.next(); }

  /// The token that this node holds; 0: none.
  [[nodiscard]] std::uint64_t token() const { return token_; }
  /// A token has arrived from `from`, which is this node where it starts the checkpoint.
  void arrived(NodeId from, const CheckpointId& id);
  /// The checkpoint for which this node must save its state before it sends or takes any message.
  [[nodiscard]] const std::optional<CheckpointId>& wanted() const { return wanted_; }
  /// On node 0: a checkpoint has been started and not all nodes have saved their state.
  [[nodiscard]] bool in_progress() const { return wanted_ || !all_have_saved(); }
  /// Whether the state may be saved now: every worker of this node has run PEval.
  [[nodiscard]] bool may_save(const std::vector<WorkerSlot>& slots) const;

  /// Saves the state for the wanted checkpoint. The caller then sends the token to all nodes. Returns the bytes saved.
  std::size_t save(const std::vector<WorkerSlot>& slots, const HsyncState& hsync, Instant now);
  /// A checkpoint at the end of a phase, when no message is in flight. Returns the bytes saved.
  std::size_t take_between_phases(const CheckpointId& id, const std::vector<WorkerSlot>& slots,
                                  const HsyncState& hsync, Instant now);

  /// Whether messages of `from` belong to the checkpoint that is being taken.
  [[nodiscard]] bool adds_messages_of(NodeId from) const {
    return open_ && tokens_[from.index()] < token_;
  }
  void add(PartId to, PartId from, std::span<const std::byte> message);

  /// On node 0: the number of parts that another node could not write.
  void note_failures(NodeId node, std::uint64_t count);
  [[nodiscard]] std::optional<std::uint64_t> new_failures() { return checkpointer_.new_failures(); }

  /// After the run, with a barrier between the two.
  void end_writing() { checkpointer_.end_writing(); }
  snapshot::Counts close() { return checkpointer_.close(); }

 private:
  [[nodiscard]] bool all_have_saved() const;
  /// The smallest number of iterations of any worker.
  [[nodiscard]] static std::uint64_t iterations(const std::vector<WorkerSlot>& slots);
  std::size_t copy_states(const std::vector<WorkerSlot>& slots, const HsyncState& hsync);
  void write_if_complete();

  const Checkpointer::CheckpointOptions options_;
  Checkpointer checkpointer_;
  SteadyClock clock_;
  const std::uint64_t division_;
  bool running_ = false;
  bool ended_ = false;
  std::uint64_t token_ = 0;
  std::vector<std::uint64_t> tokens_;  // by node: the last that has arrived
  std::optional<CheckpointId> wanted_;
  std::vector<std::uint64_t> failures_;  // by node, as reported to node 0

  // The checkpoint that is being taken.
  std::optional<CheckpointId> open_;
  Instant taken_{};
  std::uint64_t rounds_ = 0;
  std::vector<std::uint32_t> vertices_;  // the inner vertices of this node's workers
  ByteWriter results_;                   // of `vertices_`
  ByteWriter states_;
  ByteWriter late_;
};

/// Reads the states of the workers for which `wanted(worker)` is true, and the messages to them, from a snapshot. None if
/// the snapshot has no states, or those of other fragments than `division`. An Input error if it cannot be read.
Result<std::optional<SavedWorkers>> saved_workers(const snapshot::Source& source,
                                                  std::uint32_t workers, std::uint64_t division,
                                                  const std::function<bool(PartId)>& wanted);

}  // namespace leeway::pie
