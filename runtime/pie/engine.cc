#include "runtime/pie/engine.h"

#include <algorithm>
#include <chrono>
#include <limits>

#include "base/archive.h"
#include "base/bytes.h"
#include "base/check.h"
#include "base/log.h"
#include "runtime/cluster/group.h"

namespace leeway::pie {

namespace {

constexpr std::uint32_t kNowhere = std::numeric_limits<std::uint32_t>::max();

}  // namespace

PieEngine::PieEngine(Endpoint& endpoint, std::vector<WorkerSlot>& slots, const PieOptions& options)
    : endpoint_(endpoint),
      slots_(slots),
      options_(options),
      queue_(slots),
      nodes_of_(options.nodes_of),
      progress_(endpoint.node_count()),
      outgoing_(endpoint.node_count()),
      threads_(options.threads),
      round_length_(threads_.count(), std::chrono::milliseconds(1)),
      markers_{.received = SenderSet(endpoint.node_count())},
      balancer_(options.rebalance, options.nodes_of.size()),
      hsync_(options.schedule.hsync_ratio),
      ending_(endpoint.node_count()),
      ahead_by_(endpoint.node_count(), options.one_clock ? Duration::zero() : Duration::max()),
      newest_(options.nodes_of.size()) {
  endpoint.expect_kinds(static_cast<std::uint8_t>(PieMessageKind::Move) + 1);
  index_workers();
  if (options.forecaster) forecaster_ = options.forecaster();
  if (options.schedule.model != Scheduler::Hsync && !in_step(options.schedule, Together::Sync))
    together_ = Together::Async;
  // Set the pacing before anything is received: a fast peer's first message may arrive while this node announces its
  // copies, and a message that is not counted is never answered.
  for (WorkerSlot& slot : slots_) slot.worker().pace(pacing());
}

Pacing PieEngine::pacing() const {
  if (together_ == Together::Sync || !options_.paced) return Pacing::Off;
  return awaits_answers() ? Pacing::Lockstep : Pacing::Answers;
}

bool PieEngine::awaits_answers() const {
  return options_.schedule.model == Scheduler::Aap && !options_.schedule.by_equation;
}

void PieEngine::index_workers() {
  slot_index_.assign(nodes_of_.size(), kNowhere);
  for (std::uint32_t i = 0; i < slots_.size(); ++i) {
    LEEWAY_CHECK(nodes_of_[slots_[i].id().index()] == endpoint_.self());
    slot_index_[slots_[i].id().index()] = i;
  }
}

WorkerSlot* PieEngine::slot_of(PartId worker) {
  if (worker.value() >= slot_index_.size()) return nullptr;
  const std::uint32_t index = slot_index_[worker.index()];
  return index == kNowhere ? nullptr : &slots_[index];
}

Status PieEngine::run() {
  if (endpoint_.self() == NodeId(0)) show_phase("computing", 0, "rounds");
  record_.begin = endpoint_.now();
  phase_began_ = marked_ = record_.begin;
  if (checkpoints_ != nullptr) checkpoints_->begin(record_.begin);
  for (WorkerSlot& slot : slots_) {
    slot.statistics().begin(record_.begin);
    balancer_.mark(slot);
  }
  queue_.touch_all();
  while (!over_) {
    LEEWAY_TRY(together_ == Together::Sync ? run_in_step() : run_apart());
  }
  if (checkpoints_ != nullptr) checkpoints_->end();
  record_.end = endpoint_.now();
  record_.converged = !ended_early_;
  Counters& counters = record_.counters;
  for (WorkerSlot& slot : slots_) {
    trace_.worker_times.push_back(slot.statistics().computing());
    const std::uint32_t rounds = slot.statistics().rounds_of_this_run();
    trace_.worker_rounds.push_back(rounds);
    counters[Counter::Rounds] += rounds;
    counters.raise(Counter::MostRounds, rounds);
    const Fragment& fragment = slot.worker().fragment();
    counters[Counter::Vertices] += fragment.inner_count();
    counters[Counter::Copies] += fragment.outer_count();
    counters[Counter::Arcs] += fragment.arc_count();
    counters[Counter::HeldBytes] += fragment.bytes();
  }
  if (forecaster_ != nullptr) {
    trace_.forecasts = forecaster_->cost();
    trace_.round_log = forecaster_->take_log();
  }
  return {};
}

void PieEngine::check_stop() {
  if (is_set(options_.stop)) end_early();
}

/// All nodes end once one does, because a worker that waits for one that has ended would wait forever. In step, the
/// marker reports it at the end of the superstep, which all workers of other nodes complete.
void PieEngine::end_early() {
  if (std::exchange(ended_early_, true)) return;
  if (together_ == Together::Async) endpoint_.group().stop();
}

/// A superstep: every worker with work runs once; then a barrier.
Status PieEngine::run_in_step() {
  check_stop();
  chosen_.clear();
  for (WorkerSlot& slot : slots_) {
    if (!ended_early_ && slot.active()) chosen_.push_back(&slot);
  }
  const std::size_t at_once = most_at_once();
  for (std::size_t i = 0; i < chosen_.size() && !ended_early_; i += at_once) {
    const auto turn = std::span(chosen_).subspan(i, std::min(at_once, chosen_.size() - i));
    for (WorkerSlot* const slot : turn)
      LEEWAY_CHECK(decide_next(*slot, endpoint_.now()).next == NextRound::Run);
    rounds_of(turn);
    receive();
  }
  // Messages sent are work of the next superstep, and so are workers that continue without messages.
  const bool more =
      sent_in_phase_ || std::any_of(slots_.begin(), slots_.end(),
                                    [](WorkerSlot& slot) { return slot.worker().unfinished(); });
  send_marker(ended_early_ ? Left::EndEarly : more ? Left::Work : Left::Nothing);
  if (phase_rounds_ > 0) endpoint_.charge(options_.exchange);
  return end_phase_with_all();
}

/// All nodes have ended the phase: messages of the next one are processed.
Status PieEngine::end_phase() {
  if (markers_.left != Left::Work) {
    if (markers_.left == Left::EndEarly) ended_early_ = true;
    over_ = true;
    return {};
  }
  if (together_ == Together::Sync)
    for (WorkerSlot& slot : slots_) slot.worker().advance();
  if (markers_.balance) LEEWAY_TRY(balance());
  if (options_.schedule.model == Scheduler::Hsync) choose_togetherness();
  ++phase_;
  phase_began_ = endpoint_.now();
  const auto checkpoint = markers_.checkpoint;
  markers_ = {.received = SenderSet(endpoint_.node_count())};
  sent_in_phase_ = false;
  phase_rounds_ = phase_updates_ = 0;
  regroup_ = false;
  reported_inactive_ = false;
  ending_.forget();
  if (options_.schedule.model == Scheduler::Hsync || together_ == Together::Sync) begin_mode();
  queue_.touch_all();
  if (checkpoint) take_between_phases(*checkpoint);
  std::vector<DeferredMessage> due = std::exchange(deferred_, {});
  for (const DeferredMessage& kept : due) on_frame(kept.from, kept.frame);
  return {};
}

/// All workers begin the superstep, or Hsync's asynchronous period, at the same round.
void PieEngine::begin_mode() {
  Round last{0};
  for (WorkerSlot& slot : slots_) {
    slot.worker().pace(pacing());
    last = std::max(last, slot.round());
  }
  for (WorkerSlot& slot : slots_) slot.statistics().join(last);
}

/// All nodes choose the same mode, because the markers give all of them the same numbers.
void PieEngine::choose_togetherness() {
  const HsyncPeriod period{
      .together = together_,
      .updates = static_cast<double>(markers_.updates),
      .seconds = seconds(markers_.longest),
      .busy_seconds = seconds(markers_.busy) / static_cast<double>(endpoint_.node_count())};
  together_ = hsync_.ended(period);
  if (together_ == Together::Async) apart_for_ = hsync_.apart_length() * period.seconds;
}

void PieEngine::wait(const Awaited& awaited, std::optional<Instant> deadline) {
  const Instant from = endpoint_.now();
  endpoint_.wait(awaited, deadline);
  record_.counters.spend(Counter::WaitTime, endpoint_.now() - from);
}

Status PieEngine::end_phase_with_all() {
  while (markers_.received.count() < endpoint_.node_count()) {
    wait({"the end of phase", phase_}, wake_for_checkpoint());
    receive();
  }
  return end_phase();
}

Status PieEngine::run_apart() {
  while (!over_) {
    receive();
    if (over_) break;
    check_stop();
    if (regroup_) {
      if (options_.schedule.model == Scheduler::Hsync) {
        for (WorkerSlot& slot : slots_) {
          slot.worker().pace(Pacing::Off);
          send_messages(slot);
        }
      }
      send_marker(ended_early_ ? Left::EndEarly : Left::Work);
      return end_phase_with_all();
    }
    one_round();
  }
  return {};
}

/// Runs the workers that are furthest behind among the runnable ones, one on each thread; waits if there are none.
void PieEngine::one_round() {
  send_kept();
  const Instant now = endpoint_.now();
  const bool sent_kept = schedule_workers(now);
  if (looks_at_rounds(options_.schedule)) send_progress();
  if (!ended_early_) {
    queue_.runnable(most_at_once(), chosen_);
    if (!chosen_.empty()) return rounds_of(chosen_);
  }
  if (sent_kept) return;
  if (!active()) report_inactive();
  if (over_) return;
  std::optional<Instant> deadline = ended_early_ ? std::nullopt : queue_.deadline();
  if (options_.schedule.model == Scheduler::Hsync && endpoint_.self() == NodeId(0)) {
    const Instant look = phase_began_ + Duration(static_cast<Duration::rep>(apart_for_ * 1e9));
    if (!deadline || look < *deadline) deadline = std::max(look, now);
  }
  wait({active() ? "a message, or its turn" : "a message, or the end"},
       wake_for_checkpoint(deadline));
}

/// Applies the schedule to each worker that has changed. True if a worker sent held-back values or answers. With
/// paced messages all workers are processed, because others wait for their answers; otherwise only those that are
/// further behind than the workers that will run.
bool PieEngine::schedule_workers(Instant now) {
  if (ended_early_) return false;
  queue_.wake(now);
  if (looks_at_rounds(options_.schedule)) queue_.update_rounds(slowest(), fastest());
  const bool paced = !slots_.empty() && slots_.front().worker().paced();
  const std::size_t enough = paced ? slots_.size() + 1 : most_at_once();
  bool sent_kept = false;
  while (WorkerSlot* const slot = queue_.next_to_decide(enough)) {
    const Decision decision =
        slot->statistics().rounds_run() == 0 ? Decision::run() : decide_next(*slot, now);
    queue_.decided(*slot, decision.next, look_again_, now + decision.hold);
    // mutant: who-is-suspended-does-not-answer
    if (decision.next == NextRound::Run || !answer_meanwhile(*slot, decision.next)) continue;
    sent_kept = true;
    queue_.touch(*slot);
  }
  return sent_kept;
}

/// A worker that may not run must still answer, or workers could wait in a cycle: each for the next one's answer, or
/// for a round of it that the bound permits only after others have run. True if it sent anything.
bool PieEngine::answer_meanwhile(WorkerSlot& slot, NextRound next) {
  const bool answered =
      slot.worker().in_lockstep() && slot.worker().answer() && send_messages(slot);
  // A suspended worker waits for others, which may wait for its held-back values. A held worker is about to run and
  // send more.
  return (next == NextRound::Suspend && send_kept_of(slot)) || answered;
}

/// Sends held-back values whose answer has arrived. A worker that will run another round adds to them first; a worker
/// that has ended only answers, because others wait. A message may be the answer that another worker of this node
/// waits for.
void PieEngine::send_kept() {
  if (ended_early_) {
    for (bool sent_kept = true; sent_kept;) {
      sent_kept = false;
      for (WorkerSlot& slot : slots_) sent_kept = send_messages(slot) || sent_kept;
    }
    return;
  }
  while (WorkerSlot* const slot = queue_.next_to_send_kept()) {
    if (send_kept_of(*slot)) queue_.touch(*slot);
  }
}

/// Sends this worker's held-back values and answers, without another round. True if there were any.
bool PieEngine::send_kept_of(WorkerSlot& slot) {
  if (!slot.worker().keeps()) return false;
  endpoint_.charge(Work{.stores = slot.worker().release()});
  return send_messages(slot);
}

void PieEngine::report_inactive() {
  if (reported_inactive_ || regroup_) return;
  reported_inactive_ = true;
  send_counts(NodeId(0), PieMessageKind::Inactive, 0);
}

/// Once for each content of the buffer.
void PieEngine::forecast(WorkerSlot& slot) {
  if (forecaster_ == nullptr || options_.schedule.model != Scheduler::Aap) return;
  if (slot.forecast() || slot.worker().staleness() == 0) return;
  const auto found = forecaster_->predict(slot.worker());
  if (!found) return;
  slot.forecast(*found);
  endpoint_.charge(options_.forecast_cost);
}

Decision PieEngine::decide_next(WorkerSlot& slot, Instant now) {
  const bool gathers = options_.schedule.model == Scheduler::Aap;
  const bool must_await_answers =
      awaits_answers() && !slot.worker().in_lockstep() && !slot.worker().ready();
  if (!must_await_answers) forecast(slot);
  WorkerProgress progress = slot.progress(now, gathers && !slot.statistics().has_target());
  const bool by_rounds = together_ == Together::Async && looks_at_rounds(options_.schedule);
  progress.slowest = by_rounds ? slowest() : slot.round();
  progress.fastest = by_rounds ? fastest() : slot.round();
  progress.together = together_;
  progress.must_await_answers = must_await_answers;
  if (awaits_answers() && !must_await_answers) {
    progress.waits_in_vain = slot.worker().waits_in_vain();
    progress.answers_seconds = slot.left_for_answers(now, progress);
  }
  if (slot.worker().unfinished())  // it can run without messages
    progress.staleness = std::max<std::uint64_t>(progress.staleness, 1);
  const bool enough =
      progress.target && static_cast<double>(progress.staleness) >= progress.target->messages;
  if (gathers && options_.schedule.by_equation) slot.statistics().look_for_fellows(now, progress);
  if (awaits_answers() && !must_await_answers && progress.staleness > 0 && !enough)
    slot.statistics().expect(now, options_.schedule.gather_fraction * progress.round_seconds,
                             progress);
  Decision decision = decide(options_.schedule, progress);
  slot.statistics().keep_target(decision.target);
  if (decision.next == NextRound::Hold) slot.statistics().stretched(decision.hold);
  look_again_ = now + decision.hold;
  // A peer whose message is late is no longer waited for, which may end the Hold.
  if (!progress.due.empty())
    look_again_ = std::min(
        look_again_,
        now + Duration(static_cast<Duration::rep>(progress.due.front() * 1e9)) + Duration(1));
  return decision;
}

bool PieEngine::active() const { return !ended_early_ && queue_.any_busy(); }

bool PieEngine::deliver(WorkerSlot& to, std::span<const std::byte> message, const RoundNews& from,
                        bool ahead) {
  // Determine the minimum before the worker becomes active and counts itself.
  const bool rejoins = !to.active() && !ahead && looks_at_rounds(options_.schedule);
  const Round least = rejoins ? slowest() : to.round();
  if (!to.worker().receive(from.worker, message, ahead)) return false;
  to.worker().heard(from.worker, to.statistics().is_slow(from));
  to.arrived(endpoint_.now(), from);
  // An idle worker must not lower r_min, so when it gets work again its round number becomes r_min.
  if (rejoins) to.statistics().join(least);
  queue_.touch(to);
  return true;
}

PieEngine::NodeProgress PieEngine::own_progress() const {
  return {.active = queue_.any_active(), .slowest = queue_.slowest(), .fastest = queue_.fastest()};
}

Round PieEngine::slowest() const {
  const NodeProgress own = own_progress();
  Round least = own.slowest;
  for (std::size_t node = 0; node < progress_.size(); ++node) {
    if (node != endpoint_.self().index() && progress_[node].active)
      least = std::min(least, progress_[node].slowest);
  }
  return least == Round::none() ? own.fastest : least;
}

Round PieEngine::fastest() const {
  Round most = own_progress().fastest;
  for (std::size_t node = 0; node < progress_.size(); ++node) {
    if (node != endpoint_.self().index()) most = std::max(most, progress_[node].fastest);
  }
  return most;
}

// Charges the worker's node for the work of a round.
void PieEngine::charge(WorkerSlot& slot, const RoundWork& round) {
  if (slot.statistics().rounds_run() == 0 && !options_.first_round_times.empty())
    return endpoint_.charge(options_.first_round_times[slot.id().index()]);
  if (options_.round_times.empty()) {
    Work work = round.work;
    work.fetches += round.taken;
    work.stores += round.folded + round.sent;
    if (!options_.round_overheads.empty())
      work.picoseconds +=
          static_cast<std::uint64_t>(options_.round_overheads[slot.id().index()].count()) * 1000;
    endpoint_.charge(work);
  } else {
    endpoint_.charge(options_.round_times[slot.id().index()]);
  }
}

/// Runs a round of each worker, in parallel if that pays. Workers share nothing until their messages are delivered.
void PieEngine::rounds_of(std::span<WorkerSlot* const> slots) {
  rounds_.clear();
  for (WorkerSlot* const slot : slots) begin_round(*slot);
  const auto run = [this](std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < to; ++i) {
      CurrentRound& round = rounds_[i];
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
  for (CurrentRound& round : rounds_) end_round(round);
}

void PieEngine::begin_round(WorkerSlot& slot) {
  CurrentRound& round = rounds_.emplace_back();
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

void PieEngine::end_round(CurrentRound& round) {
  WorkerSlot& slot = *round.slot;
  RoundRecord& record = round.record;
  const Instant before = endpoint_.now();
  charge(slot, round.work);
  record.end += endpoint_.now() - before;  // virtual time passes during charge()
  if (round.learns)
    forecaster_->took(slot.worker(), seconds(record.end - record.begin),
                      seconds(record.end - record_.begin));
  record.taken = round.work.taken;
  record.sent = round.work.sent;
  record.residual = round.work.residual;
  record.vertices = round.work.work.vertices;
  record.edges = round.work.work.edges;
  record.iterates = round.work.iterates;
  slot.ran(record);
  queue_.touch(slot);
  if (endpoint_.self() == NodeId(0)) show_done(slot.statistics().rounds_run());
  if (slot.reached_limit()) end_early();
  look_for_balance(slot);
  send_messages(slot);
  queue_.touch(slot);
  if (looks_at_rounds(options_.schedule)) send_progress();
  if (options_.exchange > Duration::zero() && together_ == Together::Async) {
    endpoint_.charge(options_.exchange);
    slot.statistics().exchanged(endpoint_.now());
  }
  Counters& counters = record_.counters;
  counters[Counter::Parameters] += record.sent;
  counters[Counter::ParametersTaken] += record.taken;
  counters[Counter::Visited] += record.vertices;
  counters[Counter::Walked] += record.edges;
  counters.spend(Counter::ComputeTime, record.end - record.begin);
  ++phase_rounds_;
  phase_updates_ += record.sent;
  if (options_.keep_rounds) trace_.rounds.push_back(record);
}

namespace {

// Frames between PIE engines. A frame is its kind, then:
//   Messages  phase, token (only if checkpoints are taken), sending worker, its round, t_i, s_i, PEval's time, sending
//             time; then for each addressed worker: worker, length, message; an empty message is only an answer
//   Inactive, Ack, Wait   phase, attempt, numbers of designated messages sent and handled
//   Terminate, Over       phase, attempt
//   Progress  phase, active, slowest round, fastest round
//   Marker    phase, what is left, the phase's numbers for Hsync, (only if checkpoints are taken) run and number of
//             the checkpoint to take at its end, and (only if workers move) a LoadReport
//   Regroup, RequestBalance   phase
//   Move      phase, worker, its state (WorkerSlot::pack)
//   Token     phase, run, number; RequestCheckpoint asks node 0 for one; CheckpointFailures: the sender's number of failures
Duration read_duration(ByteReader& in) { return Duration(static_cast<Duration::rep>(in.varint())); }

}  // namespace

ByteWriter PieEngine::frame_of(PieMessageKind kind) {
  ByteWriter frame;
  frame.byte(static_cast<std::uint8_t>(kind));
  return frame;
}

/// These kinds name their phase; one that arrives in an earlier phase is kept until then.
bool PieEngine::belongs_to_phase(PieMessageKind kind) {
  switch (kind) {
    case PieMessageKind::Messages:
    case PieMessageKind::Inactive:
    case PieMessageKind::Terminate:
    case PieMessageKind::Ack:
    case PieMessageKind::Wait:
    case PieMessageKind::Over:
    case PieMessageKind::Progress:
    case PieMessageKind::Marker:
    case PieMessageKind::Regroup:
    case PieMessageKind::Token:
    case PieMessageKind::RequestBalance:
    case PieMessageKind::Move:
      return true;
    default:
      return false;
  }
}

ByteWriter PieEngine::phase_frame_of(PieMessageKind kind) const {
  ByteWriter frame = frame_of(kind);
  frame.varint(phase_);
  return frame;
}

void PieEngine::send(NodeId to, Frame frame) {
  ++record_.counters[Counter::Frames];
  record_.counters[Counter::BytesSent] += frame.size();
  endpoint_.send(to, std::move(frame));
}

void PieEngine::broadcast(const ByteWriter& frame) {
  const std::uint64_t others = endpoint_.node_count() - 1;
  record_.counters[Counter::Frames] += others;
  record_.counters[Counter::BytesSent] += others * frame.size();
  endpoint_.send_to_all(frame.span());
}

bool PieEngine::send_messages(WorkerSlot& slot) {
  const std::uint64_t before = record_.counters[Counter::Messages];
  // Later than all before, so that a receiver recognizes a repeated message (follows).
  const Instant now = endpoint_.now();
  last_sent_ = options_.one_clock ? now : std::max(now, last_sent_ + Duration(1));
  const RoundNews self = slot.statistics().report(slot.id(), last_sent_);
  std::vector<NodeId> addressed;
  slot.worker().drain([&](PartId to, std::span<const std::byte> message) {
    ++record_.counters[Counter::Messages];
    sent_in_phase_ = true;
    const NodeId node = nodes_of_[to.index()];
    if (node == endpoint_.self()) {
      WorkerSlot* const here = slot_of(to);
      LEEWAY_CHECK(here != nullptr);
      if (message.empty()) {
        here->worker().heard(slot.id(), here->statistics().is_slow(self));
        return queue_.touch(*here);
      }
      LEEWAY_CHECK(deliver(*here, message, self, together_ == Together::Sync));
      return;
    }
    ByteWriter& frame = outgoing_[node.index()];
    if (frame.empty()) {
      addressed.push_back(node);
      frame.byte(static_cast<std::uint8_t>(PieMessageKind::Messages));
      frame.varint(phase_);
      if (checkpoints_ != nullptr) frame.varint(checkpoints_->token());
      frame.varint(slot.id().value());
      frame.varint(slot.round().value());
      frame.real(self.round_seconds);
      frame.real(self.arrival_rate);
      frame.real(self.first_seconds);
      frame.varint(static_cast<std::uint64_t>(self.sent.time_since_epoch().count()));
    }
    counts_.sent += message.empty() ? 0 : 1;
    record_.counters[Counter::ParameterBytes] += message.size();
    frame.varint(to.value());
    frame.varint(message.size());
    frame.raw(message);
  });
  for (const NodeId node : addressed) send(node, outgoing_[node.index()].take());
  return record_.counters[Counter::Messages] > before;
}

void PieEngine::receive() {
  endpoint_.receive(
      [this](NodeId from, std::span<const std::byte> frame) { on_frame(from, frame); });
  ended_early_ = ended_early_ || endpoint_.group().stopped();
  look_for_checkpoint();
  if (!must_end_phase()) return;
  regroup_ = true;
  ending_.forget();
  broadcast(phase_frame_of(PieMessageKind::Regroup));
}

void PieEngine::on_frame(NodeId from, std::span<const std::byte> frame) {
  ByteReader in(frame);
  const auto kind = static_cast<PieMessageKind>(in.byte());
  if (belongs_to_phase(kind)) {
    const std::uint64_t phase = in.varint();
    if (phase > phase_) {
      deferred_.push_back({from, Frame(frame.begin(), frame.end())});
      return;
    }
    if (phase != phase_ || in.failed()) endpoint_.refuse(from);
  }
  if (kind == PieMessageKind::Messages) {
    // mutant: a-message-with-the-token-is-taken-before-the-state-is-saved
    if (checkpoints_ != nullptr && in.varint() > checkpoints_->token()) {
      with_token_.push_back({from, Frame(frame.begin(), frame.end())});
      return;
    }
    on_messages(from, in);
  } else {
    on_control(from, kind, in);
  }
  if (in.failed() || !in.at_end()) endpoint_.refuse(from);
}

void PieEngine::on_messages(NodeId from, ByteReader& in) {
  RoundNews sender;
  sender.worker = PartId(static_cast<std::uint32_t>(in.varint_up_to(nodes_of_.size() - 1)));
  // If the worker joined others after an idle time, its round may be higher than the number of rounds that it has
  // run.
  sender.round = Round(static_cast<std::uint32_t>(in.varint_up_to(Round::none().value() - 1)));
  sender.round_seconds = in.real();
  sender.arrival_rate = in.real();
  sender.first_seconds = in.real();
  const Instant sent(Duration(static_cast<Duration::rep>(in.varint())));
  if (in.failed() || !follows(from, sender.worker, sent)) return in.fail();
  Duration& ahead_by = ahead_by_[from.index()];
  if (!options_.one_clock) ahead_by = std::min(ahead_by, endpoint_.now() - sent);
  sender.sent = sent + ahead_by;
  NodeProgress& progress = progress_[from.index()];
  progress.fastest = std::max(progress.fastest, sender.round);
  while (!in.at_end()) {
    WorkerSlot* const to =
        slot_of(PartId(static_cast<std::uint32_t>(in.varint_up_to(slot_index_.size()))));
    const auto message = in.raw(in.varint());
    if (in.failed() || to == nullptr) endpoint_.refuse(from);
    on_message(from, sender, *to, message);
  }
}

/// Whether a message of a worker was sent after all others that its node has sent for it. A clock of another process does
/// not stand still between two messages; virtual time may.
bool PieEngine::follows(NodeId from, PartId worker, Instant sent) {
  if (options_.one_clock) return true;
  Newest& newest = newest_[worker.index()];
  const bool later = newest.from != from || sent > newest.sent;
  newest = {from, sent};
  return later;
}

void PieEngine::on_message(NodeId from, const RoundNews& sender, WorkerSlot& to,
                           std::span<const std::byte> message) {
  // mutant: a-message-in-flight-is-in-no-checkpoint
  if (checkpoints_ != nullptr && checkpoints_->adds_messages_of(from))
    checkpoints_->add(to.id(), sender.worker, message);
  if (message.empty()) {
    to.worker().heard(sender.worker, to.statistics().is_slow(sender));
    queue_.touch(to);
    return;
  }
  ++counts_.handled;
  if (!deliver(to, message, sender, together_ == Together::Sync)) endpoint_.refuse(from);
  reported_inactive_ = false;
}

void PieEngine::send_counts(NodeId to, PieMessageKind kind, std::uint32_t attempt) {
  if (to == endpoint_.self()) {
    act(kind == PieMessageKind::Inactive
            ? ending_.inactive(to, counts_)
            : ending_.answer(to, kind == PieMessageKind::Ack, counts_));
    return;
  }
  ByteWriter frame = phase_frame_of(kind);
  frame.varint(attempt);
  frame.varint(counts_.sent);
  frame.varint(counts_.handled);
  send(to, frame.take());
}

void PieEngine::act(TerminationDetector::DetectorStep step) {
  if (step == TerminationDetector::DetectorStep::None || regroup_) return;
  ByteWriter frame =
      phase_frame_of(step == TerminationDetector::DetectorStep::Over ? PieMessageKind::Over
                                                                     : PieMessageKind::Terminate);
  frame.varint(ending_.attempt());
  broadcast(frame);
  if (step == TerminationDetector::DetectorStep::Over) {
    over_ = true;
  } else {
    answer_terminate(endpoint_.self(), ending_.attempt());
  }
}

/// A node that answers `wait` reports again when it becomes inactive. It may be active because of an owed answer,
/// which no counted message has received it of.
void PieEngine::answer_terminate(NodeId to, std::uint32_t attempt) {
  const bool wait = active();
  if (wait) reported_inactive_ = false;
  send_counts(to, wait ? PieMessageKind::Wait : PieMessageKind::Ack, attempt);
}

void PieEngine::on_control(NodeId from, PieMessageKind kind, ByteReader& in) {
  switch (kind) {
    case PieMessageKind::Inactive:
    case PieMessageKind::Ack:
    case PieMessageKind::Wait: {
      const std::uint64_t attempt = in.varint();
      const MessageCounts counts{in.varint(), in.varint()};
      if (in.failed() || !is_first()) return in.fail();
      if (kind == PieMessageKind::Inactive) return act(ending_.inactive(from, counts));
      if (attempt != ending_.attempt()) return;  // this node has discarded the attempt
      if (ending_.has_answered(from)) return in.fail();
      if (ending_.open()) act(ending_.answer(from, kind == PieMessageKind::Ack, counts));
      return;
    }
    case PieMessageKind::Terminate: {
      const std::uint64_t attempt = in.varint_up_to(std::numeric_limits<std::uint32_t>::max());
      if (in.failed() || from != NodeId(0) || attempt <= answered_) return in.fail();
      answered_ = attempt;
      answer_terminate(from, static_cast<std::uint32_t>(attempt));
      return;
    }
    case PieMessageKind::Over:
      (void)in.varint();
      if (from != NodeId(0) || over_) return in.fail();
      over_ = true;
      return;
    case PieMessageKind::Marker:
      return on_marker(from, in);
    case PieMessageKind::Regroup:
      if (from != NodeId(0) || regroup_) return in.fail();
      regroup_ = true;
      return;
    case PieMessageKind::RequestBalance:
      balance_requested_ = true;
      return;
    case PieMessageKind::Move:
      return on_move(from, in);
    case PieMessageKind::Progress: {
      NodeProgress& progress = progress_[from.index()];
      progress.active = in.byte() != 0;
      progress.slowest = Round(static_cast<std::uint32_t>(in.varint()));
      progress.fastest = Round(static_cast<std::uint32_t>(in.varint()));
      return;
    }
    case PieMessageKind::Token:
    case PieMessageKind::RequestCheckpoint:
    case PieMessageKind::CheckpointFailures:
      // mutant: frames-of-a-snapshot-count-as-messages
      return on_checkpoint(from, kind, in);
    default:
      return in.fail();
  }
}

void PieEngine::send_progress() {
  const NodeProgress progress = own_progress();
  if (sent_progress_ == progress) return;
  sent_progress_ = progress;
  ByteWriter frame = phase_frame_of(PieMessageKind::Progress);
  frame.byte(progress.active ? 1 : 0);
  frame.varint(progress.slowest.value());
  frame.varint(progress.fastest.value());
  broadcast(frame);
}

void PieEngine::send_marker(Left left) {
  ByteWriter frame = phase_frame_of(PieMessageKind::Marker);
  frame.byte(static_cast<std::uint8_t>(left));
  const Instant now = endpoint_.now();
  frame.varint(static_cast<std::uint64_t>((now - phase_began_).count()));
  frame.varint(static_cast<std::uint64_t>((now - std::exchange(marked_, now)).count()));
  frame.varint(phase_updates_);
  if (checkpoints_ != nullptr) {
    const bool due = endpoint_.self() == NodeId(0) && checks_between_phases() && !ended_early_ &&
                     checkpoints_->should_request(slots_, endpoint_.now());
    const auto id = due ? checkpoints_->next() : TokenCheckpoints::CheckpointId{};
    frame.varint(id.run);
    frame.varint(id.number);
  }
  if (balancer_.on()) save_all(frame, balancer_.report(slots_, together_ == Together::Sync));
  broadcast(frame);
  ByteReader own(frame.span().subspan(1));
  (void)own.varint();
  on_marker(endpoint_.self(), own);
}

void PieEngine::on_marker(NodeId from, ByteReader& in) {
  if (!markers_.received.add(from)) return in.fail();
  const std::uint8_t left = in.byte();
  if (left > static_cast<std::uint8_t>(Left::EndEarly)) return in.fail();
  markers_.left = std::max(markers_.left, static_cast<Left>(left));
  markers_.busy += read_duration(in);
  markers_.longest = std::max(markers_.longest, read_duration(in));
  markers_.updates += in.varint();
  if (checkpoints_ != nullptr) {
    const TokenCheckpoints::CheckpointId id{in.varint(), in.varint()};
    if (id.number > 0) markers_.checkpoint = id;
  }
  if (balancer_.on()) on_loads(from, in);
}

}  // namespace leeway::pie
