#include "leeway/runtime/pie/seat.h"

#include <algorithm>

namespace leeway::pie {

namespace {

constexpr double kFast = 0.5;     // of one's own time: a peer whose rounds take no more is fast
constexpr double kSilence = 2.5;  // rounds without a word, after which a peer counts as inactive
constexpr double kNewest = 0.5;   // weight of the last round in the running mean

}  // namespace

double ArrivalRate::rate(Instant from, Instant now) {
  while (!arrivals_.empty() && arrivals_.front() < from) arrivals_.pop_front();
  const double span = seconds(now - from);
  return span <= 0 ? 0 : static_cast<double>(arrivals_.size()) / span;
}

void Seat::arrived(Instant at, const Sender& from) {
  if (!waits_since_message_) {
    waits_since_message_ = true;
    idle_since_ = std::max(idle_since_, at);  // before that there was nothing to run with
  }
  arrivals_.arrived(at);
  peers_[from.worker] = {from.sent, from.round_seconds, from.arrival_rate};
}

void Seat::ran(const RoundRecord& record) {
  ++rounds_run_;
  round_ = round_.next();
  const double took = seconds(record.end - record.begin);
  computing_ += record.end - record.begin;
  // IncEval's times say nothing of PEval's, which runs once.
  predicted_ = rounds_run_ <= 2 ? took : kNewest * took + (1 - kNewest) * predicted_;
  window_from_ = last_begin_;
  last_begin_ = record.begin;
  idle_since_ = record.end;
  waits_since_message_ = false;
  target_.reset();
  stretch_ = Duration::zero();
}

WorkerProgress Seat::progress(Instant now) {
  WorkerProgress progress;
  progress.round = round_;
  progress.staleness = worker_->staleness();
  progress.round_seconds = predicted_;
  const Instant from =
      options_.rate_window > Duration::zero() ? now - options_.rate_window : window_from_;
  progress.arrival_rate = arrivals_.rate(from, now);
  double sum = progress.arrival_rate;
  for (const auto& [id, peer] : peers_) {
    sum += peer.arrival_rate;
    const bool heard =
        seconds(now - peer.last) <= kSilence * std::max(peer.round_seconds, predicted_);
    if (heard && peer.round_seconds <= kFast * predicted_) ++progress.fast_senders;
  }
  progress.mean_arrival_rate = sum / static_cast<double>(peers_.size() + 1);
  progress.idle_seconds = seconds(now - idle_since_);
  progress.target = target_;
  return progress;
}

void Seat::expect(Instant now, double window, WorkerProgress& progress) const {
  constexpr double kRounding = 1e-9;
  for (const auto& [id, peer] : peers_) {
    const double cycle = peer.round_seconds + seconds(options_.exchange);
    double due = cycle - seconds(now - peer.last);
    if (due < -window) continue;  // whoever is this late has nothing to say
    if (due <= 0) due = window;   // late, but may still come
    if (due > window * (1 + kRounding)) continue;
    ++progress.expected;
    progress.expected_seconds = std::max(progress.expected_seconds, due);
  }
}

}  // namespace leeway::pie
