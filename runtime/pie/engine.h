// PieEngine: one node's part of a PIE run (AAP §3).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/result.h"
#include "leeway/pie_program.h"
#include "protocol/termination.h"
#include "runtime/cluster/compute_threads.h"
#include "runtime/cluster/endpoint.h"
#include "runtime/cluster/hsync.h"
#include "runtime/pie/balance.h"
#include "runtime/pie/checkpoints.h"
#include "runtime/pie/workers.h"

namespace leeway::pie {

/// Runs rounds of the node's virtual workers as the schedule decides, sends the changed parameters, and puts received
/// ones into the workers' buffers, until all nodes know that no work is left.
///
/// Time is divided into phases, each of which ends when every node has sent its marker. If workers run in step, each
/// superstep is a phase. If they run asynchronously, node 0 ends a phase when workers are to move to other nodes, or
/// Hsync compares again; otherwise there is one phase. Every message carries its phase; a node that is behind keeps
/// messages of later phases until it gets there. Hsync changes its mode, and workers move, at the end of a phase. Not
/// thread-safe; uses its own compute threads for rounds.
class PieEngine {
 public:
  /// `slots`: the workers of this node. All arguments must outlive the engine.
  PieEngine(Endpoint& endpoint, std::vector<WorkerSlot>& slots, const PieOptions& options);

  /// Announces the copies in this node's fragments to the vertices' homes; blocks until all nodes have done so.
  /// Collective.
  void announce();
  /// Takes checkpoints from now on; they must outlive the engine. On all nodes or on none; null: none.
  void keep_checkpoints(TokenCheckpoints* checkpoints) { checkpoints_ = checkpoints; }
  /// Continues from a checkpoint: call before `announce`, with a checkpoint that outlives it. Null: none.
  void continue_from(const SavedWorkers* saved) { saved_ = saved; }
  /// Restores the workers; call after `announce`, before `run`. False if the checkpoint is damaged.
  [[nodiscard]] bool restore();
  /// Lets workers move between nodes (PieOptions::rebalance); call before `run`.
  void move_by(WorkerMoves moves) { moves_ = std::move(moves); }
  /// Evaluates the query; blocks until its end. Collective; call once. An error of this node alone: a worker that comes
  /// from another node cannot be made.
  Status run();
  [[nodiscard]] NodeRecord& record() { return record_; }
  [[nodiscard]] NodeTrace& trace() { return trace_; }
  /// The node of each worker, which changes during `run`.
  [[nodiscard]] const std::vector<NodeId>& nodes_of() const { return nodes_of_; }
  /// Passes results to `take`, in pieces: those of all workers on node 0 if `at_first`, else on each node those of its
  /// workers. Collective; call after `run`.
  void gather(bool at_first, const std::function<void(PartId, std::span<const std::byte>)>& take);

 private:
  enum class PieMessageKind : std::uint8_t {
    Messages = 1,
    Inactive,
    Terminate,
    Ack,
    Wait,
    Over,
    Progress,
    Marker,
    Regroup,
    Token,
    RequestCheckpoint,
    CheckpointFailures,
    RequestBalance,
    Move,
  };
  /// What is left when a phase has ended.
  enum class Left : std::uint8_t { Nothing, Work, EndEarly };

  struct CurrentRound;

  Status run_apart();
  Status end_phase_with_all();
  Status run_in_step();
  void one_round();
  /// A forecaster handles one round at a time.
  [[nodiscard]] std::size_t most_at_once() const {
    return forecaster_ != nullptr ? 1 : threads_.count();
  }
  void rounds_of(std::span<WorkerSlot* const> slots);
  void begin_round(WorkerSlot& slot);
  void end_round(CurrentRound& round);
  void charge(WorkerSlot& slot, const RoundWork& work);
  void forecast(WorkerSlot& slot);
  /// True if there were any messages.
  bool send_messages(WorkerSlot& slot);
  /// False for an invalid message.
  [[nodiscard]] bool deliver(WorkerSlot& to, std::span<const std::byte> message,
                             const RoundNews& from, bool ahead);
  [[nodiscard]] Pacing pacing() const;
  /// Whether the schedule waits for owed answers.
  [[nodiscard]] bool awaits_answers() const;
  /// Applies the schedule to a worker, and notes the earliest time at which a Hold may change (look_again_).
  [[nodiscard]] Decision decide_next(WorkerSlot& slot, Instant now);
  bool schedule_workers(Instant now);
  [[nodiscard]] bool active() const;
  void send_kept();
  bool send_kept_of(WorkerSlot& slot);
  bool answer_meanwhile(WorkerSlot& slot, NextRound next);
  void report_inactive();
  Status end_phase();
  void choose_togetherness();
  void begin_mode();
  void check_stop();
  void wait(const Awaited& awaited, std::optional<Instant> deadline);
  void end_early();

  void receive();
  void on_frame(NodeId from, std::span<const std::byte> frame);
  void on_messages(NodeId from, ByteReader& in);
  void on_message(NodeId from, const RoundNews& sender, WorkerSlot& to,
                  std::span<const std::byte> message);
  void on_move(NodeId from, ByteReader& in);
  [[nodiscard]] bool follows(NodeId from, PartId worker, Instant sent);
  [[nodiscard]] bool is_first() const { return endpoint_.self() == NodeId(0); }
  void on_control(NodeId from, PieMessageKind kind, ByteReader& in);
  [[nodiscard]] static ByteWriter frame_of(PieMessageKind kind);
  void broadcast(const ByteWriter& frame);
  void send(NodeId to, Frame frame);
  void send_counts(NodeId to, PieMessageKind kind, std::uint32_t attempt);
  void answer_terminate(NodeId to, std::uint32_t attempt);
  void send_progress();
  void send_marker(Left left);
  void act(TerminationDetector::DetectorStep step);
  void on_marker(NodeId from, ByteReader& in);
  [[nodiscard]] static bool belongs_to_phase(PieMessageKind kind);
  [[nodiscard]] ByteWriter phase_frame_of(PieMessageKind kind) const;
  void index_workers();

