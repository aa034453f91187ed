// One node's part of a PIE run (AAP §3): its virtual workers take rounds as the schedule lets them, and send
// what changed; what comes in goes into their buffers. Runs until all nodes know that nothing is left to do.
//
// Time runs in phases. Where workers run apart there is one phase; where they run in step each superstep is
// one, and ends when every node has said so. What a node sends carries its phase, and whoever is behind
// keeps it until he has caught up. Hsync goes from one way to the other at the end of a phase.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "leeway/pie_program.h"
#include "leeway/result.h"
#include "runtime/cluster/compute_threads.h"
#include "runtime/cluster/endpoint.h"
#include "runtime/pie/snapshots.h"
#include "runtime/pie/workers.h"

namespace leeway::pie {

class PieEngine {
 public:
  /// `slots`: the workers whose node this is. All of it outlives the engine.
  PieEngine(Endpoint& endpoint, std::vector<WorkerSlot>& slots, const PieOptions& options);

  /// Tells homes of the copies that this node's fragments hold; blocks until all nodes have. Collective.
  void announce();
  /// Takes snapshots from here on; they outlive the engine.
  void keep_snapshots(Snapshots* snapshots) { snapshots_ = snapshots; }
  /// Evaluates the query; blocks until its end. Collective; once.
  NodeOutcome run();
  /// The results of all workers to `take` on the first node, in pieces. Collective; after `run`.
  void gather(const std::function<void(PartId, std::span<const std::byte>)>& take);
  /// On the first node, what the others tell of their runs. Collective; after `gather`, for processes that
  /// cannot see each other's memory.
  std::vector<std::pair<NodeId, NodeOutcome>> exchange_outcomes(const NodeOutcome& own);

 private:
  enum class PieMessageKind : std::uint8_t {
    Messages = 1,
    Inactive,
    Terminate,
    Ack,
    Wait,
    Over,
    Level,
    Marker,
    Regroup,
    Copies,
    Result,
    Finished,
    Outcome,
    GiveUp,
    Snapshot,
    SnapshotWish,
    SnapshotFailures,
  };
  /// What a node has to do when a phase has ended.
  enum class Left : std::uint8_t { Nothing, Work, GiveUp };

  struct RoundUnderWay;

  // The loop: engine.cc; rounds: engine_rounds.cc.
  void run_apart();
  void end_phase_with_all();
  void run_in_step();
  void one_round();
  /// A forecaster looks at one round at a time.
  [[nodiscard]] std::size_t most_at_once() const {
    return forecaster_ != nullptr ? 1 : threads_.count();
  }
  void rounds_of(std::span<WorkerSlot* const> slots);
  void begin_round(WorkerSlot& slot);
  void end_round(RoundUnderWay& round);
  void charge(WorkerSlot& slot, const RoundWork& work);
  void forecast(WorkerSlot& slot);
  /// True if there were any.
  bool send_messages(WorkerSlot& slot);
  /// False if the message makes no sense.
  [[nodiscard]] bool deliver(WorkerSlot& to, std::span<const std::byte> message,
                             const RoundNews& from, bool ahead);
  [[nodiscard]] Pacing pacing() const;
  /// Asks the schedule, and notes when a Hold may become something else at the earliest.
  [[nodiscard]] Decision ask(WorkerSlot& slot, Instant now);
  bool ask_workers(Instant now);
  [[nodiscard]] bool active() const;
  void send_kept();
  bool speak(WorkerSlot& slot);
  bool answer_meanwhile(WorkerSlot& slot, NextRound next);
  void come_to_rest();
  void end_phase();
  void choose_togetherness();
  void heed_stop();
  void give_up();

