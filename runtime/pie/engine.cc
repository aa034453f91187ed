#include "leeway/runtime/pie/engine.h"

#include <algorithm>
#include <limits>

#include "leeway/base/check.h"
#include "leeway/base/phase.h"

namespace leeway::pie {

namespace {

constexpr std::uint32_t kNowhere = std::numeric_limits<std::uint32_t>::max();
constexpr double kApartRounds = 4;  // of the slowest worker, before Hsync looks again

}  // namespace

Engine::Engine(Endpoint& endpoint, std::vector<WorkerSlot>& slots, const Options& options)
    : endpoint_(endpoint),
      slots_(slots),
      options_(options),
      queue_(slots),
      slot_index_(options.nodes_of.size(), kNowhere),
      levels_(endpoint.node_count()),
      outgoing_(endpoint.node_count()),
      threads_(options.threads),
      round_length_(threads_.count(), std::chrono::milliseconds(1)),
      ending_(endpoint.node_count()),
      ahead_by_(endpoint.node_count(), options.one_clock ? Duration::zero() : Duration::max()) {
  for (std::uint32_t i = 0; i < slots_.size(); ++i) {
    LEEWAY_CHECK(options.nodes_of[slots_[i].id().index()] == endpoint.self());
    slot_index_[slots_[i].id().index()] = i;
  }
  if (options.forecaster) forecaster_ = options.forecaster();
  if (options.schedule.model != Scheduler::Hsync && !in_step(options.schedule, Together::Sync))
    together_ = Together::Async;
  // Before anything is received: a fast peer's first message may come while this node announces its copies, and
  // one that is not counted is never answered.
  for (WorkerSlot& slot : slots_) slot.worker().pace(pacing());
}

Pacing Engine::pacing() const {
  if (together_ == Together::Sync) return Pacing::Off;
  return options_.schedule.model == Scheduler::Aap ? Pacing::Lockstep : Pacing::Answers;
}

WorkerSlot* Engine::slot_of(PartId worker) {
  if (worker.value() >= slot_index_.size()) return nullptr;
  const std::uint32_t index = slot_index_[worker.index()];
  return index == kNowhere ? nullptr : &slots_[index];
}

NodeOutcome Engine::run() {
  if (endpoint_.self() == NodeId(0)) show_phase("computing", 0, "rounds");
  outcome_.begin = endpoint_.now();
  phase_began_ = outcome_.begin;
  if (snapshots_ != nullptr) snapshots_->begin(outcome_.begin);
  for (WorkerSlot& slot : slots_) slot.statistics().begin(outcome_.begin);
  queue_.touch_all();
  while (!over_) {
    if (together_ == Together::Sync) {
      run_in_step();
    } else {
      run_apart();
    }
  }
  if (snapshots_ != nullptr) snapshots_->end();
  outcome_.end = endpoint_.now();
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

void Engine::heed_stop() {
  if (is_set(options_.stop)) give_up();
}

/// Everybody gives up once one has: a worker that waits for one which has given up would wait for ever. In step the marker
/// says so at the end of the superstep, which all workers of other nodes run to its end.
void Engine::give_up() {
  if (std::exchange(given_up_, true)) return;
  if (together_ == Together::Async) broadcast(frame_of(Kind::GiveUp));
}

/// A superstep: every worker that has something to do runs once; then all wait for all.
void Engine::run_in_step() {
  heed_stop();
  chosen_.clear();
  for (WorkerSlot& slot : slots_) {
    if (!given_up_ && slot.active()) chosen_.push_back(&slot);
  }
  const std::size_t at_once = most_at_once();
  for (std::size_t i = 0; i < chosen_.size() && !given_up_; i += at_once) {
    const auto turn = std::span(chosen_).subspan(i, std::min(at_once, chosen_.size() - i));
    for (WorkerSlot* const slot : turn)
      LEEWAY_CHECK(ask(*slot, endpoint_.now()).next == NextRound::Run);
    rounds_of(turn);
    receive();
  }
  // What somebody sent is somebody's work in the next step; so is what he goes on with by himself.
  const bool more =
      sent_in_phase_ || std::any_of(slots_.begin(), slots_.end(),
                                    [](WorkerSlot& slot) { return slot.worker().unfinished(); });
  send_marker(given_up_ ? Left::GiveUp : more ? Left::Work : Left::Nothing);
  if (phase_rounds_ > 0) endpoint_.charge(options_.exchange);
  end_phase_with_all();
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
  phase_began_ = endpoint_.now();
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
    slot.worker().pace(pacing());
    last = std::max(last, slot.round());
  }
  for (WorkerSlot& slot : slots_) slot.statistics().join(last);
  queue_.touch_all();
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

void Engine::end_phase_with_all() {
  while (markers_.told < endpoint_.node_count()) {
    endpoint_.wait({"the end of phase", phase_}, wake_for_snapshot());
    receive();
  }
  end_phase();
}

void Engine::run_apart() {
  while (!over_) {
    receive();
    if (over_) return;
    heed_stop();
    if (regroup_) {
      for (WorkerSlot& slot : slots_) {
        slot.worker().pace(Pacing::Off);
        send_messages(slot);
      }
      send_marker(given_up_ ? Left::GiveUp : Left::Work);
      end_phase_with_all();
      return;
    }
    one_round();
  }
}

/// Runs the workers that are furthest behind of those that may run, one on each thread; else waits.
void Engine::one_round() {
  send_kept();
  const Instant now = endpoint_.now();
  const bool spoken = ask_workers(now);
  if (looks_at_rounds(options_.schedule)) tell_level();
  if (!given_up_) {
    queue_.runnable(most_at_once(), chosen_);
    if (!chosen_.empty()) return rounds_of(chosen_);
  }
  if (spoken) return;
  if (!active()) come_to_rest();
  if (over_) return;
  std::optional<Instant> deadline = given_up_ ? std::nullopt : queue_.deadline();
  if (options_.schedule.model == Scheduler::Hsync && endpoint_.self() == NodeId(0)) {
    const Instant look = phase_began_ + Duration(static_cast<Duration::rep>(apart_for_ * 1e9));
    if (!deadline || look < *deadline) deadline = std::max(look, now);
  }
  endpoint_.wait({active() ? "a message, or its turn" : "a message, or the end"},
                 wake_for_snapshot(deadline));
}

/// Asks the schedule of each worker that something has happened to. True if one of them had something to say. Workers whose
/// messages are paced are all asked, because others wait for their answers; of the rest only those that are further
/// behind than who may run.
bool Engine::ask_workers(Instant now) {
  if (given_up_) return false;
  queue_.wake(now);
  if (looks_at_rounds(options_.schedule)) queue_.rounds_are(slowest(), fastest());
  const bool paced = !slots_.empty() && slots_.front().worker().paced();
  const std::size_t enough = paced ? slots_.size() + 1 : most_at_once();
  bool spoken = false;
  while (WorkerSlot* const slot = queue_.next_to_ask(enough)) {
    const Decision decision =
        slot->statistics().rounds_run() == 0 ? Decision::run() : ask(*slot, now);
    queue_.decided(*slot, decision.next, look_again_, now + decision.hold);
    if (decision.next == NextRound::Run || !answer_meanwhile(*slot, decision.next)) continue;
    spoken = true;
    queue_.touch(*slot);
  }
  return spoken;
}

/// Whoever may not run must still answer, or a circle of workers waits for ever: each for the next one's answer, or for
/// a round of it that the bound does not allow before others have run. True if it had anything to say.
bool Engine::answer_meanwhile(WorkerSlot& slot, NextRound next) {
  const bool answered =
      slot.worker().in_lockstep() && slot.worker().answer() && send_messages(slot);
  // Suspended, it waits for others to go on, and they may wait for what it keeps. Held, it is about to say more.
  return (next == NextRound::Suspend && speak(slot)) || answered;
}

/// What waited for an answer that has come. A worker that has another round to run adds to it first; one that
/// runs no more answers, for others wait. What one says may be the answer that another one of this node waited for.
void Engine::send_kept() {
  if (given_up_) {
    for (bool spoken = true; spoken;) {
      spoken = false;
      for (WorkerSlot& slot : slots_) spoken = send_messages(slot) || spoken;
    }
    return;
  }
  while (WorkerSlot* const slot = queue_.next_to_speak()) {
    if (speak(*slot)) queue_.touch(*slot);
  }
}

/// What this worker has for others without another round. True if that was anything.
bool Engine::speak(WorkerSlot& slot) {
  if (!slot.worker().keeps()) return false;
  endpoint_.charge(Work{.stores = slot.worker().release()});
  return send_messages(slot);
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
  endpoint_.charge(options_.forecast_cost);
}

Decision Engine::ask(WorkerSlot& slot, Instant now) {
  const bool paced = options_.schedule.model == Scheduler::Aap;
  const bool must_hear_first = paced && !slot.worker().in_lockstep() && !slot.worker().ready();
  if (!must_hear_first) forecast(slot);
  WorkerProgress progress = slot.progress(now, paced && !slot.statistics().has_target());
  const bool by_rounds = together_ == Together::Async && looks_at_rounds(options_.schedule);
  progress.slowest = by_rounds ? slowest() : slot.round();
  progress.fastest = by_rounds ? fastest() : slot.round();
  progress.together = together_;
  progress.must_hear_first = must_hear_first;
  if (paced && !must_hear_first) {
    progress.waits_in_vain = slot.worker().waits_in_vain();
    progress.answers_seconds = slot.left_for_answers(now, progress);
  }
  if (slot.worker().unfinished())  // it would run with nothing as well
    progress.staleness = std::max<std::uint64_t>(progress.staleness, 1);
  const bool enough =
      progress.target && static_cast<double>(progress.staleness) >= progress.target->messages;
  if (paced && !must_hear_first && progress.staleness > 0 && !enough)
    slot.statistics().expect(now, options_.schedule.gather_fraction * progress.round_seconds,
                             progress);
  Decision decision = decide(options_.schedule, progress);
  slot.statistics().keep_target(decision.target);
  if (decision.next == NextRound::Hold) slot.statistics().stretched(decision.hold);
  look_again_ = now + decision.hold;
  // A peer that is late counts no more, which may end the Hold.
  if (!progress.due.empty())
    look_again_ = std::min(
        look_again_,
        now + Duration(static_cast<Duration::rep>(progress.due.front() * 1e9)) + Duration(1));
  return decision;
}

bool Engine::active() const { return !given_up_ && queue_.any_busy(); }

bool Engine::deliver(WorkerSlot& to, std::span<const std::byte> message, const RoundNews& from,
                     bool ahead) {
  // Asked before it has something to do, for it would count itself.
  const bool rejoins = !to.active() && !ahead && looks_at_rounds(options_.schedule);
  const Round level = rejoins ? slowest() : to.round();
  if (!to.worker().receive(from.worker, message, ahead)) return false;
  to.worker().heard(from.worker);
  to.arrived(endpoint_.now(), from);
  // An idle worker must not lower r_min, so when it gets work again its round number becomes r_min.
  if (rejoins) to.statistics().join(level);
  queue_.touch(to);
  return true;
}

Engine::Level Engine::own_level() const {
  return {.active = queue_.any_active(), .slowest = queue_.slowest(), .fastest = queue_.fastest()};
}

Round Engine::slowest() const {
  const Level own = own_level();
  Round least = own.slowest;
  for (std::size_t node = 0; node < levels_.size(); ++node) {
    if (node != endpoint_.self().index() && levels_[node].active)
      least = std::min(least, levels_[node].slowest);
  }
  return least == Round::none() ? own.fastest : least;
}

Round Engine::fastest() const {
  Round most = own_level().fastest;
  for (std::size_t node = 0; node < levels_.size(); ++node) {
    if (node != endpoint_.self().index()) most = std::max(most, levels_[node].fastest);
  }
  return most;
}

}  // namespace leeway::pie
