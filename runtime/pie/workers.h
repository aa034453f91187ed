// A node's virtual workers: a worker with its statistics (WorkerSlot), and the order in which workers run (WorkerQueue).
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/ids.h"
#include "leeway/pie_program.h"
#include "runtime/cluster/schedule.h"
#include "runtime/pie/virtual_worker.h"

namespace leeway::pie {

// A virtual worker on its node, with its statistics and its round-time forecast. Not thread-safe.
class WorkerSlot {
 public:
  WorkerSlot(PartId id, std::unique_ptr<VirtualWorker> worker, const PieOptions& options)
      : id_(id),
        worker_(std::move(worker)),
        options_(&options),
        statistics_(options.rate_window, options.exchange),
        stall_(options.patience) {}

  [[nodiscard]] PartId id() const { return id_; }
  [[nodiscard]] VirtualWorker& worker() { return *worker_; }
  [[nodiscard]] const VirtualWorker& worker() const { return *worker_; }
  [[nodiscard]] RoundStatistics& statistics() { return statistics_; }
  [[nodiscard]] const RoundStatistics& statistics() const { return statistics_; }
  /// r_i.
  [[nodiscard]] Round round() const { return statistics_.round(); }
  /// Number of rounds that were iterations of the program.
  [[nodiscard]] std::uint32_t iterations() const { return iterations_; }

  /// Whether it has work, now or once the schedule lets it run.
  [[nodiscard]] bool active() const {
    return statistics_.rounds_run() == 0 || worker_->staleness() > 0 || worker_->unfinished();
  }

  void save(ByteWriter& out) const;
  /// Continues from a saved state; as VirtualWorker::restore.
  bool restore(ByteReader& in);
  /// For another node, on which the worker continues this run: its state with the routes of its inner vertices.
  void pack(ByteWriter& out);
  /// Takes what `pack` wrote. Requires a new worker. The reader fails for invalid bytes.
  void unpack(ByteReader& in, Instant now);

  void arrived(Instant at, const RoundNews& from);
  /// A round has run, described by `record`.
  void ran(const RoundRecord& record);
  /// Whether it has reached the largest number of rounds, or of rounds without progress.
  [[nodiscard]] bool reached_limit() const;

  /// The worker's progress, without the fields about the others' rounds; `senders` as in RoundStatistics::progress.
  [[nodiscard]] WorkerProgress progress(Instant now, bool senders);
  /// t_i: predicted time of the next round, with the current buffer.
  [[nodiscard]] double predicted_seconds() const;
  /// Seconds for which waiting for owed answers is still worthwhile; 0 or less: not at all.
  [[nodiscard]] double left_for_answers(Instant now, const WorkerProgress& progress);
  /// Sets the forecaster's prediction for the next round with the current buffer; it overrides the statistics.
  void forecast(double seconds) { forecast_ = seconds; }
  [[nodiscard]] std::optional<double> forecast() const { return forecast_; }

 private:
  PartId id_;
  std::unique_ptr<VirtualWorker> worker_;
  const PieOptions* options_;
  RoundStatistics statistics_;
  StallCounter stall_;
  std::uint32_t iterations_ = 0;
  std::optional<double> forecast_;
  Instant round_ended_{};
  bool waits_for_answers_ = false;  // since round_ended_
  Duration longest_wait_{};         // for answers that arrived
  Duration longest_round_{};
};

// The order in which a node's workers are scheduled: the workers for which the schedule must decide, those that may
// run, and those that wait, with their times. A decision is valid until the worker changes (`touch`) or its time
// comes, so between two rounds the engine decides only for changed workers. Also counts the active workers and their
// rounds. Not thread-safe.
class WorkerQueue {
 public:
  /// The workers must outlive the queue and keep their addresses.
  explicit WorkerQueue(std::vector<WorkerSlot>& slots);
  /// The workers have changed, or their addresses.
  void restart();

  /// A message, an answer or a round has changed the worker: it needs a new decision.
  void touch(const WorkerSlot& slot);
  void touch_all();
  /// Workers whose time has come need a new decision.
  void wake(Instant now);
  /// Decisions of some schedules depend on the others' rounds: if these have changed, all workers need a new
  /// decision.
  void update_rounds(Round slowest, Round fastest);

  /// The worker that needs a decision and is furthest behind. Null if there is none, or if `enough` workers that are
  /// further behind may run.
  [[nodiscard]] WorkerSlot* next_to_decide(std::size_t enough);
  /// Records the decision; for Hold: until `until`, and it may change at `look`.
  void decided(const WorkerSlot& slot, NextRound next, Instant look, Instant until);
  /// An inactive worker with held-back values or answers that has not been handled since it changed; or null.
  [[nodiscard]] WorkerSlot* next_to_send_kept();

  /// The workers that may run, at most `most`, those furthest behind first.
  void runnable(std::size_t most, std::vector<WorkerSlot*>& into);
  /// End of the first Hold.
  [[nodiscard]] std::optional<Instant> deadline() const;

  /// Whether a worker has work, now or once the schedule lets it run.
  [[nodiscard]] bool any_active() const { return !active_rounds_.empty(); }
  /// Or holds back values or answers.
  [[nodiscard]] bool any_busy() const { return any_active() || keeping_ > 0; }
  /// The smallest round of the active workers; Round::none() without any.
  [[nodiscard]] Round slowest() const {
    return any_active() ? active_rounds_.begin()->first : Round::none();
  }
  [[nodiscard]] Round fastest() const { return fastest_; }

 private:
  enum class QueueState : std::uint8_t { None, ToDecide, Runs, Holds };
  struct QueuedWorker {
    QueueState state = QueueState::None;
    bool active = false;
    bool keeps = false;
    bool may_send_kept = false;  // is in to_send_kept_
    Round round{0};
    Instant look{};
    Instant until{};
  };
  using ByRound = std::set<std::pair<Round, std::uint32_t>>;
  using ByTime = std::set<std::pair<Instant, std::uint32_t>>;

  [[nodiscard]] std::uint32_t index_of(const WorkerSlot& slot) const {
    return static_cast<std::uint32_t>(&slot - slots_.data());
  }
  void remove(std::uint32_t index);
  void count(QueuedWorker& entry, const WorkerSlot& slot);

  std::vector<WorkerSlot>& slots_;
  std::vector<QueuedWorker> entries_;  // by slot
  ByRound to_decide_;
  ByRound runs_;
  ByTime looks_;   // held workers, by the time at which their decision may change
  ByTime untils_;  // held workers, by the end of their Hold
  std::set<std::uint32_t> to_send_kept_;
  std::map<Round, std::uint32_t> active_rounds_;  // number of active workers by round
  std::uint32_t keeping_ = 0;
  Round fastest_{0};
  Round slowest_seen_{0}, fastest_seen_{0};  // the rounds on which decisions are based
};

}  // namespace leeway::pie
