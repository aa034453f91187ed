// Schedulers (AAP §3): the progress of a worker (WorkerProgress), the rules that decide when it runs its next round
// (`decide`), and the statistics that both engines collect for them (RoundStatistics). The vertex runtime schedules
// nodes, the PIE engine virtual workers. Schedulers are pure: they read no clock and never wait; the engine collects
// the progress, and waits.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/bytes.h"
#include "base/clock.h"
#include "base/ids.h"

namespace leeway {

/// Rounds of computation a worker has completed; PEval is the first.
using Round = Id<struct RoundTag, std::uint32_t>;

/// The current mode of Hsync (Xie et al., PPoPP 2015).
enum class Together : std::uint8_t { Sync, Async };

/// The messages that a worker gathers before its next round.
struct Target {
  double messages = 0;  ///< L_i
  double seconds = 0;   ///< T_L when it was set, counted from when the worker could have run
  double rate = 0;      ///< s_i when it was set
  friend bool operator==(const Target&, const Target&) = default;
};

struct WorkerProgress {
  Round round{0};                  ///< r_i
  Round slowest{0};                ///< r_min, over the workers that have work
  Round fastest{0};                ///< r_max
  std::uint64_t staleness = 0;     ///< eta_i: messages in the buffer
  std::uint32_t senders = 0;       ///< eta_i by another count: distinct workers that sent them
  double round_seconds = 0;        ///< t_i: predicted time of the next round
  double arrival_rate = 0;         ///< s_i: messages per second, by localized mean
  double mean_arrival_rate = 0;    ///< over all workers with a known rate
  double usual_arrival_rate = 0;   ///< of this worker, since its first message
  std::uint32_t fast_senders = 0;  ///< active workers that send to this one and are twice as fast
  /// Workers that send to this one, are less than twice as slow, and have sent since its last round or are due to; and the
  /// time by which those that are due should have.
  std::uint32_t fellows = 0;
  double fellow_seconds = 0;
  /// Delta t_i s_i by each sender's pace: the number of messages due within Delta t_i, and the time until the last of
  /// them.
  std::uint32_t expected = 0;
  double expected_seconds = 0;
  /// For each sender, the time by which its next message arrives, judged by its pace: seconds from now, ascending, at
  /// most t_i after the worker could have run. Borrowed from the caller.
  std::span<const double> due;
  double idle_seconds = 0;     ///< T_idle: time since it could have run
  double longest_seconds = 0;  ///< the longest round time known, of this worker and its senders
  // For paced messages (UpdateSender, runtime/pie/virtual_worker.h): answers that peers owe. The engine ensures that a worker
  // that waits for answers still answers itself.
  /// The next round's messages could not be sent before more peers have answered.
  bool must_await_answers = false;
  double answers_seconds = 0;  ///< longest useful wait for owed answers
  /// Later messages would help no more than they do now, so gathering is useless: L_i is 0.
  bool waits_in_vain = false;
  /// L_i, if it has been set for the next round.
  std::optional<Target> target;
  Together together = Together::Sync;  ///< Hsync's current mode
};

enum class NextRound : std::uint8_t {
  Run,
  Hold,     ///< decide again after `hold`, or at an arrival
  Suspend,  ///< decide again at an arrival
};

struct Decision {
  NextRound next = NextRound::Run;
  Duration hold{};               ///< DS_i, for Hold
  std::optional<Target> target;  ///< the caller returns it in `target` until the next round has run

  [[nodiscard]] static Decision run() { return {}; }
  [[nodiscard]] static Decision suspend() { return {NextRound::Suspend, {}, {}}; }
  friend bool operator==(const Decision&, const Decision&) = default;
};

/// What a message reports about the worker that sent it.
struct RoundNews {
  PartId worker{0};
  Round round{0};
  double round_seconds = 0;
  double arrival_rate = 0;
  double first_seconds = 0;  ///< time of its first round
  Instant sent{};            ///< by the receiver's clock, approximately
};

/// s_i by localized mean (AAP §6.3): the arrivals within a window, divided by its length.
class ArrivalRate {
 public:
  void arrived(Instant at) { arrivals_.push_back(at); }
  /// Messages a second over [from, now].
  [[nodiscard]] double rate(Instant from, Instant now);

