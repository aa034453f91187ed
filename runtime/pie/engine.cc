#include "leeway/runtime/pie/engine.h"

#include <algorithm>
#include <limits>

#include "leeway/base/check.h"

namespace leeway::pie {

namespace {

constexpr std::uint32_t kNowhere = std::numeric_limits<std::uint32_t>::max();
constexpr double kApartRounds = 4;   // of the slowest worker, before Hsync looks again
constexpr double kAnswerRounds = 1;  // that an AAP worker waits for peers that owe it an answer

}  // namespace

Engine::Engine(Post& post, std::vector<WorkerSlot>& slots, const EngineOptions& options)
    : post_(post),
      slots_(slots),
      options_(options),
      slot_index_(options.nodes_of.size(), kNowhere),
      levels_(post.node_count()),
      outgoing_(post.node_count()),
      ending_(post.node_count()),
      ahead_by_(post.node_count(), options.one_clock ? Duration::zero() : Duration::max()) {
  for (std::uint32_t i = 0; i < slots_.size(); ++i) {
    LEEWAY_CHECK(options.nodes_of[slots_[i].id().index()] == post.self());
    slot_index_[slots_[i].id().index()] = i;
  }
  if (options.forecaster) forecaster_ = options.forecaster();
  if (options.schedule.model != Scheduler::Hsync && !in_step(options.schedule, Together::Sync))
    together_ = Together::Async;
  // Before anything is received: a fast peer's first message may come while this node announces its copies, and
  // one that is not counted is never answered.
  for (WorkerSlot& slot : slots_) slot.worker().pace(together_ == Together::Async);
}

WorkerSlot* Engine::slot_of(PartId worker) {
  if (worker.value() >= slot_index_.size()) return nullptr;
  const std::uint32_t index = slot_index_[worker.index()];
  return index == kNowhere ? nullptr : &slots_[index];
}

NodeOutcome Engine::run() {
  outcome_.begin = post_.now();
  phase_began_ = outcome_.begin;
  for (WorkerSlot& slot : slots_) {
    slot.statistics().begin(outcome_.begin);
  }
  while (!over_) {
    if (together_ == Together::Sync) {
      run_in_step();
    } else {
      run_apart();
    }
  }
  outcome_.end = post_.now();
  outcome_.converged = !given_up_;
  for (WorkerSlot& slot : slots_) {
    outcome_.worker_times.push_back(slot.statistics().computing());
    outcome_.worker_rounds.push_back(slot.statistics().rounds_run());
    outcome_.rounds += slot.statistics().rounds_run();
    outcome_.most_rounds = std::max(outcome_.most_rounds, slot.statistics().rounds_run());
  }
  if (forecaster_ != nullptr) {
    outcome_.forecasts = forecaster_->cost();
    outcome_.round_log = forecaster_->take_log();
  }
  return std::move(outcome_);
}

/// A superstep: every worker that has something to do runs once; then all wait for all.
void Engine::run_in_step() {
  for (WorkerSlot& slot : slots_) {
    if (!slot.active()) continue;
    LEEWAY_CHECK(ask(slot, post_.now()).turn == Turn::Run);
    round_of(slot);
    receive();
  }
  // What somebody sent is somebody's work in the next step; so is what he goes on with by himself.
  const bool more =
      sent_in_phase_ || std::any_of(slots_.begin(), slots_.end(),
                                    [](WorkerSlot& slot) { return slot.worker().unfinished(); });
  send_marker(given_up_ ? Left::GiveUp : more ? Left::Work : Left::Nothing);
  if (phase_rounds_ > 0) post_.charge(options_.exchange);
  while (markers_.told < post_.node_count()) {
    post_.wait();
    receive();
  }
  end_phase();
}

/// Everybody has ended the phase: what came ahead is due.
void Engine::end_phase() {
  const bool was_in_step = together_ == Together::Sync;
  if (markers_.left != Left::Work) {
    if (markers_.left == Left::GiveUp) given_up_ = true;
    over_ = true;
    return;
  }
  if (was_in_step && options_.schedule.model == Scheduler::Hsync) {
    choose_togetherness();
  } else if (!was_in_step) {
    together_ = Together::Sync;
  }
  ++phase_;
  phase_began_ = post_.now();
  markers_ = {};
  sent_in_phase_ = false;
  phase_slowest_ = phase_sum_ = Duration::zero();
  phase_rounds_ = phase_useful_ = 0;
  regroup_ = false;
  said_inactive_ = false;
  ending_.forget();
  Round last{0};
  for (WorkerSlot& slot : slots_) {
    slot.worker().advance();
    slot.worker().pace(together_ == Together::Async);
    last = std::max(last, slot.round());
  }
  for (WorkerSlot& slot : slots_) slot.statistics().join(last);
  std::vector<Kept> due = std::exchange(deferred_, {});
  for (const Kept& kept : due) on_frame(kept.from, kept.frame);
}

/// By numbers that the markers brought to all alike, so that all choose alike.
void Engine::choose_togetherness() {
  if (markers_.rounds == 0) return;
  HsyncSample sample;
  sample.useful = static_cast<double>(markers_.useful);
  sample.slowest_seconds = seconds(markers_.slowest);
  sample.mean_seconds = seconds(markers_.sum) / static_cast<double>(markers_.rounds);
  sample.redundant = 2;  // a worker that does not wait uses about half of what is on its way
  together_ = hsync_choice(sample);
  apart_for_ = kApartRounds * sample.slowest_seconds;
}

void Engine::run_apart() {
  while (!over_) {
    receive();
    if (over_) return;
    if (regroup_) {
      for (WorkerSlot& slot : slots_) {
        slot.worker().pace(false);
        send_letters(slot);
      }
      send_marker(given_up_ ? Left::GiveUp : Left::Work);
      while (markers_.told < post_.node_count()) {
        post_.wait();
        receive();
      }
      end_phase();
      return;
    }
    one_round();
  }
}

/// Runs the worker that is furthest behind of those that may run; else waits.
void Engine::one_round() {
  send_kept();
  const Instant now = post_.now();
  WorkerSlot* chosen = nullptr;
  std::optional<Instant> deadline;
  for (WorkerSlot& slot : slots_) {
    if (given_up_ || !slot.active()) continue;
    const Decision decision =
        slot.statistics().rounds_run() == 0 ? Decision::run() : ask(slot, now);
    if (decision.turn == Turn::Run) {
      if (chosen == nullptr || slot.round() < chosen->round()) chosen = &slot;
    } else if (decision.turn == Turn::Hold) {
      const Instant until = now + decision.hold;
      if (!deadline || until < *deadline) deadline = until;
    }
  }
  if (looks_at_rounds(options_.schedule)) tell_level();
  if (chosen != nullptr) {
    round_of(*chosen);
    return;
  }
  if (!active()) come_to_rest();
  if (over_) return;
  if (options_.schedule.model == Scheduler::Hsync && post_.self() == NodeId(0)) {
    const Instant look = phase_began_ + Duration(static_cast<Duration::rep>(apart_for_ * 1e9));
    if (!deadline || look < *deadline) deadline = std::max(look, now);
  }
  post_.wait(deadline);
}

/// What waited for an answer that has come. A worker that has another round to run adds to it first; one that
/// runs no more answers, for others wait.
void Engine::send_kept() {
  for (WorkerSlot& slot : slots_) {
    if (given_up_) {
      send_letters(slot);
      continue;
    }
    if (slot.active()) continue;
    if (!slot.worker().keeps()) continue;
    post_.charge(Work{.stores = slot.worker().release()});
    send_letters(slot);
  }
}

void Engine::come_to_rest() {
  if (said_inactive_ || regroup_) return;
  said_inactive_ = true;
  send_counts(NodeId(0), Kind::Inactive, 0);
}

/// Once for each content of the buffer.
void Engine::forecast(WorkerSlot& slot) {
  if (forecaster_ == nullptr || options_.schedule.model != Scheduler::Aap) return;
  if (slot.forecast() || slot.worker().staleness() == 0) return;
  const auto found = forecaster_->predict(slot.worker());
  if (!found) return;
  slot.forecast(*found);
  post_.charge(options_.forecast_cost);
}

Decision Engine::ask(WorkerSlot& slot, Instant now) {
  const bool paced = options_.schedule.model == Scheduler::Aap;
  // A round that could not send what it makes had better wait: more comes in until then.
  if (paced && !slot.worker().ready()) return Decision::suspend();
  forecast(slot);
  WorkerProgress progress = slot.progress(now);
  progress.slowest = together_ == Together::Sync ? slot.round() : slowest();
  progress.fastest = together_ == Together::Sync ? slot.round() : fastest();
  progress.together = together_;
  // Peers that owe an answer are about to send. What they say is worth the time of a round.
  if (const double left = kAnswerRounds * progress.round_seconds - progress.idle_seconds;
      paced && !slot.worker().answered() && left > 0) {
    Decision wait{.turn = Turn::Hold, .target = progress.target};
    wait.hold = Duration(static_cast<Duration::rep>(left * 1e9) + 1);
    slot.statistics().stretched(wait.hold);
    return wait;
  }
  if (slot.worker().unfinished())  // it would run with nothing as well
    progress.staleness = std::max<std::uint64_t>(progress.staleness, 1);
  const bool enough =
      progress.target && static_cast<double>(progress.staleness) >= progress.target->messages;
  if (options_.schedule.model == Scheduler::Aap && progress.staleness > 0 && !enough)
    slot.statistics().expect(now, options_.schedule.gather_fraction * progress.round_seconds,
                             progress);
  Decision decision = decide(options_.schedule, progress);
  slot.statistics().keep_target(decision.target);
  if (decision.turn == Turn::Hold) slot.statistics().stretched(decision.hold);
  return decision;
}

bool Engine::active() const {
  return !given_up_ && std::any_of(slots_.begin(), slots_.end(), [](const WorkerSlot& slot) {
    return slot.active() || slot.worker().keeps();
  });
}

RoundWork Engine::compute(WorkerSlot& slot) {
  const bool first = slot.statistics().rounds_run() == 0;
  const RoundWork round = first ? slot.worker().peval() : slot.worker().inceval();
  if (options_.round_times.empty()) {
    Work work = round.work;
    work.fetches += round.taken;
    work.stores += round.folded + round.sent;
    post_.charge(work);
  } else {
    post_.charge(options_.round_times[slot.id().index()]);
  }
  return round;
}

void Engine::round_of(WorkerSlot& slot) {
  RoundRecord record;
  record.worker = slot.id();
  record.round = slot.round();
  record.begin = post_.now();
  record.staleness = slot.worker().staleness();
  record.predicted_seconds = slot.predicted_seconds();
  record.target = slot.statistics().target();
  record.stretch_seconds = seconds(slot.statistics().stretch());
  if (options_.keep_rounds) {
    record.arrival_rate = slot.progress(record.begin).arrival_rate;
    record.slowest = slowest();
    record.fastest = fastest();
  }
  const bool learns = forecaster_ != nullptr && slot.statistics().rounds_run() > 0;
  if (learns) forecaster_->begins(slot.worker());
  const Instant begin = post_.now();
  const RoundWork round = compute(slot);
  record.end = post_.now();
  if (learns) forecaster_->took(slot.worker(), seconds(record.end - begin));
  record.taken = round.taken;
  record.sent = round.sent;
  record.vertices = round.work.vertices;
  record.edges = round.work.edges;
  slot.ran(record);
  if (slot.statistics().rounds_run() >= options_.most_rounds) given_up_ = true;
  send_letters(slot);
  if (looks_at_rounds(options_.schedule)) tell_level();
  if (options_.exchange > Duration::zero() && together_ == Together::Async) {
    post_.charge(options_.exchange);
    slot.statistics().exchanged(post_.now());
  }
  outcome_.parameters += round.sent;
  outcome_.taken += round.taken;
  outcome_.vertices += round.work.vertices;
  outcome_.edges += round.work.edges;
  const Duration took = record.end - record.begin;
  outcome_.computing += took;
  phase_slowest_ = std::max(phase_slowest_, took);
  phase_sum_ += took;
  ++phase_rounds_;
  phase_useful_ += round.sent;
  if (options_.keep_rounds) outcome_.records.push_back(record);
}

void Engine::deliver(WorkerSlot& to, std::span<const std::byte> letter, const Sender& from,
                     bool ahead) {
  const bool was_active = to.active();
  LEEWAY_CHECK(to.worker().receive(letter, ahead), "a message of worker", from.worker);
  to.worker().heard(from.worker);
  to.arrived(post_.now(), from);
  // An idle worker must not lower r_min, so when it gets work again its round number becomes r_min.
  if (!was_active && !ahead && looks_at_rounds(options_.schedule)) to.statistics().join(slowest());
}

Engine::Level Engine::own_level() const {
  Level level{.active = false, .slowest = Round::none(), .fastest = Round(0)};
  for (const WorkerSlot& slot : slots_) {
    level.fastest = std::max(level.fastest, slot.round());
    if (!slot.active()) continue;
    level.active = true;
    level.slowest = std::min(level.slowest, slot.round());
  }
  return level;
}

Round Engine::slowest() const {
  const Level own = own_level();
  Round least = own.slowest;
  for (std::size_t node = 0; node < levels_.size(); ++node) {
    if (node != post_.self().index() && levels_[node].active)
      least = std::min(least, levels_[node].slowest);
  }
  return least == Round::none() ? own.fastest : least;
}

Round Engine::fastest() const {
  Round most = own_level().fastest;
  for (std::size_t node = 0; node < levels_.size(); ++node) {
    if (node != post_.self().index()) most = std::max(most, levels_[node].fastest);
  }
  return most;
}

}  // namespace leeway::pie