  // What travels: engine_frames.cc.
  void receive();
  void on_frame(NodeId from, std::span<const std::byte> frame);
  void on_messages(NodeId from, ByteReader& in);
  void on_control(NodeId from, PieMessageKind kind, ByteReader& in);
  [[nodiscard]] static ByteWriter frame_of(PieMessageKind kind);
  void broadcast(const ByteWriter& frame);
  void send(NodeId to, Frame frame);
  void send_counts(NodeId to, PieMessageKind kind, std::uint32_t attempt);
  void answer_terminate(NodeId to, std::uint32_t attempt);
  void tell_level();
  void send_marker(Left left);
  void act(TerminationDetector::DetectorStep step);
  /// Until `heard()` says that all others have been heard.
  void hear_all(const Awaited& awaited, const std::function<std::size_t()>& heard);
  void on_marker(ByteReader& in);

  // Snapshots: engine_snapshots.cc.
  void look_for_snapshot();
  void on_snapshot(NodeId from, PieMessageKind kind, ByteReader& in);
  [[nodiscard]] std::optional<Instant> wake_for_snapshot(std::optional<Instant> deadline = {});

  [[nodiscard]] Round slowest() const;
  [[nodiscard]] Round fastest() const;
  [[nodiscard]] WorkerSlot* slot_of(PartId worker);

  /// What another node's workers have come to.
  struct Level {
    bool active = true;
    Round slowest{0};
    Round fastest{0};
    friend bool operator==(const Level&, const Level&) = default;
  };
  /// The ends of a phase that have been told.
  struct Markers {
    std::uint32_t told = 0;
    Left left = Left::Nothing;
    // Whole nanoseconds: their sum is the same in whatever order they come.
    Duration slowest{};
    Duration sum{};
    std::uint64_t rounds = 0;
    std::uint64_t useful = 0;
  };
  struct RoundUnderWay {
    WorkerSlot* slot = nullptr;
    RoundRecord record;
    RoundWork work;
    bool learns = false;
  };
  struct DeferredMessage {
    NodeId from{0};
    Frame frame;
  };

  [[nodiscard]] Level own_level() const;

  Endpoint& endpoint_;
  std::vector<WorkerSlot>& slots_;
  const PieOptions& options_;
  Snapshots* snapshots_ = nullptr;
  WorkerQueue queue_;
  std::vector<std::uint32_t> slot_index_;  // by worker; kNowhere for those of other nodes
  std::vector<Level> levels_;              // by node
  std::optional<Level> told_level_;
  NodeOutcome outcome_;
  std::unique_ptr<Forecaster> forecaster_;  // null: there is none
  std::vector<ByteWriter> outgoing_;        // messages of the round under way, by node
  ComputeThreads threads_;
  LoopLength round_length_;
  std::vector<RoundUnderWay> rounds_;
  std::vector<WorkerSlot*> chosen_;  // whose turn it is
  Instant look_again_{};             // at the last Hold that `ask` decided on

  std::uint32_t phase_ = 0;
  Together together_ = Together::Sync;
  Markers markers_;
  std::vector<DeferredMessage> deferred_;  // of later phases
  bool sent_in_phase_ = false;
  Duration phase_slowest_{};
  Duration phase_sum_{};
  std::uint64_t phase_rounds_ = 0;
  std::uint64_t phase_useful_ = 0;
  bool regroup_ = false;  // everybody is to end this phase, which ran apart
  Instant phase_began_{};
  double apart_for_ = 0;  // seconds that Hsync runs apart before it looks again

  TerminationDetector ending_;  // of the first node
  MessageCounts counts_;
  std::vector<Duration> ahead_by_;  // by node: what its clock lacks to ours, and the least way here
  bool said_inactive_ = false;
  bool over_ = false;
  bool given_up_ = false;

  std::uint32_t announced_ = 0;                           // nodes that have
  std::uint32_t finished_ = 0;                            // nodes whose results are here
  std::vector<std::pair<PartId, Frame>> results_;         // of other nodes' workers, piece by piece
  std::vector<std::pair<NodeId, NodeOutcome>> outcomes_;  // of other nodes
};

}  // namespace leeway::pie
