// A round of each of several workers of a node, on as many threads, and what is booked of it.
#include <algorithm>

#include "leeway/base/phase.h"
#include "leeway/runtime/pie/engine.h"

namespace leeway::pie {

void Engine::charge(WorkerSlot& slot, const RoundWork& round) {
  if (options_.round_times.empty()) {
    Work work = round.work;
    work.fetches += round.taken;
    work.stores += round.folded + round.sent;
    endpoint_.charge(work);
  } else {
    endpoint_.charge(options_.round_times[slot.id().index()]);
  }
}

/// A round of each, side by side where that is worth it: workers share nothing until their messages are delivered.
void Engine::rounds_of(std::span<WorkerSlot* const> slots) {
  rounds_.clear();
  for (WorkerSlot* const slot : slots) begin_round(*slot);
  const auto run = [this](std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < to; ++i) {
      RoundUnderWay& round = rounds_[i];
      const bool first = round.slot->statistics().rounds_run() == 0;
      round.record.begin = endpoint_.now();
      round.work = first ? round.slot->worker().peval() : round.slot->worker().inceval();
      round.record.end = endpoint_.now();
    }
  };
  const Instant begin = endpoint_.now();
  const bool apart = rounds_.size() > 1 && round_length_.worth_threads(rounds_.size());
  if (apart) {
    threads_.for_chunks(rounds_.size(), 1, run);
  } else {
    run(0, rounds_.size());
  }
  round_length_.took(rounds_.size(), endpoint_.now() - begin, apart);
  for (RoundUnderWay& round : rounds_) end_round(round);
}

void Engine::begin_round(WorkerSlot& slot) {
  RoundUnderWay& round = rounds_.emplace_back();
  round.slot = &slot;
  RoundRecord& record = round.record;
  record.worker = slot.id();
  record.round = slot.round();
  record.staleness = slot.worker().staleness();
  record.predicted_seconds = slot.predicted_seconds();
  record.target = slot.statistics().target();
  record.stretch_seconds = seconds(slot.statistics().stretch());
  if (options_.keep_rounds) {
    record.arrival_rate = slot.statistics().arrival_rate(endpoint_.now());
    record.slowest = slowest();
    record.fastest = fastest();
  }
  round.learns = forecaster_ != nullptr && slot.statistics().rounds_run() > 0;
  if (round.learns) forecaster_->begins(slot.worker());
}

void Engine::end_round(RoundUnderWay& round) {
  WorkerSlot& slot = *round.slot;
  RoundRecord& record = round.record;
  const Instant before = endpoint_.now();
  charge(slot, round.work);
  record.end += endpoint_.now() - before;  // where time is virtual, it passes here
  if (round.learns) forecaster_->took(slot.worker(), seconds(record.end - record.begin));
  record.taken = round.work.taken;
  record.sent = round.work.sent;
  record.residual = round.work.residual;
  record.vertices = round.work.work.vertices;
  record.edges = round.work.work.edges;
  record.iterates = round.work.iterates;
  slot.ran(record);
  queue_.touch(slot);
  if (endpoint_.self() == NodeId(0)) show_done(slot.statistics().rounds_run());
  if (slot.gives_up()) give_up();
  send_messages(slot);
  queue_.touch(slot);
  if (looks_at_rounds(options_.schedule)) tell_level();
  if (options_.exchange > Duration::zero() && together_ == Together::Async) {
    endpoint_.charge(options_.exchange);
    slot.statistics().exchanged(endpoint_.now());
  }
  outcome_.parameters += record.sent;
  outcome_.taken += record.taken;
  outcome_.vertices += record.vertices;
  outcome_.edges += record.edges;
  const Duration took = record.end - record.begin;
  outcome_.computing += took;
  phase_slowest_ = std::max(phase_slowest_, took);
  phase_sum_ += took;
  ++phase_rounds_;
  phase_useful_ += record.sent;
  if (options_.keep_rounds) outcome_.records.push_back(record);
}

}  // namespace leeway::pie
