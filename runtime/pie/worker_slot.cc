#include "leeway/runtime/pie/worker_slot.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace leeway::pie {

void WorkerSlot::arrived(Instant at, const RoundNews& from) {
  forecast_.reset();
  statistics_.arrived(at, from);
}

void WorkerSlot::ran(const RoundRecord& record) {
  forecast_.reset();
  statistics_.ran(record.begin, record.end, record.taken);
  round_ended_ = record.end;
  waits_for_answers_ = false;
  longest_round_ = std::max(longest_round_, record.end - record.begin);
  iterations_ += record.iterates ? 1 : 0;
  if (!worker_->always_rests() && (record.sent > 0 || worker_->unfinished()))
    stall_.count(stall_.nearer(record.sent, record.residual));
}

bool WorkerSlot::gives_up() const {
  const bool ran_out =
      options_.most_rounds.has_value() && statistics_.rounds_run() >= *options_.most_rounds;
  return ran_out || stall_.rounds() >= options_.patience;
}

/// Peers that owe an answer are about to send. In lockstep what they say is worth any wait that may end: as long as
/// answers have ever taken, four times over, and what a network's or a machine's hiccup takes. Elsewhere, the time of a
/// round.
double WorkerSlot::left_for_answers(Instant now, const WorkerProgress& progress) {
  constexpr int kPatience = 4;
  constexpr Duration kHiccup = std::chrono::milliseconds(200);
  constexpr Duration kFirst = std::chrono::minutes(1);  // before anything is known
  if (worker_->answered()) {
    if (std::exchange(waits_for_answers_, false))
      longest_wait_ = std::max(longest_wait_, now - round_ended_);
    return 0;
  }
  waits_for_answers_ = true;
  if (progress.waits_in_vain) return 0;
  if (!worker_->in_lockstep()) return progress.round_seconds - progress.idle_seconds;
  const Duration limit = longest_wait_ == Duration::zero()
                             ? kFirst
                             : kHiccup + kPatience * std::max(longest_wait_, longest_round_);
  return seconds(round_ended_ + limit - now);
}

double WorkerSlot::predicted_seconds() const {
  if (forecast_) return *forecast_;
  if (!options_.round_times.empty()) return seconds(options_.round_times[id_.index()]);
  return statistics_.predicted_seconds(worker_->pending());
}

WorkerProgress WorkerSlot::progress(Instant now, bool senders) {
  return statistics_.progress(now, worker_->staleness(), predicted_seconds(), senders);
}

}  // namespace leeway::pie