 private:
  std::deque<Instant> arrivals_;
};

/// Statistics of one worker (AAP §§3, 6.3, 7): rounds run and their times, arrivals and their senders; from these
/// r_i, t_i, s_i and T_idle, by which a schedule decides. Reads no clock: time is an argument. Not thread-safe.
class RoundStatistics {
 public:
  /// `rate_window`: tau, the window in which arrivals count; zero: the last two rounds. `exchange`: time that the
  /// worker spends on exchanging messages after each round.
  explicit RoundStatistics(Duration rate_window = {}, Duration exchange = {})
      : rate_window_(rate_window), exchange_(exchange) {}

  void begin(Instant now) { idle_since_ = window_from_ = last_begin_ = now; }
  /// A message has arrived.
  void arrived(Instant at, const RoundNews& from);
  /// Distinct workers whose messages have arrived since the last round began.
  [[nodiscard]] std::uint32_t senders() const { return senders_; }
  /// Whether the sender's rounds take at least twice as long as this worker's.
  [[nodiscard]] bool is_slow(const RoundNews& from) const;
  /// A round has run, which took `taken` parameters.
  void ran(Instant begin, Instant end, std::uint64_t taken);
  /// The time after a round in which messages were exchanged and the worker could not compute.
  void exchanged(Instant until) { idle_since_ = until; }
  /// The worker has work again after it had none. Its round becomes at least `round`, the slowest worker's, so that
  /// it does not lower the minimum.
  void join(Round round) { round_ = std::max(round_, round); }

  /// r_i.
  [[nodiscard]] Round round() const { return round_; }
  /// Including those before a restart.
  [[nodiscard]] std::uint32_t rounds_run() const { return rounds_run_; }
  [[nodiscard]] std::uint32_t rounds_of_this_run() const { return rounds_run_ - rounds_before_; }
  [[nodiscard]] Duration computing() const { return computing_; }
  /// t_i, predicted from the last rounds, for a next round with `pending` parameters.
  [[nodiscard]] double predicted_seconds(std::uint64_t pending) const;

  /// The worker's progress, without the fields about other workers' rounds. `round_seconds` is t_i, `staleness`
  /// eta_i. `senders`: also fill in the fields about sending peers; only AAP's target L_i needs them, and each call
  /// visits every peer.
  [[nodiscard]] WorkerProgress progress(Instant now, std::uint64_t staleness, double round_seconds,
                                        bool senders = true);
  /// s_i.
  [[nodiscard]] double arrival_rate(Instant now);
  /// Fills in when messages from peers are due, judged by when each peer's last message was sent and how long its
  /// rounds take, and how many are due within `window`. `progress.due` is valid until the next call.
  void expect(Instant now, double window, WorkerProgress& progress);
  /// Fills in the fields about fellows.
  void look_for_fellows(Instant now, WorkerProgress& progress) const;
  /// The report about this worker that its messages carry.
  [[nodiscard]] RoundNews report(PartId id, Instant now);

  // The schedule's decision for the next round; cleared when the round has run.

  void keep_target(std::optional<Target> target) { target_ = target; }
  [[nodiscard]] bool has_target() const { return target_.has_value(); }
  /// L_i, or 0 if none was set.
  [[nodiscard]] double target() const { return target_ ? target_->messages : 0; }
  void stretched(Duration stretch) { stretch_ = std::max(stretch_, stretch); }
  [[nodiscard]] Duration stretch() const { return stretch_; }

  /// For checkpoints: the rounds and what their times predict. Arrivals and senders are learnt again.
  void save(ByteWriter& out) const;
  void load(ByteReader& in);
  /// For another node, on which the worker continues this run: also what it has done in this run.
  void save_run(ByteWriter& out) const;
  void load_run(ByteReader& in);

 private:
  struct PeerRounds {
    Instant last{};  // when its last message was sent
    double round_seconds = 0;
    double arrival_rate = 0;
    bool sent = false;  // since the last round
  };

  [[nodiscard]] double longest_seconds() const;
  void look_at_senders(Instant now, WorkerProgress& progress) const;
  void guess_first(const RoundNews& from);
  void learn(double took, std::uint64_t taken);

