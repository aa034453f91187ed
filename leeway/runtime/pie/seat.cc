#include "leeway/runtime/pie/seat.h"

#include <algorithm>

namespace leeway::pie {

namespace {

constexpr double kAsFast = 1.25;  // a peer this much slower still counts as no slower
constexpr double kSilence = 2.5;  // rounds without a word, after which a peer counts as inactive
constexpr double kNewest = 0.5;   // weight of the last round in the running mean

}  // namespace

double ArrivalRate::rate(Instant from, Instant now) {
  while (!arrivals_.empty() && arrivals_.front() < from) arrivals_.pop_front();
  const double span = seconds(now - from);
  return span <= 0 ? 0 : static_cast<double>(arrivals_.size()) / span;
}

void Seat::arrived(Instant at, const Sender& from) {
  arrivals_.arrived(at);
  peers_[from.worker] = {at, from.round_seconds, from.arrival_rate};
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
    if (heard && peer.round_seconds <= kAsFast * predicted_) ++progress.fast_senders;
  }
  progress.mean_arrival_rate = sum / static_cast<double>(peers_.size() + 1);
  progress.workers = worker_->fragment().fragment_count();
  progress.idle_seconds = seconds(now - idle_since_);
  progress.target = target_;
  return progress;
}

}  // namespace leeway::pie
