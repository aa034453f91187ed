#include "leeway/runtime/pie/worker_queue.h"

#include <algorithm>
#include <iterator>

namespace leeway::pie {

WorkerQueue::WorkerQueue(std::vector<WorkerSlot>& slots) : slots_(slots), entries_(slots.size()) {
  touch_all();
}

void WorkerQueue::take_out(std::uint32_t index) {
  Entry& entry = entries_[index];
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

void WorkerQueue::count(Entry& entry, const WorkerSlot& slot) {
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
  Entry& entry = entries_[index];
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
  Entry& entry = entries_[index];
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
