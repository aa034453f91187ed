// What the statistics collector knows of one worker (AAP §§3, 6.3, 7): rounds run, the time they take, when
// messages came and from whom. From it come r_i, t_i, s_i and T_idle, by which a schedule decides. Asks no
// clock: time is an argument. One thread's own.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <unordered_map>
#include <vector>

#include "leeway/base/clock.h"
#include "leeway/base/ids.h"
#include "leeway/runtime/schedule/progress.h"

namespace leeway {

/// What a message tells of the worker that sent it.
struct RoundNews {
  PartId worker{0};
  Round round{0};
  double round_seconds = 0;
  double arrival_rate = 0;
  double first_seconds = 0;  ///< what its first round took
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

class RoundStatistics {
 public:
  /// `rate_window`: tau, how far back arrivals count; zero: two rounds of the worker. `exchange`: what passing
  /// messages takes of a worker after each round.
  explicit RoundStatistics(Duration rate_window = {}, Duration exchange = {})
      : rate_window_(rate_window), exchange_(exchange) {}

  void begin(Instant now) { idle_since_ = window_from_ = last_begin_ = now; }
  /// A message has come.
  void arrived(Instant at, const RoundNews& from);
  /// A round has run, for which `taken` parameters had come.
  void ran(Instant begin, Instant end, std::uint64_t taken);
  /// The time after a round in which messages were passed and nothing else could be done.
  void exchanged(Instant until) { idle_since_ = until; }
  /// The worker had nothing to do; now that it has, its round is at least the slowest's, which it must not lower.
  void join(Round round) { round_ = std::max(round_, round); }

  /// r_i.
  [[nodiscard]] Round round() const { return round_; }
  [[nodiscard]] std::uint32_t rounds_run() const { return rounds_run_; }
  [[nodiscard]] Duration computing() const { return computing_; }
  /// t_i by the last rounds: what the coming one is predicted to take with `pending` parameters to take in.
  [[nodiscard]] double predicted_seconds(std::uint64_t pending) const;

  /// Everything but what concerns the others' rounds; `round_seconds` is t_i, `staleness` eta_i. `senders`: also what is known
  /// of the peers that send, which only a target is set by (AAP's L_i) and which takes a look at each of them.
  [[nodiscard]] WorkerProgress progress(Instant now, std::uint64_t staleness, double round_seconds,
                                        bool senders = true);
  /// s_i.
  [[nodiscard]] double arrival_rate(Instant now);
  /// When messages from peers are due, by when each one's last was sent and how long its rounds take; and how
  /// many within `window`. What `progress` is given holds until the next call.
  void expect(Instant now, double window, WorkerProgress& progress);
  /// What this worker's messages tell of it.
  [[nodiscard]] RoundNews told(PartId id, Instant now);

  // What the schedule decided for the round to come; forgotten when it has run.

  void keep_target(std::optional<Target> target) { target_ = target; }
  [[nodiscard]] bool has_target() const { return target_.has_value(); }
  /// L_i, or 0 if none was set.
  [[nodiscard]] double target() const { return target_ ? target_->messages : 0; }
  void stretched(Duration stretch) { stretch_ = std::max(stretch_, stretch); }
  [[nodiscard]] Duration stretch() const { return stretch_; }

 private:
  struct Peer {
    Instant last{};  // when its last message was sent
    double round_seconds = 0;
    double arrival_rate = 0;
  };

  void look_at_senders(Instant now, WorkerProgress& progress) const;
  void guess_first(const RoundNews& from);
  void learn(double took, std::uint64_t taken);

  Duration rate_window_;
  Duration exchange_;
  Round round_{0};
  std::uint32_t rounds_run_ = 0;
  double predicted_ = 0;
  double first_seconds_ = 0;   // of the first round
  double longest_ = 0;         // of all rounds
  std::uint32_t guesses_ = 0;  // of the second round's time
  double per_parameter_ = 0;   // seconds of a round for one parameter taken, running mean
  double mean_error_ = 0;      // of the running mean of times, relative
  double parameter_error_ = 0;
  Duration computing_{};
  Duration stretch_{};
  Instant idle_since_{};   // T_idle began
  Instant window_from_{};  // the beginning of the round before the last
  Instant last_begin_{};
  ArrivalRate arrivals_;
  std::vector<Peer> peers_;  // in the order in which they were first heard
  std::unordered_map<PartId, std::uint32_t> peer_at_;  // in peers_
  std::vector<double> due_;
  std::optional<Target> target_;
  bool waits_since_message_ = false;
};

}  // namespace leeway
