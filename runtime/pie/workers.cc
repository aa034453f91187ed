#include "runtime/pie/workers.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <utility>

#include "base/check.h"

namespace leeway::pie {

void WorkerSlot::save(ByteWriter& out) const {
  statistics_.save(out);
  worker_->save(out);
}

bool WorkerSlot::restore(ByteReader& in) {
  statistics_.load(in);
  return worker_->restore(in);
}

void WorkerSlot::pack(ByteWriter& out) {
  const Fragment& fragment = worker_->fragment();
  const Routes& routes = worker_->routes();
  std::uint64_t copies = 0;
  for (Place p = 0; p < fragment.inner_count(); ++p) copies += routes.of(p).size();
  out.varint(copies);
  for (Place p = 0; p < fragment.inner_count(); ++p) {
    for (const Elsewhere& copy : routes.of(p)) {
      out.varint(p);
      out.varint(copy.fragment.value());
      out.varint(copy.place);
    }
  }
  statistics_.save_run(out);
  save_all(out, iterations_, stall_, waits_for_answers_, longest_wait_, longest_round_);
  worker_->save(out);
}

void WorkerSlot::unpack(ByteReader& in, Instant now) {
  const Place inner = worker_->fragment().inner_count();
  Routes& routes = worker_->routes();
  for (std::uint64_t left = in.varint_up_to(in.left()); left > 0 && !in.failed(); --left) {
    const std::uint64_t place = in.varint();
    const PartId fragment(static_cast<std::uint32_t>(in.varint()));
    const auto copy = static_cast<Place>(in.varint());
    if (place >= inner || fragment.index() >= options_->nodes_of.size()) return in.fail();
    routes.announce(static_cast<Place>(place), {fragment, copy});
  }
  routes.settle();
  statistics_.load_run(in);
  statistics_.begin(now);
  load_all(in, iterations_, stall_, waits_for_answers_, longest_wait_, longest_round_);
  round_ended_ = now;
  (void)worker_->restore(in);
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

bool WorkerSlot::reached_limit() const {
  const bool ran_out = options_->most_rounds.has_value() &&
                       statistics_.rounds_of_this_run() >= *options_->most_rounds;
  return ran_out || stall_.rounds() >= options_->patience;
}

/// Peers that owe an answer are about to send. In lockstep an answer is worth any finite wait: four times the longest
/// time that answers have taken so far, plus the length of a hiccup of a network or machine. Otherwise, the time of a
/// round.
double WorkerSlot::left_for_answers(Instant now, const WorkerProgress& progress) {
  constexpr int kTimesLongest = 4;
  constexpr Duration kHiccup = std::chrono::milliseconds(200);
  constexpr Duration kFirst = std::chrono::minutes(1);  // before any answer has arrived
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
                             : kHiccup + kTimesLongest * std::max(longest_wait_, longest_round_);
  return seconds(round_ended_ + limit - now);
}

double WorkerSlot::predicted_seconds() const {
  if (forecast_) return *forecast_;
  if (!options_->round_times.empty()) return seconds(options_->round_times[id_.index()]);
  return statistics_.predicted_seconds(worker_->pending());
}

WorkerProgress WorkerSlot::progress(Instant now, bool senders) {
  return statistics_.progress(now, worker_->staleness(), predicted_seconds(), senders);
}

WorkerQueue::WorkerQueue(std::vector<WorkerSlot>& slots) : slots_(slots) { restart(); }

void WorkerQueue::restart() {
  entries_.assign(slots_.size(), {});
  to_decide_.clear();
  runs_.clear();
  looks_.clear();
  untils_.clear();
  to_send_kept_.clear();
  active_rounds_.clear();
  keeping_ = 0;
  fastest_ = Round(0);
  touch_all();
}

void WorkerQueue::remove(std::uint32_t index) {
  QueuedWorker& entry = entries_[index];
  switch (entry.state) {
    case QueueState::None:
      break;
    case QueueState::ToDecide:
      to_decide_.erase({entry.round, index});
      break;
    case QueueState::Runs:
      runs_.erase({entry.round, index});
      break;
    case QueueState::Holds:
      looks_.erase({entry.look, index});
      untils_.erase({entry.until, index});
      break;
  }
  entry.state = QueueState::None;
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
      entry.active ? entry.state == QueueState::ToDecide : !entry.keeps || entry.may_send_kept;
  if (same && listed) return;
  remove(index);
  if (!same) count(entry, slot);
  if (entry.may_send_kept) to_send_kept_.erase(index);
  entry.may_send_kept = !entry.active && entry.keeps;
  if (entry.may_send_kept) to_send_kept_.insert(index);
  if (!entry.active) return;
  entry.state = QueueState::ToDecide;
  to_decide_.insert({entry.round, index});
}

void WorkerQueue::touch_all() {
  for (const WorkerSlot& slot : slots_) touch(slot);
}

void WorkerQueue::wake(Instant now) {
  while (!looks_.empty() && looks_.begin()->first <= now) touch(slots_[looks_.begin()->second]);
}

void WorkerQueue::update_rounds(Round slowest, Round fastest) {
  if (slowest == slowest_seen_ && fastest == fastest_seen_) return;
  slowest_seen_ = slowest;
  fastest_seen_ = fastest;
  touch_all();
}

WorkerSlot* WorkerQueue::next_to_decide(std::size_t enough) {
  if (to_decide_.empty()) return nullptr;
  const auto first = *to_decide_.begin();
  if (enough <= runs_.size() &&
      (enough == 0 || *std::next(runs_.begin(), static_cast<std::ptrdiff_t>(enough - 1)) < first))
    return nullptr;
  return &slots_[first.second];
}

void WorkerQueue::decided(const WorkerSlot& slot, NextRound next, Instant look, Instant until) {
  const std::uint32_t index = index_of(slot);
  QueuedWorker& entry = entries_[index];
  remove(index);
  if (next == NextRound::Run) {
    entry.state = QueueState::Runs;
    runs_.insert({entry.round, index});
  } else if (next == NextRound::Hold) {
    entry.state = QueueState::Holds;
    entry.look = look;
    entry.until = until;
    looks_.insert({look, index});
    untils_.insert({until, index});
  }
}

WorkerSlot* WorkerQueue::next_to_send_kept() {
  if (to_send_kept_.empty()) return nullptr;
  const std::uint32_t index = *to_send_kept_.begin();
  to_send_kept_.erase(to_send_kept_.begin());
  entries_[index].may_send_kept = false;
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
