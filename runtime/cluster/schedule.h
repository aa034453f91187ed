// What a scheduler is told of one worker, and what it answers (AAP §3). Schedulers are pure: they ask no
// clock and wait for nobody; the engine gathers the progress, and waits.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/clock.h"
#include "base/ids.h"

namespace leeway {

/// Rounds of computation a worker has completed; PEval is the first.
using Round = Id<struct RoundTag, std::uint32_t>;

/// How Hsync runs at the moment (Xie et al., PPoPP 2015).
enum class Together : std::uint8_t { Sync, Async };

/// What a worker gathers before its next round.
struct Target {
  double messages = 0;  ///< L_i
  double seconds = 0;   ///< T_L when it was set, from when the worker could have run
  friend bool operator==(const Target&, const Target&) = default;
};

struct WorkerProgress {
  Round round{0};                  ///< r_i
  Round slowest{0};                ///< r_min, of the workers that have something to do
  Round fastest{0};                ///< r_max
  std::uint64_t staleness = 0;     ///< eta_i: messages in the buffer
  double round_seconds = 0;        ///< t_i: what the next round is predicted to take
  double arrival_rate = 0;         ///< s_i: messages a second, by localized mean
  double mean_arrival_rate = 0;    ///< of all workers whose rate is known
  std::uint32_t senders = 0;       ///< active workers that send to it
  std::uint32_t fast_senders = 0;  ///< of these, the ones at least twice as fast
  /// Delta t_i s_i by each sender's own pace: messages due within Delta t_i, and when the last is.
  std::uint32_t expected = 0;
  double expected_seconds = 0;
  /// When each sender's next message has come, by its own pace: seconds from now, rising; no later than
  /// t_i after the worker could have run. The caller's.
  std::span<const double> due;
  double idle_seconds = 0;  ///< T_idle: since it could have run
  // Where messages are paced (pie/update_sender.h), what peers owe. Who waits for it must still answer: the engine sees to that.
  bool must_hear_first =
      false;  ///< what the next round makes could not be sent before more have answered
  double answers_seconds = 0;  ///< how long peers that owe an answer are worth waiting for yet
  /// What comes later would help no more than if it were here now: L_i is 0.
  bool waits_in_vain = false;
  /// L_i, once it has been set for the round to come.
  std::optional<Target> target;
  Together together = Together::Sync;  ///< Hsync's
};

enum class NextRound : std::uint8_t {
  Run,
  Hold,     ///< ask again when `hold` is over, or something arrives
  Suspend,  ///< ask again when something arrives
};

struct Decision {
  NextRound next = NextRound::Run;
  Duration hold{};               ///< DS_i, of a Hold
  std::optional<Target> target;  ///< to be handed back until the next round has run

  [[nodiscard]] static Decision run() { return {}; }
  [[nodiscard]] static Decision suspend() { return {NextRound::Suspend, {}, {}}; }
  friend bool operator==(const Decision&, const Decision&) = default;
};

// What the statistics collector knows of one worker (AAP §§3, 6.3, 7): rounds run, the time they take, when
// messages came and from whom. From it come r_i, t_i, s_i and T_idle, by which a schedule decides. Asks no
// clock: time is an argument. One thread's own.

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
  struct PeerRounds {
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
  std::vector<PeerRounds> peers_;  // in the order in which they were first heard
  std::unordered_map<PartId, std::uint32_t> peer_at_;  // in peers_
  std::vector<double> due_;
  std::optional<Target> target_;
  bool waits_since_message_ = false;
};

// Every parallel model as a rule for one worker's delay stretch (AAP §3): `decide` says whether its next
// round runs now, later, or when something arrives. The only place where a model's rule stands: the vertex
// runtime asks it for a node, the PIE engine for a virtual worker. Pure functions of data; any thread.

/// Who may be how far ahead of whom.
enum class Scheduler : std::uint8_t {
  DoWork,   ///< ASPIRE's Algorithm 1: rounds in place, a barrier and a vote after each
  Bsp,      ///< supersteps: every read is of the superstep before
  Ap,       ///< no barrier: a worker runs while it has work
  Ssp,      ///< no barrier, but nobody more than `bound` rounds ahead of the slowest
  Aap,      ///< each worker waits for as much as is worth waiting for
  Hsync,    ///< in step or apart, whichever does more work a second
  AsyTick,  ///< no barrier; a worker's part goes piece by piece, by priority
};

struct Schedule {
  Scheduler model = Scheduler::Aap;
  /// c: how many rounds a worker may be ahead of the slowest; for Aap none unless given (AAP §5.3).
  std::optional<std::uint32_t> bound;
  /// The part of a round's predicted time for which Aap goes on gathering: the Delta in Delta t_i.
  double gather_fraction = 1.0 / 6;
  /// Aap's L_bottom to start with; as many as the fast senders as soon as these are known, unless fixed.
  double least_target = 0;
  bool fixed_target = false;  ///< L_bottom stays as given
};

/// Requires a bound of Ssp.
[[nodiscard]] Decision decide(const Schedule& schedule, const WorkerProgress& progress);

/// Rounds in step: nobody begins one before all have ended the one before.
[[nodiscard]] bool in_step(const Schedule& schedule, Together together);
/// True if `decide` looks at the others' rounds, which then must be told.
[[nodiscard]] bool looks_at_rounds(const Schedule& schedule);

/// Equation (1).
[[nodiscard]] Decision decide_aap(const Schedule& schedule, const WorkerProgress& progress);
/// L_i for the round to come, and T_L.
[[nodiscard]] Target aap_target(const Schedule& schedule, const WorkerProgress& progress);

/// What Hsync compares: how much useful work a second each way of running has done, or is expected to do.
struct HsyncSample {
  double useful = 0;           ///< changed parameters that a round of all workers brought, in step
  double slowest_seconds = 0;  ///< the slowest worker's round, which all wait for
  double mean_seconds = 0;     ///< of a round
  double redundant = 1;        ///< rounds run asynchronously for one in step, for the same outcome
};
/// PowerSwitch's rule: run in step while the work done so, a second, exceeds what would be done apart.
[[nodiscard]] Together hsync_choice(const HsyncSample& sample);

struct SchedulerInfo {
  Scheduler scheduler;
  std::string_view name;
  std::string_view summary;
};
[[nodiscard]] std::span<const SchedulerInfo> schedulers();
[[nodiscard]] std::string_view scheduler_name(Scheduler scheduler);

}  // namespace leeway