  void look_for_balance(const WorkerSlot& slot);
  [[nodiscard]] bool must_end_phase() const;
  void on_loads(NodeId from, ByteReader& in);
  Status balance();
  Status move_workers(std::vector<NodeId> places);
  void send_leaving_workers();
  Status take_worker(PartId id, ByteReader& in);

  /// Whether checkpoints are taken at the end of a phase, when no message is in flight.
  [[nodiscard]] bool checks_between_phases() const;
  void look_for_checkpoint();
  void save_if_wanted();
  void take_between_phases(const TokenCheckpoints::CheckpointId& id);
  void on_checkpoint(NodeId from, PieMessageKind kind, ByteReader& in);
  [[nodiscard]] std::optional<Instant> wake_for_checkpoint(std::optional<Instant> deadline = {});

  [[nodiscard]] Round slowest() const;
  [[nodiscard]] Round fastest() const;
  [[nodiscard]] WorkerSlot* slot_of(PartId worker);

  /// The rounds and activity of another node's workers.
  struct NodeProgress {
    bool active = true;
    Round slowest{0};
    Round fastest{0};
    friend bool operator==(const NodeProgress&, const NodeProgress&) = default;
  };
  /// The phase markers received.
  struct Markers {
    SenderSet received;
    Left left = Left::Nothing;
    Duration busy{};  ///< of all nodes, whole nanoseconds, so the sum does not depend on the order
    Duration longest{};  ///< time since the previous marker, of the node for which it is longest
    std::uint64_t updates = 0;
    /// To be taken at the end of this phase.
    std::optional<TokenCheckpoints::CheckpointId> checkpoint;
    bool balance = false;  ///< a node requests that workers are balanced
    std::vector<LoadReport::WorkerLoad> loads;
  };
  struct CurrentRound {
    WorkerSlot* slot = nullptr;
    RoundRecord record;
    RoundWork work;
    bool learns = false;
  };
  struct DeferredMessage {
    NodeId from{0};
    Frame frame;
  };
  struct ArrivingWorker {
    NodeId from{0};
    std::uint64_t worker = 0;
    Frame state;
  };
  /// A worker's newest message: the node that sent it, and when, by that node's clock.
  struct Newest {
    NodeId from = NodeId::none();
    Instant sent{};
  };

  [[nodiscard]] NodeProgress own_progress() const;

  Endpoint& endpoint_;
  std::vector<WorkerSlot>& slots_;
  const PieOptions& options_;
  TokenCheckpoints* checkpoints_ = nullptr;
  const SavedWorkers* saved_ = nullptr;  // until the workers are restored
  WorkerQueue queue_;
  std::vector<NodeId> nodes_of_;           // by worker
  std::vector<std::uint32_t> slot_index_;  // by worker; kNowhere for workers of other nodes
  std::vector<NodeProgress> progress_;     // by node
  std::optional<NodeProgress> sent_progress_;
  NodeRecord record_;
  NodeTrace trace_;
  std::unique_ptr<Forecaster> forecaster_;  // null: none
  std::vector<ByteWriter> outgoing_;        // messages of the current rounds, by node
  ComputeThreads threads_;
  LoopLength round_length_;
  std::vector<CurrentRound> rounds_;
  std::vector<WorkerSlot*> chosen_;  // workers whose rounds run next
  Instant look_again_{};             // end or change of the last Hold decided by decide_next

  std::uint32_t phase_ = 0;
  Together together_ = Together::Sync;
  Markers markers_;
  std::vector<DeferredMessage> deferred_;  // messages of later phases
  /// Messages with a token for which this node has not saved its state yet.
  std::vector<DeferredMessage> with_token_;
  bool sent_in_phase_ = false;
  std::uint64_t phase_rounds_ = 0;
  std::uint64_t phase_updates_ = 0;
  bool regroup_ = false;  // this asynchronous phase must end on all nodes
  LoadBalancer balancer_;
  WorkerMoves moves_;
  bool balance_requested_ = false;     // by this node; on node 0: by any
  std::vector<ArrivingWorker> moved_;  // workers that come at the end of this phase
  Instant phase_began_{};
  Instant marked_{};      // when this node sent its last marker
  HsyncChoice hsync_;     // the same on all nodes
  double apart_for_ = 0;  // seconds that Hsync runs asynchronously before it compares again

  TerminationDetector ending_;  // used on node 0
  MessageCounts counts_;
  /// By node: the smallest difference seen between a message's arrival and its sending time, which converts the
  /// node's clock to this node's, apart from the shortest transfer time.
  std::vector<Duration> ahead_by_;
  Instant last_sent_{};         // time of the last message
  std::vector<Newest> newest_;  // by worker of another process
  std::uint64_t answered_ = 0;  // the last attempt to end that this node has answered
  bool reported_inactive_ = false;
  bool over_ = false;
  bool ended_early_ = false;
};

}  // namespace leeway::pie
