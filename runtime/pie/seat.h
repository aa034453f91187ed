// A virtual worker's place on its node: the worker, and what the statistics collector knows of it: rounds,
// times, arrivals, and the peers that send to it (AAP §§3, 6.3, 7). One thread's own.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "leeway/runtime/pie/options.h"
#include "leeway/runtime/pie/worker.h"

namespace leeway::pie {

/// What a message tells of its sender.
struct Sender {
  PartId worker{0};
  Round round{0};
  double round_seconds = 0;
  double arrival_rate = 0;
  double first_seconds = 0;  ///< what its PEval took
  Instant sent{};            ///< by the receiver's clock, as nearly as it knows
};

/// s_i by localized mean (AAP §6.3): what came within a window, by the time that the window has lasted.
class ArrivalRate {
 public:
  void arrived(Instant at) { arrivals_.push_back(at); }
  /// Messages a second over [from, now].
  [[nodiscard]] double rate(Instant from, Instant now);

 private:
  std::deque<Instant> arrivals_;
};

class Seat {
 public:
  Seat(PartId id, std::unique_ptr<Worker> worker, const EngineOptions& options)
      : id_(id), worker_(std::move(worker)), options_(options) {}

  [[nodiscard]] PartId id() const { return id_; }
  [[nodiscard]] Worker& worker() { return *worker_; }
  [[nodiscard]] const Worker& worker() const { return *worker_; }
  /// r_i.
  [[nodiscard]] Round round() const { return round_; }
  /// Nobody is further behind than a worker that had nothing to do.
  void join(Round round) { round_ = std::max(round_, round); }

  /// Has something to do, now or once its scheduler lets it.
  [[nodiscard]] bool active() const {
    return rounds_run_ == 0 || worker_->staleness() > 0 || worker_->unfinished();
  }

  void begin(Instant now) { idle_since_ = window_from_ = last_begin_ = now; }
  void arrived(Instant at, const Sender& from);
  /// A round has run; what `record` says of it.
  void ran(const RoundRecord& record);

  /// Everything but what concerns the others' rounds.
  [[nodiscard]] WorkerProgress progress(Instant now);
  /// When messages from peers are due, by when each one's last was sent and how long its rounds take; and how
  /// many within `window`. What `progress` is given holds until the next call.
  void expect(Instant now, double window, WorkerProgress& progress);
  /// What its messages tell of this worker.
  [[nodiscard]] Sender told(Instant now);
  void keep_target(std::optional<Target> target) { target_ = target; }
  void stretched(Duration stretch) { stretch_ = std::max(stretch_, stretch); }
  /// L_i, or 0 if none was set.
  [[nodiscard]] double target() const { return target_ ? target_->messages : 0; }
  /// The time after a round in which messages were passed and nothing else could be done.
  void exchanged(Instant until) { idle_since_ = until; }
  [[nodiscard]] Duration stretch() const { return stretch_; }
  /// t_i: what the coming round is predicted to take, with what is in the buffer.
  [[nodiscard]] double predicted_seconds() const;
  /// What a forecaster says of the coming round with what is in the buffer; it goes before what the last
  /// rounds tell.
  void forecast(double seconds) { forecast_ = seconds; }
  [[nodiscard]] std::optional<double> forecast() const { return forecast_; }

  [[nodiscard]] std::uint32_t rounds_run() const { return rounds_run_; }
  [[nodiscard]] Duration computing() const { return computing_; }
  /// T_idle began.
  [[nodiscard]] Instant idle_since() const { return idle_since_; }

 private:
  struct Peer {
    Instant last{};  // when its last message was sent
    double round_seconds = 0;
    double arrival_rate = 0;
  };

  void guess_first(const Sender& from);
  void learn(const RoundRecord& record, double took);

  PartId id_;
  std::unique_ptr<Worker> worker_;
  const EngineOptions& options_;
  Round round_{0};
  std::uint32_t rounds_run_ = 0;
  double predicted_ = 0;
  std::optional<double> forecast_;
  double first_seconds_ = 0;   // PEval's
  double longest_ = 0;         // of all rounds
  std::uint32_t guesses_ = 0;  // of the first IncEval's time
  double per_parameter_ = 0;   // seconds of IncEval for one in the buffer, running mean
  double mean_error_ = 0;      // of the running mean of times, relative
  double parameter_error_ = 0;
  Duration computing_{};
  Duration stretch_{};  // since the last round
  Instant idle_since_{};
  Instant window_from_{};  // the beginning of the round before the last
  Instant last_begin_{};
  ArrivalRate arrivals_;
  std::map<PartId, Peer> peers_;
  std::vector<double> due_;
  std::optional<Target> target_;
  bool waits_since_message_ = false;
};

}  // namespace leeway::pie
