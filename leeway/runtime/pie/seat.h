// A virtual worker's place on its node: the worker, and what the statistics collector knows of it: rounds,
// times, arrivals, and the peers that send to it (AAP §§3, 6.3, 7). One thread's own.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>

#include "leeway/runtime/pie/options.h"
#include "leeway/runtime/pie/worker.h"

namespace leeway::pie {

/// What a message tells of its sender.
struct Sender {
  PartId worker{0};
  Round round{0};
  double round_seconds = 0;
  double arrival_rate = 0;
  Instant sent{};  ///< by the receiver's clock, as nearly as it knows
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
  /// Messages due from peers within `window`, by when each sent last and how long its rounds take.
  void expect(Instant now, double window, WorkerProgress& progress) const;
  void keep_target(std::optional<Target> target) { target_ = target; }
  void stretched(Duration stretch) { stretch_ = std::max(stretch_, stretch); }
  /// L_i, or 0 if none was set.
  [[nodiscard]] double target() const { return target_ ? target_->messages : 0; }
  /// The time after a round in which messages were passed and nothing else could be done.
  void exchanged(Instant until) { idle_since_ = until; }
  [[nodiscard]] Duration stretch() const { return stretch_; }
  [[nodiscard]] double predicted_seconds() const { return predicted_; }
  /// What the predictor says of the coming round; else the last rounds' mean.
  void predict(double seconds) { predicted_ = seconds; }

  [[nodiscard]] std::uint32_t rounds_run() const { return rounds_run_; }
  [[nodiscard]] Duration computing() const { return computing_; }
  /// T_idle began.
  [[nodiscard]] Instant idle_since() const { return idle_since_; }

 private:
  struct Peer {
    Instant last{};
    double round_seconds = 0;
    double arrival_rate = 0;
  };

  PartId id_;
  std::unique_ptr<Worker> worker_;
  const EngineOptions& options_;
  Round round_{0};
  std::uint32_t rounds_run_ = 0;
  double predicted_ = 0;
  Duration computing_{};
  Duration stretch_{};  // since the last round
  Instant idle_since_{};
  Instant window_from_{};  // the beginning of the round before the last
  Instant last_begin_{};
  ArrivalRate arrivals_;
  std::map<PartId, Peer> peers_;
  std::optional<Target> target_;
  bool waits_since_message_ = false;
};

}  // namespace leeway::pie
