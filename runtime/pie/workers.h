// How an asynchronous run finds its end (AAP §3, termination): nodes whose workers are all inactive say so
// to the master P_0; when everybody has, it asks everybody with `terminate`, and each answers `ack` or
// `wait`. Messages are counted besides: an early `ack` does not see what is still on its way, so the end
// is believed only if as many messages had been handled when the first flags came as have been sent when
// the answers came (the four-counter argument). Pure: what arrives comes in, what to do goes out.
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

/// Designated messages between nodes, since the beginning.
struct MessageCounts {
  std::uint64_t sent = 0;
  std::uint64_t handled = 0;
  friend bool operator==(const MessageCounts&, const MessageCounts&) = default;
};

/// P_0. One thread's own.
class TerminationDetector {
 public:
  enum class DetectorStep : std::uint8_t {
    None,
    Terminate,  ///< ask every node, with the number of this attempt
    Over,       ///< tell every node
  };

  explicit TerminationDetector(std::uint32_t nodes) : nodes_(nodes) {}

  /// A node has become inactive.
  [[nodiscard]] DetectorStep inactive(NodeId node, const MessageCounts& counts);
  /// A node's answer to the open attempt: `ack` if it is inactive.
  [[nodiscard]] DetectorStep answer(NodeId node, bool ack, const MessageCounts& counts);

  /// The number of the last attempt.
  [[nodiscard]] std::uint32_t attempt() const { return attempt_; }
  /// Answers to it are waited for.
  [[nodiscard]] bool open() const { return missing_ > 0; }
  /// Forgets what it was told: the nodes run in step now, or begin to run apart again.
  void forget();

 private:
  struct Flag {
    bool inactive = false;
    MessageCounts counts;
  };

  [[nodiscard]] DetectorStep consider();

  std::vector<Flag> nodes_;
  std::uint32_t attempt_ = 0;
  std::uint32_t missing_ = 0;  // answers of the open attempt; 0: none is open
  bool refused_ = false;       // somebody said wait, or has handled or sent since
};

// The load balancer (AAP §7): virtual workers whose rounds took long in the query just answered are taken to
// take long in the next, and nodes with more than their share hand workers to those with less. Pure.

/// Which node each virtual worker runs on, by what a round of it takes: a worker moves from the most
/// loaded node to the least loaded one while that lowers the higher load of the two; of those that do, the
/// one that lowers it most. The same times give the same places everywhere.
[[nodiscard]] std::vector<NodeId> balanced_nodes_of(std::span<const NodeId> nodes_of,
                                                    std::span<const Duration> times,
                                                    std::uint32_t nodes);

// A virtual worker on its node, with what the statistics collector and the forecaster know of it. One thread's
// own.
class WorkerSlot {
 public:
  WorkerSlot(PartId id, std::unique_ptr<VirtualWorker> worker, const PieOptions& options)
      : id_(id),
        worker_(std::move(worker)),
        options_(options),
        statistics_(options.rate_window, options.exchange),
        stall_(options.patience) {}

  [[nodiscard]] PartId id() const { return id_; }
  [[nodiscard]] VirtualWorker& worker() { return *worker_; }
  [[nodiscard]] const VirtualWorker& worker() const { return *worker_; }
  [[nodiscard]] RoundStatistics& statistics() { return statistics_; }
  [[nodiscard]] const RoundStatistics& statistics() const { return statistics_; }
  /// r_i.
  [[nodiscard]] Round round() const { return statistics_.round(); }
  /// Rounds that were iterations of the program.
  [[nodiscard]] std::uint32_t iterations() const { return iterations_; }

  /// Has something to do, now or once its scheduler lets it.
  [[nodiscard]] bool active() const {
    return statistics_.rounds_run() == 0 || worker_->staleness() > 0 || worker_->unfinished();
  }

  void arrived(Instant at, const RoundNews& from);
  /// A round has run; what `record` says of it.
  void ran(const RoundRecord& record);
  /// It has run as many rounds, or as many without progress, as a query may.
  [[nodiscard]] bool gives_up() const;

