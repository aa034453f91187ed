// One arrival being processed (Begin…End), as its task sees its worker. Several may be processed side by side, each on
// a thread of its own; what they did is booked by the worker afterwards.
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
#include "runtime/piece/master.h"
#include "runtime/piece/ownership.h"
#include "runtime/piece/worker_state.h"

namespace leeway::piece {

class TaskRun final : public TaskContext {
 public:
  /// What was charged for one of the two parts, and when it ended.
  struct TickPart {
    Work work;
    Instant end{};
  };

  /// `all_in`: with this arrival all that the task needs.
  TaskRun(const Endpoint& endpoint, PieceArrival arrival, std::shared_ptr<Task> task, bool all_in)
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
  [[nodiscard]] const TickPart& asynchronous() const { return asynchronous_; }
  /// Whether there was a synchronous part.
  [[nodiscard]] bool is_synchronous() const { return is_synchronous_; }
  [[nodiscard]] const TickPart& synchronous() const { return synchronous_; }

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
  TickPart& part() { return is_synchronous_ ? synchronous_ : asynchronous_; }

  const Endpoint* endpoint_;
  PieceArrival arrival_;
  std::shared_ptr<Task> task_;
  bool all_in_;
  bool is_synchronous_ = false;
  bool diffused_ = false;
  Instant begin_{};
  TickPart asynchronous_, synchronous_;
};

// A worker of the piece engine: the loop that takes in what other workers diffused, picks what the
// scheduler puts first, processes it, and diffuses what became whole (AsyTick §4.2.1). Message-driven: it
// never asks for anything, and sleeps while nothing can be done. One thread's own.

/// What time is to the workers of a run.
struct Clocks {
  bool shared = true;      ///< one clock is all workers'
  bool simulated = false;  ///< time passes only where it is charged
};

class Worker final {
 public:
  Worker(Endpoint& endpoint, const Program& program, const PieceOptions& options, Clocks clocks);

  /// Returns when the master has all values; at the master, when it has all records too. Fails, at every worker, if
  /// the run was stopped before.
  Status run();
  /// At the master, after run.
  [[nodiscard]] Master& master() { return *master_; }

 private:
  struct HeldMessage {
    PieceId piece{0};
    TickId tick{0};
    std::shared_ptr<Task> task;
  };

  void load();
  std::size_t receive();
  void pump();
  void idle();
  void heed_stop();
  Status leave_early();
  void wake(PieceId piece, TickId tick);
  void work();
  void begin(PieceArrival arrival);
  void process_task_runs();
  void end(const TaskRun& done);
  void book(const TaskRun& done, bool synchronous, Instant since);
  void finish(PieceId piece, TickId tick, std::shared_ptr<Task> task);
  void count_done(TickId tick, double change);
  void tell_tally(TickId tick, std::uint32_t count, double most);
  void report_loads(std::uint32_t round, TickId tick);
  void move_through(TickId tick);
  [[nodiscard]] NodeId owner(PieceId piece, TickId tick) const {
    return holdings_ ? holdings_->owner(piece) : ownership_.owner(piece, tick);
  }
  void write_diffused(NodeId to, PieceId piece, TickId tick, bool whole,
                      std::span<const PieceId> readers, std::span<const std::byte> values);
  void publish(PieceId piece, TickId tick, const std::shared_ptr<Task>& task);
  void deliver(const Diffused& diffused, TickId tick);
  void send_values(TickId tick, PieceId piece, const Task& task);
  TickSample& sample(TickId tick);
  [[nodiscard]] PieceLoad* load(PieceId piece, TickId tick);
  [[nodiscard]] std::int64_t since_start(Instant at) const { return (at - start_).count(); }

  // Pieces that change hands without barriers: worker_moves.cc
  [[nodiscard]] bool admitted(const PieceArrival& arrival);
  bool hand_over(PieceId piece, TickId next);
  void pass_on(PieceId piece, std::vector<PieceArrival> arrivals);
  void deliver_to(std::span<const PieceId> readers, const Diffused& diffused, TickId tick);
  void tell_tallies();
  void report_progress();
  void look_whether_to_move();
  void on_progress(NodeId from, ByteReader& in);
  void on_give(ByteReader& in);

  // What messages say: worker_messages.cc
  void on_frame(NodeId from, std::span<const std::byte> frame);
  void read_message(NodeId from, ByteReader& in);
  void on_diffuse(ByteReader& in);
  void on_loads(ByteReader& in);
  void on_map(ByteReader& in);
  void on_release(TickId tick, bool last);
  void take_tally(TickId tick, std::uint32_t pieces, double change);
  void look_whether_mapped();
  void learn(std::span<const Ownership::Change> changes);
  void look_whether_over();
  void on_stop();
  void on_give_up();
  void hand_in_record();
  template <class Write>
  void tell_all(PieceMessageKind kind, Write&& write);

  Endpoint& endpoint_;
  const Program& program_;
  const PieceOptions& options_;
  const PieceLayout& layout_;
  Clocks clocks_;
  NodeId self_;
  bool told_every_tick_;  // the master hears of each tick, and releases it
  std::uint32_t horizon_;
  Ownership ownership_;  // where there are barriers, or pieces stay
  SynchronizationTable synchronization_;
  ReadyQueue ready_;
  PieceBatcher batcher_;
  std::unique_ptr<Master> master_;                                  // at the master only
  std::unordered_map<std::uint64_t, std::shared_ptr<Task>> state_;  // the state table
  ComputeThreads threads_;
  LoopLength run_length_;
  std::vector<TaskRun> task_runs_;   // being processed
  std::vector<std::size_t> queues_;  // where the turns of each of their tasks begin
  std::optional<std::pair<PieceId, TickId>>
      awake_;  // whose task processed last, without sleep since
  std::vector<std::pair<TickId, Diffused>> early_;   // for ticks whose owners are not known yet
  std::map<TickId, std::vector<HeldMessage>> kept_;  // until Termination() has been asked
  std::map<TickId, std::pair<std::uint32_t, double>> done_;  // pieces through, greatest change
  TickId through_{0};                                        // all before it is done here
  std::set<TickId> complete_;                                // and of what comes after
  std::optional<Holdings> holdings_;                         // where pieces move without barriers
  std::map<PieceId, std::vector<PieceArrival>> aside_;       // for pieces about to be given away
  Instant told_;                                             // of progress
  std::map<std::uint32_t, std::map<PieceId, PieceLoad>> loads_;  // by round, not yet reported
  Instant start_;
  WorkerRecord record_;
  std::int64_t waited_ = 0;  // so far; the record has what lies before its last piece
  bool stopped_ = false;     // the last tick is over everywhere
  bool over_ = false;
  bool asked_to_stop_ = false;    // the master
  bool gave_up_ = false;          // instead of coming to an end
  std::uint32_t left_early_ = 0;  // others that have said so
};

template <class Write>
void Worker::tell_all(PieceMessageKind kind, Write&& write) {
  for (std::uint32_t to = 0; to < endpoint_.node_count(); ++to) {
    if (NodeId(to) == self_) continue;
    write(batcher_.begin(NodeId(to), kind));
    batcher_.written(NodeId(to));
  }
  batcher_.send_all();
}

}  // namespace leeway::piece
