// AAP §3, equation (1):
//   DS_i = infinite       if not S(r_i, r_min, r_max) or eta_i = 0
//          T_L - T_idle   if S and 1 <= eta_i < L_i,  with T_L = (L_i - eta_i) / s_i
//          0              if S and eta_i >= L_i
#include <algorithm>
#include <cmath>

#include "leeway/runtime/schedule/schedule.h"

namespace leeway {

namespace {

/// The predicate S: a worker is the fastest, and too far ahead of the slowest.
bool may_go_on(const Schedule& schedule, const WorkerProgress& progress) {
  if (!schedule.bound) return true;
  return !(progress.round >= progress.fastest &&
           progress.round.value() > progress.slowest.value() + std::uint64_t{*schedule.bound});
}

double least_target(const Schedule& schedule, const WorkerProgress& progress) {
  if (schedule.fixed_target) return schedule.least_target;
  return std::max(schedule.least_target, static_cast<double>(progress.fast_senders));
}

/// A round run at once is stale by as much as what `more` messages will be of all.
double stale_seconds(const WorkerProgress& progress, double more) {
  return more / (static_cast<double>(progress.staleness) + more) * progress.round_seconds;
}

/// T_L - T_idle. What is missing is waited for as long as its senders' pace says that it comes: a message
/// that has come, or has not, changes what is said.
double left_to_wait(const WorkerProgress& progress, const Target& target) {
  const double missing = target.messages - static_cast<double>(progress.staleness);
  const auto count = static_cast<std::size_t>(std::ceil(missing));
  if (count <= progress.due.size()) return progress.due[count - 1];
  return target.seconds - progress.idle_seconds;
}

/// What the paces of senders, or the rate of arrivals, promise within Delta t_i.
Target promised(const Schedule& schedule, const WorkerProgress& progress) {
  const double least = least_target(schedule, progress);
  const auto staleness = static_cast<double>(progress.staleness);
  const double gathering = schedule.gather_fraction * progress.round_seconds;  // Delta t_i
  Target target{least, 0};
  if (progress.expected > 0) {
    // Half of that is taken to be lost, for a message that comes later finds part of its work done.
    if (stale_seconds(progress, progress.expected) / 2 > progress.expected_seconds)
      target = {std::max(staleness + progress.expected, least), progress.expected_seconds};
    if (target.messages == least) target.seconds = gathering;
    return target;
  }
  const double more = gathering * progress.arrival_rate;
  if (progress.arrival_rate > progress.mean_arrival_rate && more >= 1 &&
      stale_seconds(progress, more) > gathering)
    target.messages = std::max(staleness, least) + more;
  if (target.messages > staleness && progress.arrival_rate > 0)
    target.seconds = (target.messages - staleness) / progress.arrival_rate;
  target.seconds = std::min(target.seconds, gathering);
  return target;
}

/// Where messages come faster than rounds pass, one from each active sender: whoever is as fast then runs in
/// step with his like, and nobody sends the others every little change that one message brings.
Target one_from_each(const WorkerProgress& progress) {
  constexpr double kMany = 3;     // messages in the time of a round
  constexpr double kLongest = 3;  // rounds
  const double rate = progress.arrival_rate;
  if (rate * progress.round_seconds < kMany) return {};
  const auto missing =
      static_cast<double>(progress.senders) - static_cast<double>(progress.staleness);
  if (missing <= 0) return {};
  return {static_cast<double>(progress.senders),
          std::min(missing / rate, kLongest * progress.round_seconds)};
}

void hold_for(double time, Decision& decision) {
  decision.next = NextRound::Hold;
  decision.hold =
      Duration(std::max<Duration::rep>(1, static_cast<Duration::rep>(time * 1e9 + 0.5)));
}

}  // namespace

Target aap_target(const Schedule& schedule, const WorkerProgress& progress) {
  if (progress.waits_in_vain) return {};
  const Target target = promised(schedule, progress);
  if (schedule.fixed_target) return target;
  const Target all = one_from_each(progress);
  return all.messages > target.messages ? all : target;
}

Decision decide_aap(const Schedule& schedule, const WorkerProgress& progress) {
  Decision decision;
  // A round that could not send what it makes had better wait: more comes in until then.
  if (progress.must_hear_first) {
    decision.next = NextRound::Suspend;
    decision.target = progress.target;
    return decision;
  }
  if (progress.answers_seconds > 0) {
    decision.target = progress.target;
    hold_for(progress.answers_seconds, decision);
    return decision;
  }
  if (progress.staleness == 0) return Decision::suspend();
  decision.target = progress.target ? *progress.target : aap_target(schedule, progress);
  if (!may_go_on(schedule, progress)) {
    decision.next = NextRound::Suspend;
    return decision;
  }
  if (static_cast<double>(progress.staleness) >= decision.target->messages) return decision;
  if (const double left = left_to_wait(progress, *decision.target); left > 0)
    hold_for(left, decision);
  return decision;
}

}  // namespace leeway
