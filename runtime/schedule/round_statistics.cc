#include "leeway/runtime/schedule/round_statistics.h"

#include <algorithm>
#include <cmath>

namespace leeway {

namespace {

constexpr double kFast = 0.5;     // of one's own time: a peer whose rounds take no more is fast
constexpr double kSilence = 2.5;  // rounds without a word, after which a peer counts as inactive
constexpr double kNewest = 0.5;   // weight of the last round in the running mean
constexpr double kLate = 1.1;     // rounds after which a peer's message is late

}  // namespace

double ArrivalRate::rate(Instant from, Instant now) {
  while (!arrivals_.empty() && arrivals_.front() < from) arrivals_.pop_front();
  const double span = seconds(now - from);
  return span <= 0 ? 0 : static_cast<double>(arrivals_.size()) / span;
}

void RoundStatistics::arrived(Instant at, const RoundNews& from) {
  if (!waits_since_message_) {
    waits_since_message_ = true;
    idle_since_ = std::max(idle_since_, at);  // before that there was nothing to run with
  }
  arrivals_.arrived(at);
  const auto [found, fresh] =
      peer_at_.try_emplace(from.worker, static_cast<std::uint32_t>(peers_.size()));
  if (fresh) peers_.emplace_back();
  peers_[found->second] = {from.sent, from.round_seconds, from.arrival_rate};
  if (rounds_run_ == 1) guess_first(from);
}

/// After its first round a worker does not know how long the later ones take. A peer that has run some tells
/// how its own compare with its first.
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
  target_.reset();
  stretch_ = Duration::zero();
}

/// Rounds that take about the same are predicted by their mean; bounded ones, by how much they take in.
void RoundStatistics::learn(double took, std::uint64_t taken) {
  const auto parameters = static_cast<double>(taken);
  const auto mix = [](double old, double now) { return kNewest * now + (1 - kNewest) * old; };
  if (rounds_run_ > 2 && took > 0) {
    const auto error = [took](double told) { return std::abs(told - took) / std::max(told, took); };
    mean_error_ = mix(mean_error_, error(predicted_));
    parameter_error_ = mix(parameter_error_, error(per_parameter_ * parameters));
  }
  // Later rounds' times say nothing of the first's, which runs once.
  predicted_ = rounds_run_ == 1 ? 0 : rounds_run_ == 2 ? took : mix(predicted_, took);
  longest_ = std::max(longest_, took);
  if (rounds_run_ > 1 && taken > 0)
    per_parameter_ =
        per_parameter_ == 0 ? took / parameters : mix(per_parameter_, took / parameters);
}

double RoundStatistics::predicted_seconds(std::uint64_t pending) const {
  // Where rounds are bounded most of them are small, so the mean has to be clearly better.
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
  progress.round_seconds = round_seconds;
  progress.arrival_rate = arrival_rate(now);
  if (senders) look_at_senders(now, progress);
  progress.idle_seconds = seconds(now - idle_since_);
  progress.target = target_;
  return progress;
}

void RoundStatistics::look_at_senders(Instant now, WorkerProgress& progress) const {
  double sum = progress.arrival_rate;
  for (const Peer& peer : peers_) {
    sum += peer.arrival_rate;
    const bool heard =
        seconds(now - peer.last) <= kSilence * std::max(peer.round_seconds, predicted_);
    progress.senders += heard ? 1 : 0;
    if (heard && peer.round_seconds <= kFast * predicted_) ++progress.fast_senders;
  }
  progress.mean_arrival_rate = sum / static_cast<double>(peers_.size() + 1);
}

RoundNews RoundStatistics::told(PartId id, Instant now) {
  return {.worker = id,
          .round = round_,
          .round_seconds = rounds_run_ == 1 ? first_seconds_ : predicted_,
          .arrival_rate = arrival_rate(now),
          .first_seconds = first_seconds_,
          .sent = now};
}

void RoundStatistics::expect(Instant now, double window, WorkerProgress& progress) {
  constexpr double kRounding = 1e-9;
  const double longest = progress.round_seconds - seconds(now - idle_since_);
  due_.clear();
  for (const Peer& peer : peers_) {
    const double cycle = peer.round_seconds + seconds(exchange_);
    const double since = seconds(now - peer.last - exchange_);
    if (since >= kLate * cycle) continue;  // a late peer is taken to have nothing to say
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

}  // namespace leeway
