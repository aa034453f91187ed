// A worker of the piece engine (Worker), and the processing of one arrival by a task (TaskExecution).
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <unordered_map>
#include <vector>

#include "leeway/piece.h"
#include "runtime/cluster/compute_threads.h"
#include "runtime/cluster/endpoint.h"
#include "runtime/piece/compression.h"
#include "runtime/piece/master.h"
#include "runtime/piece/ownership.h"
#include "runtime/piece/worker_state.h"

namespace leeway::piece {

/// One arrival being processed (Begin…End); the task sees it as its worker. Several may be processed in parallel,
/// each on its thread; the worker accounts for them afterwards.
class TaskExecution final : public TaskContext {
 public:
  /// The work charged to one of the two parts, and the end of the part.
  struct TickWork {
    Work work;
    Instant end{};
  };

  /// `all_in`: with this arrival the task has all that it needs.
  TaskExecution(const Endpoint& endpoint, PieceArrival arrival, std::shared_ptr<Task> task,
                bool all_in)
      : endpoint_(&endpoint),
        arrival_(std::move(arrival)),
        task_(std::move(task)),
        all_in_(all_in) {}

  void process() {
    begin_ = endpoint_->now();
    task_->process(arrival_.diffused, *this);
    part().end = endpoint_->now();
  }

  [[nodiscard]] PieceId piece() const { return arrival_.piece; }
  [[nodiscard]] TickId tick() const { return arrival_.tick; }
  [[nodiscard]] const std::shared_ptr<Task>& task() const { return task_; }
  [[nodiscard]] bool all_in() const { return all_in_; }
  [[nodiscard]] bool diffused() const { return diffused_; }
  [[nodiscard]] Instant begin() const { return begin_; }
  [[nodiscard]] const TickWork& asynchronous() const { return asynchronous_; }
  /// Whether there was a synchronous part.
  [[nodiscard]] bool is_synchronous() const { return is_synchronous_; }
  [[nodiscard]] const TickWork& synchronous() const { return synchronous_; }

  bool barrier() override {
    if (!all_in_) return false;
    if (!is_synchronous_) asynchronous_.end = endpoint_->now();
    is_synchronous_ = true;
    return true;
  }
  void charge(const Work& work) override {
    Work& sum = part().work;
    sum.fetches += work.fetches;
    sum.stores += work.stores;
    sum.edges += work.edges;
    sum.vertices += work.vertices;
    sum.bytes += work.bytes;
    sum.picoseconds += work.picoseconds;
  }
  void diffuse() override { diffused_ = true; }

 private:
  TickWork& part() { return is_synchronous_ ? synchronous_ : asynchronous_; }

  const Endpoint* endpoint_;
  PieceArrival arrival_;
  std::shared_ptr<Task> task_;
  bool all_in_;
  bool is_synchronous_ = false;
  bool diffused_ = false;
  Instant begin_{};
  TickWork asynchronous_, synchronous_;
};

// The loop of a worker (AsyTick §4.2.1): receives information diffused by other workers, processes the arrival that
// the scheduler puts first, and diffuses finished pieces. Message-driven: a worker never requests information, and
// sleeps while it has nothing to do. Used by one thread; uses compute threads for processing.

/// The clocks of a run's workers.
struct Clocks {
  bool shared = true;      ///< all workers have the same clock
  bool simulated = false;  ///< time passes only by charges
};

class Worker final {
 public:
  Worker(Endpoint& endpoint, const ErasedProgram& program, const PieceOptions& options,
         Clocks clocks);

  /// Runs until the master has all values; the master until it also has all records. Fails on every worker if the run
  /// was stopped before.
  Status run();
  /// At the master, after `run`.
  [[nodiscard]] Master& master() { return *master_; }

 private:
  /// The pieces that have finished a tick here and have not been reported.
  struct DoneTick {
    std::vector<PieceId> pieces;
    double change = 0;
  };
  struct HeldMessage {
    PieceId piece{0};
    TickId tick{0};
    std::shared_ptr<Task> task;
  };

