#include "runtime/cluster/schedule.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/archive.h"
#include "base/check.h"

namespace leeway {

namespace {

constexpr double kFast =
    0.5;  // a peer is fast if its rounds take at most this fraction of the own round time
constexpr double kSilence =
    2.5;  // a peer is inactive after this number of round times without a message
constexpr double kNewest = 0.5;  // weight of the last round in running means
constexpr double kLate = 1.1;    // a peer's message is late after this number of its round times
constexpr double kInStep =
    0.5;  // workers wait for fellows at most for this fraction of their next round

}  // namespace

double ArrivalRate::rate(Instant from, Instant now) {
  while (!arrivals_.empty() && arrivals_.front() < from) arrivals_.pop_front();
  const double span = seconds(now - from);
  return span <= 0 ? 0 : static_cast<double>(arrivals_.size()) / span;
}

void RoundStatistics::arrived(Instant at, const RoundNews& from) {
  if (!waits_since_message_) {
    waits_since_message_ = true;
    idle_since_ = std::max(idle_since_, at);  // before that there was nothing to process
  }
  arrivals_.arrived(at);
  if (heard_++ == 0) heard_from_ = at;
  const auto [found, fresh] =
      peer_at_.try_emplace(from.worker, static_cast<std::uint32_t>(peers_.size()));
  if (fresh) peers_.emplace_back();
  PeerRounds& peer = peers_[found->second];
  senders_ += peer.sent ? 0 : 1;
  peer = {from.sent, from.round_seconds, from.arrival_rate, true};
  if (rounds_run_ == 1) guess_first(from);
}

bool RoundStatistics::is_slow(const RoundNews& from) const {
  return rounds_run_ > 1 && from.round.value() > 1 && predicted_ <= kFast * from.round_seconds;
}

/// After its first round a worker cannot predict the time of later ones. A peer that has run some reports how their
/// time relates to its first round.
void RoundStatistics::guess_first(const RoundNews& from) {
  if (from.round.value() < 2 || from.first_seconds <= 0) return;
  const double guess = first_seconds_ * std::min(from.round_seconds / from.first_seconds, 1.0);
  ++guesses_;
  predicted_ += (guess - predicted_) / guesses_;
}

void RoundStatistics::ran(Instant begin, Instant end, std::uint64_t taken) {
  ++rounds_run_;
  round_ = round_.next();
  const double took = seconds(end - begin);
  computing_ += end - begin;
  if (rounds_run_ == 1) first_seconds_ = took;
  learn(took, taken);
  window_from_ = last_begin_;
  last_begin_ = begin;
  idle_since_ = end;
  waits_since_message_ = false;
  for (PeerRounds& peer : peers_) peer.sent = false;
  senders_ = 0;
  target_.reset();
  stretch_ = Duration::zero();
}

/// Rounds of similar length are predicted by their mean time; rounds limited by their input, by the number of
/// parameters.
void RoundStatistics::learn(double took, std::uint64_t taken) {
  const auto parameters = static_cast<double>(taken);
  const auto mix = [](double old, double now) { return kNewest * now + (1 - kNewest) * old; };
  if (rounds_run_ > 2 && took > 0) {
    const auto error = [took](double predicted) {
      return std::abs(predicted - took) / std::max(predicted, took);
    };
    mean_error_ = mix(mean_error_, error(predicted_));
    parameter_error_ = mix(parameter_error_, error(per_parameter_ * parameters));
  }
  // The first round (PEval) runs once; its time predicts nothing about later rounds.
  predicted_ = rounds_run_ == 1 ? 0 : rounds_run_ == 2 ? took : mix(predicted_, took);
  longest_ = std::max(longest_, took);
  if (rounds_run_ > 1 && taken > 0)
    per_parameter_ =
        per_parameter_ == 0 ? took / parameters : mix(per_parameter_, took / parameters);
}

double RoundStatistics::predicted_seconds(std::uint64_t pending) const {
  // If rounds are limited by their input, most are small, so the mean must be clearly better to be used.
  if (per_parameter_ == 0 || 2 * mean_error_ < parameter_error_) return predicted_;
  return std::min(per_parameter_ * static_cast<double>(pending), longest_);
}

double RoundStatistics::arrival_rate(Instant now) {
  return arrivals_.rate(rate_window_ > Duration::zero() ? now - rate_window_ : window_from_, now);
}

WorkerProgress RoundStatistics::progress(Instant now, std::uint64_t staleness, double round_seconds,
                                         bool senders) {
  WorkerProgress progress;
  progress.round = round_;
  progress.staleness = staleness;
  progress.senders = senders_;
  progress.round_seconds = round_seconds;
  progress.longest_seconds = longest_seconds();
  progress.arrival_rate = arrival_rate(now);
  const double heard_seconds = seconds(now - heard_from_);
  if (heard_ > 1 && heard_seconds > 0)
    progress.usual_arrival_rate = static_cast<double>(heard_) / heard_seconds;
  if (senders) look_at_senders(now, progress);
  progress.idle_seconds = seconds(now - idle_since_);
  progress.target = target_;
  return progress;
}

/// The rounds that this worker and its senders run now. PEval runs once, so its time counts only for those that have run
/// nothing else.
double RoundStatistics::longest_seconds() const {
  double longest = rounds_run_ == 1 ? first_seconds_ : predicted_;
  for (const PeerRounds& peer : peers_) longest = std::max(longest, peer.round_seconds);
  return longest;
}

void RoundStatistics::look_at_senders(Instant now, WorkerProgress& progress) const {
  double sum = progress.arrival_rate;
  for (const PeerRounds& peer : peers_) {
    sum += peer.arrival_rate;
    const bool heard =
        seconds(now - peer.last) <= kSilence * std::max(peer.round_seconds, predicted_);
    if (heard && peer.round_seconds <= kFast * predicted_) ++progress.fast_senders;
  }
  progress.mean_arrival_rate = sum / static_cast<double>(peers_.size() + 1);
}

void RoundStatistics::look_for_fellows(Instant now, WorkerProgress& progress) const {
  const double own = rounds_run_ == 1 ? first_seconds_ : predicted_;
  for (const PeerRounds& peer : peers_) {
    if (own <= kFast * peer.round_seconds) continue;
    const double cycle = peer.round_seconds + seconds(exchange_);
    const double left = kLate * cycle - seconds(now - peer.last - exchange_);
    if (!peer.sent && left <= 0) continue;
    ++progress.fellows;
    if (!peer.sent) progress.fellow_seconds = std::max(progress.fellow_seconds, left);
  }
}

RoundNews RoundStatistics::report(PartId id, Instant now) {
  return {.worker = id,
          .round = round_,
          .round_seconds = rounds_run_ == 1 ? first_seconds_ : predicted_,
          .arrival_rate = arrival_rate(now),
          .first_seconds = first_seconds_,
          .sent = now};
}

void RoundStatistics::save(ByteWriter& out) const {
  save_all(out, round_, rounds_run_, predicted_, first_seconds_, longest_, guesses_, per_parameter_,
           mean_error_, parameter_error_);
}

void RoundStatistics::load(ByteReader& in) {
  load_all(in, round_, rounds_run_, predicted_, first_seconds_, longest_, guesses_, per_parameter_,
           mean_error_, parameter_error_);
  rounds_before_ = rounds_run_;
}

void RoundStatistics::save_run(ByteWriter& out) const {
  save(out);
  save_all(out, rounds_before_, computing_);
}

void RoundStatistics::load_run(ByteReader& in) {
  load(in);
  load_all(in, rounds_before_, computing_);
}

void RoundStatistics::expect(Instant now, double window, WorkerProgress& progress) {
  constexpr double kRounding = 1e-9;
  const double longest = progress.round_seconds - seconds(now - idle_since_);
  due_.clear();
  for (const PeerRounds& peer : peers_) {
    const double cycle = peer.round_seconds + seconds(exchange_);
    const double since = seconds(now - peer.last - exchange_);
    if (since >= kLate * cycle) continue;  // a late peer is assumed to have nothing to send
    const double due = cycle - since;
    if (due <= window * (1 + kRounding)) {
      ++progress.expected;
      progress.expected_seconds = std::max(progress.expected_seconds, due);
    }
    if (const double latest = kLate * cycle - since; latest <= longest) due_.push_back(latest);
  }
  std::sort(due_.begin(), due_.end());
  progress.due = due_;
}

namespace {

/// AAP §3, special cases: DS_i is infinite while r_i > r_min + c, and 0 otherwise.
Decision at_most_ahead(const WorkerProgress& progress, std::uint32_t bound) {
  const bool ahead = progress.round.value() > progress.slowest.value() + std::uint64_t{bound};
  return ahead ? Decision::suspend() : Decision::run();
}

constexpr std::array kSchedulers = {
    SchedulerInfo{Scheduler::DoWork, "do-work", "sweeps in place, a barrier and a vote after each"},
    SchedulerInfo{Scheduler::Bsp, "bsp", "supersteps: every read is of the previous superstep"},
    SchedulerInfo{Scheduler::Ap, "ap", "no barrier: a worker runs while it has work"},
    SchedulerInfo{Scheduler::Ssp, "ssp", "as ap, but no worker too far ahead of the slowest"},
    SchedulerInfo{Scheduler::Aap, "aap", "as ap, but workers wait for messages worth the delay"},
    SchedulerInfo{Scheduler::Hsync, "hsync",
                  "switches between bsp and ap, whichever does more work"},
    SchedulerInfo{Scheduler::AsyTick, "asytick", "as ap, but piece by piece, by priority"},
};

}  // namespace

bool in_step(const Schedule& schedule, Together together) {
  return schedule.model == Scheduler::DoWork || schedule.model == Scheduler::Bsp ||
         (schedule.model == Scheduler::Hsync && together == Together::Sync);
}

bool looks_at_rounds(const Schedule& schedule) {
  return schedule.rule || schedule.model == Scheduler::Ssp ||
         (schedule.model == Scheduler::Aap && schedule.bound.has_value());
}

std::span<const SchedulerInfo> schedulers() { return kSchedulers; }

std::string_view scheduler_name(Scheduler scheduler) {
  return kSchedulers[static_cast<std::size_t>(scheduler)].name;
}

namespace {

/// eta_i.
double gathered(const Schedule& schedule, const WorkerProgress& progress) {
  if (!schedule.counts_senders) return static_cast<double>(progress.staleness);
  return progress.staleness == 0 ? 0 : std::max(progress.senders, 1U);
}

/// False if a worker is the fastest and too far ahead of the slowest: not S(r_i, r_min, r_max).
bool may_run_ahead(const Schedule& schedule, const WorkerProgress& progress) {
  if (!schedule.bound) return true;
  return !(progress.round >= progress.fastest &&
           progress.round.value() > progress.slowest.value() + std::uint64_t{*schedule.bound});
}

/// The given L_bottom.
double given_target(const Schedule& schedule, const WorkerProgress& progress) {
  const bool holds = !schedule.least_rounds || progress.round.value() <= *schedule.least_rounds;
  return holds ? schedule.least_target : 0;
}

/// L_bottom. By the equation, fellows that are due are waited for while they are (`fellow_seconds`): L_bottom with their
/// number would not be reached if one has nothing to send.
double least_target(const Schedule& schedule, const WorkerProgress& progress) {
  const double given = given_target(schedule, progress);
  if (schedule.fixed_target || schedule.by_equation) return given;
  return std::max(given, static_cast<double>(progress.fast_senders));
}

/// How long a worker still waits for peers that may have nothing to send.
double left_of_silence(const WorkerProgress& progress) {
  return kSilence * progress.longest_seconds - progress.idle_seconds;
}

/// The same for a worker with fewer messages than the given L_bottom.
double left_for_least(const Schedule& schedule, const WorkerProgress& progress) {
  if (gathered(schedule, progress) >= given_target(schedule, progress)) return 0;
  return left_of_silence(progress);
}

/// How much later than necessary a round run now would be outdated: the share of `more` later messages among all, in
/// round times.
double stale_seconds(const Schedule& schedule, const WorkerProgress& progress, double more) {
  return more / (gathered(schedule, progress) + more) * progress.round_seconds;
}

/// T_L - T_idle. Missing messages are waited for until they are due by their senders' pace. Each arrival, and each due
/// time that passes without one, changes this estimate.
double left_to_wait(const Schedule& schedule, const WorkerProgress& progress,
                    const Target& target) {
  const double missing = target.messages - gathered(schedule, progress);
  const auto count = static_cast<std::size_t>(std::ceil(missing));
  if (count <= progress.due.size()) return progress.due[count - 1];
  return target.seconds - progress.idle_seconds;
}

/// What is expected within Delta t_i by the senders' paces.
Target target_by_pace(const Schedule& schedule, const WorkerProgress& progress) {
  const double least = least_target(schedule, progress);
  Target target{least, schedule.gather_fraction * progress.round_seconds};
  // Half of the gain is assumed to be lost, because a later message finds part of its work done.
  if (progress.expected > 0 &&
      stale_seconds(schedule, progress, progress.expected) / 2 > progress.expected_seconds)
    target = {std::max(gathered(schedule, progress) + progress.expected, least),
              progress.expected_seconds};
  return target;
}

/// What is expected within Delta t_i by the localized mean s_i, if it is above the average: max(eta_i, L_bottom) +
/// Delta t_i s_i. The paper's average is taken to be the worker's own over time: its Figure 12 has no wait while messages
/// arrive at near uniform speed.
std::optional<Target> target_by_rate(const Schedule& schedule, const WorkerProgress& progress) {
  const double gathering = schedule.gather_fraction * progress.round_seconds;  // Delta t_i
  const double more = gathering * progress.arrival_rate;
  const double average =
      schedule.by_equation ? progress.usual_arrival_rate : progress.mean_arrival_rate;
  const bool known = !schedule.by_equation || average > 0;
  if (!known || progress.arrival_rate <= average) return std::nullopt;
  const double eta = gathered(schedule, progress);
  const double messages = std::max(eta, least_target(schedule, progress)) + more;
  const double seconds = (messages - eta) / progress.arrival_rate;
  if (schedule.by_equation) return Target{messages, seconds, progress.arrival_rate};
  if (more < 1 || stale_seconds(schedule, progress, more) <= gathering) return std::nullopt;
  return Target{messages, std::min(seconds, gathering), progress.arrival_rate};
}

/// L_i of equation (1): L_bottom if messages do not arrive faster than on average.
Target target_of_equation(const Schedule& schedule, const WorkerProgress& progress) {
  if (const auto by_rate = target_by_rate(schedule, progress)) return *by_rate;
  const double least = least_target(schedule, progress);
  const double missing = std::max(least - gathered(schedule, progress), 0.0);
  const double rate = progress.arrival_rate;
  return {least, rate > 0 ? missing / rate : 0, rate};
}

void hold_for(double time, Decision& decision) {
  decision.next = NextRound::Hold;
  decision.hold =
      Duration(std::max<Duration::rep>(1, static_cast<Duration::rep>(time * 1e9 + 0.5)));
}

}  // namespace

Target aap_target(const Schedule& schedule, const WorkerProgress& progress) {
  if (schedule.by_equation) return target_of_equation(schedule, progress);
  if (progress.waits_in_vain) return {};
  const std::optional<Target> by_rate = target_by_rate(schedule, progress);
  return by_rate ? *by_rate : target_by_pace(schedule, progress);
}

namespace {

/// AAP §3, equation (1):
///   DS_i = infinite       if not S(r_i, r_min, r_max) or eta_i = 0
///          T_L - T_idle   if S and 1 <= eta_i < L_i,  with T_L = (L_i - eta_i) / s_i
///          0              if S and eta_i >= L_i
/// `left`: T_L - T_idle.
template <class Left>
Decision decide_by_target(const Schedule& schedule, const WorkerProgress& progress, Left&& left) {
  if (progress.staleness == 0) return Decision::suspend();
  Decision decision;
  decision.target = progress.target ? *progress.target : aap_target(schedule, progress);
  if (!may_run_ahead(schedule, progress)) {
    decision.next = NextRound::Suspend;
    return decision;
  }
  double wait = left_for_least(schedule, progress);
  if (gathered(schedule, progress) < decision.target->messages ||
      (schedule.by_equation && progress.fellow_seconds > 0))
    wait = std::max(wait, left(*decision.target));
  if (wait > 0) hold_for(wait, decision);
  return decision;
}

/// s_i is the rate when L_i was set: by the present one a worker that hears nothing more would wait ever longer. At the end
/// of a run the rate tends to 0, and T_L to infinity, so the wait ends with silence at the latest.
Decision decide_by_equation(const Schedule& schedule, const WorkerProgress& progress) {
  return decide_by_target(schedule, progress, [&](const Target& target) {
    if (progress.fellow_seconds > 0)
      return std::min(progress.fellow_seconds,
                      kInStep * progress.round_seconds - progress.idle_seconds);
    if (target.rate <= 0) return 0.0;
    const double left =
        (target.messages - gathered(schedule, progress)) / target.rate - progress.idle_seconds;
    return std::min(left, left_of_silence(progress));
  });
}

/// Equation (1) with waits for owed answers and for the messages that the senders' paces predict.
Decision decide_aap(const Schedule& schedule, const WorkerProgress& progress) {
  if (schedule.by_equation) return decide_by_equation(schedule, progress);
  Decision decision;
  // A round whose messages could not be sent should wait: more input arrives meanwhile.
  if (progress.must_await_answers) {
    decision.next = NextRound::Suspend;
    decision.target = progress.target;
    return decision;
  }
  if (progress.answers_seconds > 0) {
    decision.target = progress.target;
    hold_for(progress.answers_seconds, decision);
    return decision;
  }
  return decide_by_target(schedule, progress, [&](const Target& target) {
    return left_to_wait(schedule, progress, target);
  });
}

}  // namespace

Decision decide(const Schedule& schedule, const WorkerProgress& progress) {
  if (schedule.rule) return schedule.rule(progress);
  switch (schedule.model) {
    case Scheduler::DoWork:
    case Scheduler::Bsp:
      return at_most_ahead(progress, 0);
    case Scheduler::Ap:
    case Scheduler::AsyTick:
      return Decision::run();
    case Scheduler::Ssp:
      LEEWAY_CHECK(schedule.bound.has_value());
      return at_most_ahead(progress, *schedule.bound);
    case Scheduler::Aap:
      return decide_aap(schedule, progress);
    case Scheduler::Hsync:
      return progress.together == Together::Sync ? at_most_ahead(progress, 0) : Decision::run();
  }
  LEEWAY_UNREACHABLE(schedule.model);
}

}  // namespace leeway
