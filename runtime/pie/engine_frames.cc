// What PIE engines say to each other. A frame is a kind, then:
//   Messages  phase, sender's worker, round, t_i, s_i, PEval's time, when it was sent; then for each
//             worker spoken to: worker, length, message; an empty one only answers
//   Inactive, Ack, Wait   attempt, designated messages sent, handled
//   Terminate, Over       attempt
//   Level     active, slowest round, fastest round
//   Marker    phase, what is left, and the phase's numbers for Hsync
//   Regroup   phase
//   Copies    pairs of inner worker and place, and copy's worker and place
//   GiveUp    nothing: the sender was stopped, or has given up
//   Snapshot  run, number; SnapshotWish asks for one; SnapshotFailures: of the sender, so far
//   Result    worker, bytes; Finished ends a node's results; Outcome is what it tells of its run
#include "leeway/base/check.h"
#include "leeway/base/fields.h"
#include "leeway/runtime/pie/engine.h"

namespace leeway::pie {

namespace {

Duration read_duration(ByteReader& in) { return Duration(static_cast<Duration::rep>(in.varint())); }

}  // namespace

ByteWriter Engine::frame_of(Kind kind) {
  ByteWriter frame;
  frame.byte(static_cast<std::uint8_t>(kind));
  return frame;
}

void Engine::send(NodeId to, Frame frame) {
  ++outcome_.frames;
  outcome_.bytes += frame.size();
  endpoint_.send(to, std::move(frame));
}

void Engine::broadcast(const ByteWriter& frame) {
  const std::uint64_t others = endpoint_.node_count() - 1;
  outcome_.frames += others;
  outcome_.bytes += others * frame.size();
  endpoint_.send_to_all(frame.span());
}

bool Engine::send_messages(WorkerSlot& slot) {
  const std::uint64_t before = outcome_.messages;
  const RoundNews self = slot.statistics().told(slot.id(), endpoint_.now());
  std::vector<NodeId> spoken_to;
  slot.worker().drain([&](PartId to, std::span<const std::byte> message) {
    ++outcome_.messages;
    sent_in_phase_ = true;
    const NodeId node = options_.nodes_of[to.index()];
    if (node == endpoint_.self()) {
      WorkerSlot* const here = slot_of(to);
      LEEWAY_CHECK(here != nullptr);
      if (message.empty()) {
        here->worker().heard(slot.id());
        return queue_.touch(*here);
      }
      LEEWAY_CHECK(deliver(*here, message, self, together_ == Together::Sync));
      return;
    }
    ByteWriter& frame = outgoing_[node.index()];
    if (frame.empty()) {
      spoken_to.push_back(node);
      frame.byte(static_cast<std::uint8_t>(Kind::Messages));
      frame.varint(phase_);
      frame.varint(slot.id().value());
      frame.varint(slot.round().value());
      frame.real(self.round_seconds);
      frame.real(self.arrival_rate);
      frame.real(self.first_seconds);
      frame.varint(static_cast<std::uint64_t>(self.sent.time_since_epoch().count()));
    }
    counts_.sent += message.empty() ? 0 : 1;
    frame.varint(to.value());
    frame.varint(message.size());
    frame.raw(message);
  });
  for (const NodeId node : spoken_to) send(node, outgoing_[node.index()].take());
  return outcome_.messages > before;
}

void Engine::receive() {
  endpoint_.receive(
      [this](NodeId from, std::span<const std::byte> frame) { on_frame(from, frame); });
  look_for_snapshot();
  if (options_.schedule.model == Scheduler::Hsync && together_ == Together::Async && !regroup_ &&
      endpoint_.self() == NodeId(0) && seconds(endpoint_.now() - phase_began_) >= apart_for_) {
    regroup_ = true;
    ending_.forget();
    ByteWriter frame = frame_of(Kind::Regroup);
    frame.varint(phase_);
    broadcast(frame);
  }
}

void Engine::on_frame(NodeId from, std::span<const std::byte> frame) {
  ByteReader in(frame);
  const auto kind = static_cast<Kind>(in.byte());
  if (kind == Kind::Messages || kind == Kind::Marker || kind == Kind::Regroup) {
    const std::uint64_t phase = in.varint();
    if (phase > phase_) {
      deferred_.push_back({from, Frame(frame.begin(), frame.end())});
      return;
    }
    if (phase != phase_ || in.failed()) endpoint_.refuse(from);
    if (kind == Kind::Messages) {
      on_messages(from, in);
    } else if (kind == Kind::Marker) {
      on_marker(in);
    } else {
      regroup_ = true;
    }
  } else {
    on_control(from, kind, in);
  }
  if (in.failed() || !in.at_end()) endpoint_.refuse(from);
}

void Engine::on_messages(NodeId from, ByteReader& in) {
  RoundNews sender;
  sender.worker = PartId(static_cast<std::uint32_t>(in.varint_up_to(options_.nodes_of.size() - 1)));
  // Of a worker that joined others, its round may be higher than the number of rounds it has run.
  sender.round = Round(static_cast<std::uint32_t>(in.varint_up_to(Round::none().value() - 1)));
  sender.round_seconds = in.real();
  sender.arrival_rate = in.real();
  sender.first_seconds = in.real();
  const Instant sent(Duration(static_cast<Duration::rep>(in.varint())));
  Duration& ahead_by = ahead_by_[from.index()];
  if (!options_.one_clock) ahead_by = std::min(ahead_by, endpoint_.now() - sent);
  sender.sent = sent + ahead_by;
  Level& level = levels_[from.index()];
  level.fastest = std::max(level.fastest, sender.round);
  while (!in.at_end()) {
    WorkerSlot* const to =
        slot_of(PartId(static_cast<std::uint32_t>(in.varint_up_to(slot_index_.size()))));
    const auto message = in.raw(in.varint());
    if (in.failed() || to == nullptr) endpoint_.refuse(from);
    if (message.empty()) {
      to->worker().heard(sender.worker);
      queue_.touch(*to);
      continue;
    }
    ++counts_.handled;
    if (!deliver(*to, message, sender, together_ == Together::Sync)) endpoint_.refuse(from);
    said_inactive_ = false;
  }
}

void Engine::send_counts(NodeId to, Kind kind, std::uint32_t attempt) {
  if (to == endpoint_.self()) {
    act(kind == Kind::Inactive ? ending_.inactive(to, counts_)
                               : ending_.answer(to, kind == Kind::Ack, counts_));
    return;
  }
  ByteWriter frame = frame_of(kind);
  frame.varint(attempt);
  frame.varint(counts_.sent);
  frame.varint(counts_.handled);
  send(to, frame.take());
}

void Engine::act(TerminationDetector::Step step) {
  if (step == TerminationDetector::Step::None || regroup_) return;
  ByteWriter frame =
      frame_of(step == TerminationDetector::Step::Over ? Kind::Over : Kind::Terminate);
  frame.varint(ending_.attempt());
  broadcast(frame);
  if (step == TerminationDetector::Step::Over) {
    over_ = true;
  } else {
    answer_terminate(endpoint_.self(), ending_.attempt());
  }
}

/// Who has to be waited for says so once more when it has come to rest: it may be active by an answer that it
/// owes, which no message that is counted has told it of.
void Engine::answer_terminate(NodeId to, std::uint32_t attempt) {
  const bool wait = active();
  if (wait) said_inactive_ = false;
  send_counts(to, wait ? Kind::Wait : Kind::Ack, attempt);
}

void Engine::on_control(NodeId from, Kind kind, ByteReader& in) {
  switch (kind) {
    case Kind::Inactive:
    case Kind::Ack:
    case Kind::Wait: {
      const std::uint64_t attempt = in.varint();
      const MessageCounts counts{in.varint(), in.varint()};
      if (in.failed()) return;
      if (kind == Kind::Inactive) return act(ending_.inactive(from, counts));
      if (attempt == ending_.attempt() && ending_.open())
        act(ending_.answer(from, kind == Kind::Ack, counts));
      return;
    }
    case Kind::Terminate: {
      const auto attempt = static_cast<std::uint32_t>(in.varint());
      if (!in.failed()) answer_terminate(from, attempt);
      return;
    }
    case Kind::Over:
      (void)in.varint();
      over_ = true;
      return;
    case Kind::GiveUp:
      given_up_ = true;
      return;
    case Kind::Level: {
      Level& level = levels_[from.index()];
      level.active = in.byte() != 0;
      level.slowest = Round(static_cast<std::uint32_t>(in.varint()));
      level.fastest = Round(static_cast<std::uint32_t>(in.varint()));
      return;
    }
    case Kind::Copies:
      while (!in.at_end()) {
        WorkerSlot* const home = slot_of(PartId(static_cast<std::uint32_t>(in.varint())));
        const auto inner = static_cast<Place>(in.varint());
        const PartId fragment(static_cast<std::uint32_t>(in.varint()));
        const auto copy = static_cast<Place>(in.varint());
        if (in.failed() || home == nullptr || !home->worker().fragment().is_inner(inner) ||
            fragment.value() >= options_.nodes_of.size())
          return in.fail();
        home->worker().routes().announce(inner, {fragment, copy});
      }
      ++announced_;
      return;
    case Kind::Result: {
      const PartId worker(static_cast<std::uint32_t>(in.varint()));
      const auto bytes = in.raw(in.left());
      if (worker.value() >= options_.nodes_of.size() || options_.nodes_of[worker.index()] != from)
        return in.fail();
      results_.emplace_back(worker, Frame(bytes.begin(), bytes.end()));
      return;
    }
    case Kind::Finished:
      ++finished_;
      return;
    case Kind::Outcome: {
      NodeOutcome outcome;
      read_fields(in, outcome);
      outcomes_.emplace_back(from, std::move(outcome));
      return;
    }
    case Kind::Snapshot:
    case Kind::SnapshotWish:
    case Kind::SnapshotFailures:
      return on_snapshot(from, kind, in);
    default:
      return in.fail();
  }
}

void Engine::tell_level() {
  const Level level = own_level();
  if (told_level_ == level) return;
  told_level_ = level;
  ByteWriter frame = frame_of(Kind::Level);
  frame.byte(level.active ? 1 : 0);
  frame.varint(level.slowest.value());
  frame.varint(level.fastest.value());
  broadcast(frame);
}

void Engine::send_marker(Left left) {
  ByteWriter frame = frame_of(Kind::Marker);
  frame.varint(phase_);
  frame.byte(static_cast<std::uint8_t>(left));
  frame.varint(static_cast<std::uint64_t>(phase_slowest_.count()));
  frame.varint(static_cast<std::uint64_t>(phase_sum_.count()));
  frame.varint(phase_rounds_);
  frame.varint(phase_useful_);
  broadcast(frame);
  ByteReader own(frame.span().subspan(1));
  (void)own.varint();
  on_marker(own);
}

void Engine::on_marker(ByteReader& in) {
  ++markers_.told;
  const std::uint8_t left = in.byte();
  if (left > static_cast<std::uint8_t>(Left::GiveUp)) return in.fail();
  markers_.left = std::max(markers_.left, static_cast<Left>(left));
  markers_.slowest = std::max(markers_.slowest, read_duration(in));
  markers_.sum += read_duration(in);
  markers_.rounds += in.varint();
  markers_.useful += in.varint();
}

void Engine::hear_all(const Awaited& awaited, const std::function<std::size_t()>& heard) {
  endpoint_.wait_until(
      awaited, [this] { receive(); }, [&] { return heard() + 1 >= endpoint_.node_count(); });
}

void Engine::announce() {
  std::vector<ByteWriter> frames(endpoint_.node_count());
  for (WorkerSlot& slot : slots_) {
    const Fragment& fragment = slot.worker().fragment();
    for (Place p = fragment.inner_count(); p < fragment.vertex_count(); ++p) {
      const Elsewhere home = fragment.home(p);
      const NodeId node = options_.nodes_of[home.fragment.index()];
      if (node == endpoint_.self()) {
        slot_of(home.fragment)->worker().routes().announce(home.place, {slot.id(), p});
        continue;
      }
      ByteWriter& frame = frames[node.index()];
      if (frame.empty()) frame.byte(static_cast<std::uint8_t>(Kind::Copies));
      frame.varint(home.fragment.value());
      frame.varint(home.place);
      frame.varint(slot.id().value());
      frame.varint(p);
    }
  }
  for (std::uint32_t node = 0; node < frames.size(); ++node) {
    if (NodeId(node) == endpoint_.self()) continue;
    if (frames[node].empty()) frames[node].byte(static_cast<std::uint8_t>(Kind::Copies));
    endpoint_.send(NodeId(node), frames[node].take());
  }
  hear_all({"who holds copies"}, [this] { return announced_; });
}

void Engine::gather(const std::function<void(PartId, std::span<const std::byte>)>& take) {
  const bool first = endpoint_.self() == NodeId(0);
  for (WorkerSlot& slot : slots_) {
    ByteWriter results;
    // One that was stopped before its PEval has none.
    if (slot.statistics().rounds_run() > 0) slot.worker().write_results(results);
    if (first) {
      take(slot.id(), results.span());
      continue;
    }
    ByteWriter frame = frame_of(Kind::Result);
    frame.varint(slot.id().value());
    frame.raw(results.span());
    endpoint_.send(NodeId(0), frame.take());
  }
  // Whatever was said before is heard when everybody's last word is: the next run begins with silence.
  endpoint_.send_to_all(frame_of(Kind::Finished).span());
  hear_all({"results"}, [this] { return finished_; });
  for (const auto& [worker, piece] : results_) take(worker, piece);
  results_.clear();
}

std::vector<std::pair<NodeId, NodeOutcome>> Engine::exchange_outcomes(const NodeOutcome& own) {
  if (endpoint_.self() != NodeId(0)) {
    ByteWriter frame = frame_of(Kind::Outcome);
    write_fields(frame, own);
    endpoint_.send(NodeId(0), frame.take());
    return {};
  }
  hear_all({"what nodes tell of their run"}, [this] { return outcomes_.size(); });
  return std::move(outcomes_);
}

}  // namespace leeway::pie
