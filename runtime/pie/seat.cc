#include "leeway/runtime/pie/seat.h"

#include <algorithm>
#include <cmath>

namespace leeway::pie {

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

void Seat::arrived(Instant at, const Sender& from) {
  forecast_.reset();
  if (!waits_since_message_) {
    waits_since_message_ = true;
    idle_since_ = std::max(idle_since_, at);  // before that there was nothing to run with
  }
  arrivals_.arrived(at);
  peers_[from.worker] = {from.sent, from.round_seconds, from.arrival_rate};
  if (rounds_run_ == 1) guess_first(from);
}

/// A worker that has run nothing but PEval does not know how long IncEval takes; whoever has sends how his
/// go beside his PEval.
void Seat::guess_first(const Sender& from) {
  if (from.round.value() < 2 || from.first_seconds <= 0) return;
  const double guess = first_seconds_ * std::min(from.round_seconds / from.first_seconds, 1.0);
  ++guesses_;
  predicted_ += (guess - predicted_) / guesses_;
}

void Seat::ran(const RoundRecord& record) {
  forecast_.reset();
  ++rounds_run_;
  round_ = round_.next();
  const double took = seconds(record.end - record.begin);
  computing_ += record.end - record.begin;
  if (rounds_run_ == 1) {
    first_seconds_ = took;
  }
  learn(record, took);
  window_from_ = last_begin_;
  last_begin_ = record.begin;
  idle_since_ = record.end;
  waits_since_message_ = false;
  target_.reset();
  stretch_ = Duration::zero();
}

/// Rounds that take about the same are told by their mean; bounded ones, by how much they are given.
void Seat::learn(const RoundRecord& record, double took) {
  const auto taken = static_cast<double>(record.taken);
  const auto mix = [](double old, double now) { return kNewest * now + (1 - kNewest) * old; };
  if (rounds_run_ > 2 && took > 0) {
    const auto error = [took](double told) { return std::abs(told - took) / std::max(told, took); };
    mean_error_ = mix(mean_error_, error(predicted_));
    parameter_error_ = mix(parameter_error_, error(per_parameter_ * taken));
  }
  // IncEval's times say nothing of PEval's, which runs once.
  predicted_ = rounds_run_ == 1 ? 0 : rounds_run_ == 2 ? took : mix(predicted_, took);
  longest_ = std::max(longest_, took);
  if (rounds_run_ > 1 && taken > 0)
    per_parameter_ = per_parameter_ == 0 ? took / taken : mix(per_parameter_, took / taken);
}

double Seat::predicted_seconds() const {
  if (forecast_) return *forecast_;
  if (!options_.round_times.empty()) return seconds(options_.round_times[id_.index()]);
  // Where IncEval is bounded most rounds are small, so the mean has to be clearly better.
  if (per_parameter_ == 0 || 2 * mean_error_ < parameter_error_) return predicted_;
  return std::min(per_parameter_ * static_cast<double>(worker_->pending()), longest_);
}

WorkerProgress Seat::progress(Instant now) {
  WorkerProgress progress;
  progress.round = round_;
  progress.staleness = worker_->staleness();
  progress.round_seconds = predicted_seconds();
  const Instant from =
      options_.rate_window > Duration::zero() ? now - options_.rate_window : window_from_;
  progress.arrival_rate = arrivals_.rate(from, now);
  double sum = progress.arrival_rate;
  for (const auto& [id, peer] : peers_) {
    sum += peer.arrival_rate;
    const bool heard =
        seconds(now - peer.last) <= kSilence * std::max(peer.round_seconds, predicted_);
    progress.senders += heard ? 1 : 0;
    if (heard && peer.round_seconds <= kFast * predicted_) ++progress.fast_senders;
  }
  progress.mean_arrival_rate = sum / static_cast<double>(peers_.size() + 1);
  progress.idle_seconds = seconds(now - idle_since_);
  progress.target = target_;
  return progress;
}

Sender Seat::told(Instant now) {
  return {.worker = id_,
          .round = round_,
          .round_seconds = rounds_run_ == 1 ? first_seconds_ : predicted_,
          .arrival_rate = progress(now).arrival_rate,
          .first_seconds = first_seconds_,
          .sent = now};
}

void Seat::expect(Instant now, double window, WorkerProgress& progress) {
  constexpr double kRounding = 1e-9;
  const double longest = progress.round_seconds - seconds(now - idle_since_);
  due_.clear();
  for (const auto& [id, peer] : peers_) {
    const double cycle = peer.round_seconds + seconds(options_.exchange);
    const double since = seconds(now - peer.last - options_.exchange);
    if (since >= kLate * cycle) continue;  // whoever is late has nothing to say
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

}  // namespace leeway::pie