  /// Everything but what concerns the others' rounds; `senders` as RoundStatistics::progress.
  [[nodiscard]] WorkerProgress progress(Instant now, bool senders);
  /// t_i: what the coming round is predicted to take, with what is in the buffer.
  [[nodiscard]] double predicted_seconds() const;
  /// For how many seconds peers that owe an answer are worth waiting for yet; 0 or less if for none.
  [[nodiscard]] double left_for_answers(Instant now, const WorkerProgress& progress);
  /// What a forecaster says of the coming round with what is in the buffer; it goes before what the last
  /// rounds tell.
  void forecast(double seconds) { forecast_ = seconds; }
  [[nodiscard]] std::optional<double> forecast() const { return forecast_; }

 private:
  PartId id_;
  std::unique_ptr<VirtualWorker> worker_;
  const PieOptions& options_;
  RoundStatistics statistics_;
  StallCounter stall_;
  std::uint32_t iterations_ = 0;
  std::optional<double> forecast_;
  Instant round_ended_{};
  bool waits_for_answers_ = false;  // since then
  Duration longest_wait_{};         // for answers that came
  Duration longest_round_{};
};

// Which of a node's workers must be asked whether their next round may run, which may run, and which wait, and until when.
// A decision stands until something happens to the worker (`touch`) or its time comes. So between two rounds a node asks only
// the workers that something has happened to, not all of them. Also counts what an engine asks of all workers together.
// One thread's own.
class WorkerQueue {
 public:
  /// The workers outlive the queue, and stay where they are.
  explicit WorkerQueue(std::vector<WorkerSlot>& slots);

  /// A message, an answer or a round has changed the worker: it is asked again.
  void touch(const WorkerSlot& slot);
  void touch_all();
  /// Workers whose time has come are asked again.
  void wake(Instant now);
  /// Decisions of some schedules depend on the others' rounds: if these have changed, all workers are asked again.
  void rounds_are(Round slowest, Round fastest);

  /// The worker to be asked next: the one that is furthest behind of those to be asked. Null if there is none, or once so
  /// many workers that are further behind may run.
  [[nodiscard]] WorkerSlot* next_to_ask(std::size_t enough);
  /// What was decided for it; a Hold until `until` that may change at `look`.
  void decided(const WorkerSlot& slot, NextRound next, Instant look, Instant until);
  /// A worker without anything to do that keeps changes or answers for others, and has not been asked since it changed; or null.
  [[nodiscard]] WorkerSlot* next_to_speak();

  /// Those that may run, at most so many, the ones that are furthest behind.
  void runnable(std::size_t most, std::vector<WorkerSlot*>& into);
  /// When the first Hold is over.
  [[nodiscard]] std::optional<Instant> deadline() const;

  /// Some worker has something to do, now or once its schedule lets it.
  [[nodiscard]] bool any_active() const { return !active_rounds_.empty(); }
  /// Or keeps something for others.
  [[nodiscard]] bool any_busy() const { return any_active() || keeping_ > 0; }
  /// The least round of the workers that have something to do; Round::none() without any.
  [[nodiscard]] Round slowest() const {
    return any_active() ? active_rounds_.begin()->first : Round::none();
  }
  [[nodiscard]] Round fastest() const { return fastest_; }

 private:
  enum class Stands : std::uint8_t { Nowhere, Asked, Runs, Holds };
  struct QueuedWorker {
    Stands stands = Stands::Nowhere;
    bool active = false;
    bool keeps = false;
    bool may_speak = false;  // in to_speak_
    Round round{0};
    Instant look{};
    Instant until{};
  };
  using ByRound = std::set<std::pair<Round, std::uint32_t>>;
  using ByTime = std::set<std::pair<Instant, std::uint32_t>>;

  [[nodiscard]] std::uint32_t index_of(const WorkerSlot& slot) const {
    return static_cast<std::uint32_t>(&slot - slots_.data());
  }
  void take_out(std::uint32_t index);
  void count(QueuedWorker& entry, const WorkerSlot& slot);

  std::vector<WorkerSlot>& slots_;
  std::vector<QueuedWorker> entries_;  // by slot
  ByRound to_ask_;
  ByRound runs_;
  ByTime looks_;   // held workers by when their decision may change
  ByTime untils_;  // and by when their Hold is over
  std::set<std::uint32_t> to_speak_;
  std::map<Round, std::uint32_t> active_rounds_;  // how many active workers each has
  std::uint32_t keeping_ = 0;
  Round fastest_{0};
  Round slowest_seen_{0}, fastest_seen_{0};  // by which decisions were made
};

}  // namespace leeway::pie