  void load();
  std::size_t receive();
  void pump();
  void idle();
  void check_stop();
  void gather_records();
  void wake(PieceId piece, TickId tick);
  void work();
  void begin(PieceArrival arrival);
  void process_task_runs();
  void end(const TaskExecution& done);
  void book(const TaskExecution& done, bool synchronous, Instant since);
  void finish(PieceId piece, TickId tick, std::shared_ptr<Task> task);
  void count_done(PieceId piece, TickId tick, double change);
  void send_tally(TickId tick, const DoneTick& done);
  void report_loads(std::uint32_t round, TickId tick);
  void move_through(TickId tick);
  [[nodiscard]] NodeId owner(PieceId piece, TickId tick) const {
    return holdings_ ? holdings_->owner(piece) : ownership_.owner(piece, tick);
  }
  void write_diffused(NodeId to, PieceId piece, TickId tick, bool whole,
                      std::span<const PieceId> readers, std::span<const std::byte> values);
  [[nodiscard]] std::size_t padding(std::size_t bytes, bool whole) const;
  void publish(PieceId piece, TickId tick, const std::shared_ptr<Task>& task);
  void deliver(NodeId sender, const Diffused& diffused, TickId tick);
  void send_values(TickId tick, PieceId piece, const Task& task);
  TickSample& sample(TickId tick);
  [[nodiscard]] PieceLoad* load(PieceId piece, TickId tick);
  [[nodiscard]] std::int64_t since_start(Instant at) const { return (at - start_).count(); }
  /// Where the clocks of the workers differ, records count from the start.
  [[nodiscard]] Instant on_record(Instant at) const { return record_.begin + (at - start_); }

  // Without barriers: pieces that move between workers.
  [[nodiscard]] bool admitted(const PieceArrival& arrival);
  bool hand_over(PieceId piece, TickId next);
  void forward_arrivals(PieceId piece, std::vector<PieceArrival> arrivals);
  void deliver_to(NodeId sender, std::span<const PieceId> readers, const Diffused& diffused,
                  TickId tick);
  void send_tallies();
  void report_progress();
  void check_moves();
  void on_progress(NodeId from, ByteReader& in);
  void on_give(ByteReader& in);

  // Messages.
  void on_frame(NodeId from, std::span<const std::byte> frame);
  void read_messages(NodeId from, std::span<const std::byte> bytes);
  void read_message(NodeId from, ByteReader& in);
  void on_diffuse(NodeId from, ByteReader& in);
  void on_tally(NodeId from, ByteReader& in);
  void on_values(ByteReader& in);
  void on_loads(NodeId from, ByteReader& in);
  void on_map(ByteReader& in);
  void on_release(TickId tick, bool last);
  [[nodiscard]] bool diffuses(NodeId sender, PieceId piece, TickId tick) const;
  [[nodiscard]] bool is_due(std::span<const Ownership::Change> changes) const;
  void give_verdicts();
  void check_map();
  void learn(std::span<const Ownership::Change> changes);
  void check_over();
  template <class Write>
  void send_to_all(PieceMessageKind kind, Write&& write);

  Endpoint& endpoint_;
  const ErasedProgram& program_;
  const PieceOptions& options_;
  const PieceLayout& layout_;
  Clocks clocks_;
  NodeId self_;
  bool reports_every_tick_;  // report each tick to the master, which releases it
  std::uint32_t horizon_;
  Ownership ownership_;  // with barriers, or if pieces do not move
  SynchronizationTable synchronization_;
  ReadyQueue ready_;
  FrameCompressor compressor_;
  PieceBatcher batcher_;
  std::unique_ptr<Master> master_;                                  // only at the master
  std::unordered_map<std::uint64_t, std::shared_ptr<Task>> state_;  // the state table
  ComputeThreads threads_;
  LoopLength run_length_;
  std::vector<TaskExecution> task_runs_;  // being processed
  std::vector<std::size_t> queues_;       // index of the first run of each task; then the end
  // The task that processed last, if the worker has not slept since.
  std::optional<std::pair<PieceId, TickId>> awake_;
  struct EarlyMessage {
    NodeId sender{0};
    TickId tick{0};
    Diffused diffused;
  };
  std::vector<EarlyMessage> early_;                  // for ticks whose owners are not decided yet
  std::map<TickId, std::vector<HeldMessage>> kept_;  // until Termination() has been evaluated
  std::map<TickId, DoneTick> done_;
  TickId through_{0};                                       // all ticks before are done here
  std::set<TickId> complete_;                               // and these later ones
  std::optional<Holdings> holdings_;                        // if pieces move without barriers
  std::map<PieceId, std::vector<PieceArrival>> set_aside_;  // for pieces that will be given away
  Instant last_report_;                                     // time of the last progress report
  std::map<std::uint32_t, std::map<PieceId, PieceLoad>> loads_;  // by round; not reported yet
  Instant start_;
  NodeRecord record_;
  std::vector<TickSample> samples_;  // by tick
  std::int64_t waited_ = 0;          // until now; the record has the time until its last piece
  bool stopped_ = false;             // the last tick has ended everywhere, or a stop was requested
  bool over_ = false;                // the master has all values, or a stop was requested
  TickId released_{0};               // the first tick that the master has not released
};

template <class Write>
void Worker::send_to_all(PieceMessageKind kind, Write&& write) {
  for (std::uint32_t to = 0; to < endpoint_.node_count(); ++to) {
    if (NodeId(to) == self_) continue;
    write(batcher_.begin(NodeId(to), kind));
    batcher_.written(NodeId(to));
  }
  batcher_.send_all();
}

}  // namespace leeway::piece