  Duration rate_window_;
  Duration exchange_;
  Round round_{0};
  std::uint32_t rounds_run_ = 0;
  std::uint32_t rounds_before_ = 0;  // a restart
  double predicted_ = 0;
  double first_seconds_ = 0;   // time of the first round
  double longest_ = 0;         // longest of all rounds
  std::uint32_t guesses_ = 0;  // number of guesses of the second round's time
  double per_parameter_ = 0;   // seconds per parameter taken, running mean
  double mean_error_ = 0;      // relative error of predicting by the mean time
  double parameter_error_ = 0;
  Duration computing_{};
  Duration stretch_{};
  Instant idle_since_{};   // begin of T_idle
  Instant window_from_{};  // begin of the second last round
  Instant last_begin_{};
  ArrivalRate arrivals_;
  std::uint64_t heard_ = 0;  // messages since `heard_from_`
  Instant heard_from_{};
  std::vector<PeerRounds> peers_;                      // in the order of their first messages
  std::uint32_t senders_ = 0;                          // peers with `sent`
  std::unordered_map<PartId, std::uint32_t> peer_at_;  // index in peers_
  std::vector<double> due_;
  std::optional<Target> target_;
  bool waits_since_message_ = false;
};

/// Parallel models, each a rule for a worker's delay stretch DS_i (AAP §3).
enum class Scheduler : std::uint8_t {
  DoWork,   ///< ASPIRE's Algorithm 1: rounds in place, then a barrier and a vote
  Bsp,      ///< supersteps: reads return values of the previous superstep
  Ap,       ///< no barrier: a worker runs while it has work
  Ssp,      ///< as Ap, but at most `bound` rounds ahead of the slowest worker
  Aap,      ///< as Ap, but a worker waits for messages that save more time than they cost
  Hsync,    ///< switches between Bsp and Ap, to the one with more useful work per second
  AsyTick,  ///< as Ap, but by pieces of a worker's vertices, in order of priority
};

/// The user's delta (AAP §3): decides whether a worker's next round runs now, later, or after an arrival. Pure: called
/// whenever the worker's progress may have changed. A worker that it suspends although no message is on its way to it
/// never runs again.
using DelayRule = std::function<Decision(const WorkerProgress& progress)>;

/// Default of Schedule::hsync_ratio: a worker that does not wait uses about half of the messages in flight.
inline constexpr double kHsyncRatio = 2;

/// A parallel model with its parameters.
struct Schedule {
  Scheduler model = Scheduler::Aap;
  /// c: rounds that a worker may be ahead of the slowest. Required for Ssp; for Aap optional (AAP §5.3).
  std::optional<std::uint32_t> bound;
  /// The fraction of the predicted round time for which Aap gathers messages: the Delta in Delta t_i.
  double gather_fraction = 1.0 / 6;
  /// Aap's L_bottom at the start. Unless `fixed_target`, it becomes at least the number of fast senders. A worker with
  /// fewer messages than given here waits until the others have been silent for several of the longest known rounds.
  double least_target = 0;
  bool fixed_target = false;  ///< L_bottom keeps the given value
  /// Rounds in which `least_target` holds; later ones have none. None: all rounds.
  std::optional<std::uint32_t> least_rounds = {};
  /// Aap decides by equation (1) of the paper alone. False: by our estimates of the gain (docs/adr/0015).
  bool by_equation = false;
  /// Aap's eta_i is the number of workers whose messages are in the buffer; otherwise that of messages.
  bool counts_senders = false;
  /// Asynchronous updates that count as one update in step, when Hsync compares them.
  double hsync_ratio = kHsyncRatio;
  /// Decides instead of the model, which must not run rounds in step. The model still determines how messages are paced:
  /// Ap's are sent as they come (if they do not add up), Aap's are gathered.
  DelayRule rule = nullptr;
};

/// Decides whether the worker's next round runs now, later, or after an arrival. Requires `bound` for Ssp. Pure; any
/// thread.
[[nodiscard]] Decision decide(const Schedule& schedule, const WorkerProgress& progress);

/// Whether rounds run in step: no worker begins a round before all have ended the previous one.
[[nodiscard]] bool in_step(const Schedule& schedule, Together together);
/// Whether `decide` uses the other workers' rounds, so that workers must send them.
[[nodiscard]] bool looks_at_rounds(const Schedule& schedule);

/// L_i for the next round, and T_L.
[[nodiscard]] Target aap_target(const Schedule& schedule, const WorkerProgress& progress);

struct SchedulerInfo {
  Scheduler scheduler;
  std::string_view name;
  std::string_view summary;
};
[[nodiscard]] std::span<const SchedulerInfo> schedulers();
[[nodiscard]] std::string_view scheduler_name(Scheduler scheduler);

}  // namespace leeway
