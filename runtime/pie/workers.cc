#include "runtime/pie/workers.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <utility>

#include "base/check.h"

namespace leeway::pie {

TerminationDetector::DetectorStep TerminationDetector::inactive(NodeId node,
                                                                const MessageCounts& counts) {
  nodes_[node.index()] = {true, counts};
  return consider();
}

TerminationDetector::DetectorStep TerminationDetector::answer(NodeId node, bool ack,
                                                              const MessageCounts& counts) {
  LEEWAY_CHECK(open());
  Flag& flag = nodes_[node.index()];
  if (!ack || !(flag.inactive && flag.counts == counts)) refused_ = true;
  flag = {ack, counts};
  if (--missing_ > 0) return DetectorStep::None;
  if (!refused_) return DetectorStep::Over;
  return consider();
}

void TerminationDetector::forget() {
  std::fill(nodes_.begin(), nodes_.end(), Flag());
  ++attempt_;
  missing_ = 0;
  refused_ = false;
}

TerminationDetector::DetectorStep TerminationDetector::consider() {
  if (missing_ > 0) {
    refused_ = true;  // a node was active again since it was asked
    return DetectorStep::None;
  }
  MessageCounts all;
  for (const Flag& flag : nodes_) {
    if (!flag.inactive) return DetectorStep::None;
    all.sent += flag.counts.sent;
    all.handled += flag.counts.handled;
  }
  if (all.sent != all.handled) return DetectorStep::None;  // whoever gets the rest will speak up
  ++attempt_;
  missing_ = static_cast<std::uint32_t>(nodes_.size());
  refused_ = false;
  return DetectorStep::Terminate;
}

std::vector<NodeId> balanced_nodes_of(std::span<const NodeId> nodes_of,
                                      std::span<const Duration> times, std::uint32_t nodes) {
  LEEWAY_CHECK(nodes_of.size() == times.size());
  std::vector<NodeId> places(nodes_of.begin(), nodes_of.end());
  std::vector<Duration> loads(nodes, Duration::zero());
  for (std::size_t i = 0; i < places.size(); ++i) loads[places[i].index()] += times[i];
  // Each move lowers the sum of squared loads, so there is an end; no worker needs to move twice.
  for (std::size_t moves = 0; moves < places.size(); ++moves) {
    const auto [least, most] = std::minmax_element(loads.begin(), loads.end());
    std::size_t best = places.size();
    Duration lowest = *most;
    for (std::size_t i = 0; i < places.size(); ++i) {
      if (places[i].index() != static_cast<std::size_t>(most - loads.begin())) continue;
      const Duration higher = std::max(*most - times[i], *least + times[i]);
      if (higher >= lowest) continue;
      lowest = higher;
      best = i;
    }
    if (best == places.size()) break;
    *most -= times[best];
    *least += times[best];
    places[best] = NodeId(static_cast<std::uint32_t>(least - loads.begin()));
  }
  return places;
}

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

WorkerQueue::WorkerQueue(std::vector<WorkerSlot>& slots) : slots_(slots), entries_(slots.size()) {
  touch_all();
}

void WorkerQueue::take_out(std::uint32_t index) {
  QueuedWorker& entry = entries_[index];
  switch (entry.stands) {
    case Stands::Nowhere:
      break;
    case Stands::Asked:
      to_ask_.erase({entry.round, index});
      break;
    case Stands::Runs:
      runs_.erase({entry.round, index});
      break;
    case Stands::Holds:
      looks_.erase({entry.look, index});
      untils_.erase({entry.until, index});
      break;
  }
  entry.stands = Stands::Nowhere;
}

void WorkerQueue::count(QueuedWorker& entry, const WorkerSlot& slot) {
  if (entry.active) {
    const auto found = active_rounds_.find(entry.round);
    if (--found->second == 0) active_rounds_.erase(found);
  }
  keeping_ -= entry.keeps ? 1 : 0;
  entry.active = slot.active();
  entry.keeps = slot.worker().keeps();
  entry.round = slot.round();
  if (entry.active) ++active_rounds_[entry.round];
  keeping_ += entry.keeps ? 1 : 0;
  fastest_ = std::max(fastest_, entry.round);
}

void WorkerQueue::touch(const WorkerSlot& slot) {
  const std::uint32_t index = index_of(slot);
  QueuedWorker& entry = entries_[index];
  const bool same = entry.active == slot.active() && entry.keeps == slot.worker().keeps() &&
                    entry.round == slot.round();
  const bool listed =
      entry.active ? entry.stands == Stands::Asked : !entry.keeps || entry.may_speak;
  if (same && listed) return;
  take_out(index);
  if (!same) count(entry, slot);
  if (entry.may_speak) to_speak_.erase(index);
  entry.may_speak = !entry.active && entry.keeps;
  if (entry.may_speak) to_speak_.insert(index);
  if (!entry.active) return;
  entry.stands = Stands::Asked;
  to_ask_.insert({entry.round, index});
}

void WorkerQueue::touch_all() {
  for (const WorkerSlot& slot : slots_) touch(slot);
}

void WorkerQueue::wake(Instant now) {
  while (!looks_.empty() && looks_.begin()->first <= now) touch(slots_[looks_.begin()->second]);
}

void WorkerQueue::rounds_are(Round slowest, Round fastest) {
  if (slowest == slowest_seen_ && fastest == fastest_seen_) return;
  slowest_seen_ = slowest;
  fastest_seen_ = fastest;
  touch_all();
}

WorkerSlot* WorkerQueue::next_to_ask(std::size_t enough) {
  if (to_ask_.empty()) return nullptr;
  const auto first = *to_ask_.begin();
  if (enough <= runs_.size() &&
      (enough == 0 || *std::next(runs_.begin(), static_cast<std::ptrdiff_t>(enough - 1)) < first))
    return nullptr;
  return &slots_[first.second];
}

void WorkerQueue::decided(const WorkerSlot& slot, NextRound next, Instant look, Instant until) {
  const std::uint32_t index = index_of(slot);
  QueuedWorker& entry = entries_[index];
  take_out(index);
  if (next == NextRound::Run) {
    entry.stands = Stands::Runs;
    runs_.insert({entry.round, index});
  } else if (next == NextRound::Hold) {
    entry.stands = Stands::Holds;
    entry.look = look;
    entry.until = until;
    looks_.insert({look, index});
    untils_.insert({until, index});
  }
}

WorkerSlot* WorkerQueue::next_to_speak() {
  if (to_speak_.empty()) return nullptr;
  const std::uint32_t index = *to_speak_.begin();
  to_speak_.erase(to_speak_.begin());
  entries_[index].may_speak = false;
  return &slots_[index];
}

void WorkerQueue::runnable(std::size_t most, std::vector<WorkerSlot*>& into) {
  into.clear();
  for (auto next = runs_.begin(); next != runs_.end() && into.size() < most; ++next)
    into.push_back(&slots_[next->second]);
}

std::optional<Instant> WorkerQueue::deadline() const {
  if (untils_.empty()) return std::nullopt;
  return untils_.begin()->first;
}

}  // namespace leeway::pie
