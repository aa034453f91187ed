// A virtual worker: its interface to the engine (VirtualWorker), the buffer of received updates (Buffer), sending
// updates to peers (UpdateSender), and the implementation for a program (VirtualWorkerOf).
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/archive.h"
#include "base/bytes.h"
#include "base/check.h"
#include "leeway/pie_program.h"
#include "runtime/cluster/record.h"
#include "runtime/pie/fragment.h"
#include "transport/transport.h"

namespace leeway::pie {

/// The buffer B of a virtual worker (AAP §3): the updates of its parameters received since its last round, aggregated
/// by f_aggr as they arrive. A round takes all of them and leaves the buffer empty, so no message is seen twice or in
/// part. Parameters without an update take only one array entry. Not thread-safe.
template <class P>
class Buffer {
  using Value = typename P::Value;

 public:
  explicit Buffer(std::uint32_t places) : slots_(places, kNone) {}

  void fold(Place place, Value value) {
    ++folded_;
    std::uint32_t& slot = slots_[place];
    if (slot == kNone) {
      slot = static_cast<std::uint32_t>(updates_.size());
      updates_.push_back({place, std::move(value)});
    } else {
      P::aggregate(updates_[slot].value, value);
    }
  }
  void count_message() { ++messages_; }
  /// Leaves `other` empty.
  void add_all_of(Buffer& other) {
    messages_ += other.messages_;
    std::vector<Update<Value>> updates;
    other.take(updates);
    for (Update<Value>& update : updates) fold(update.place, std::move(update.value));
  }

  void save(ByteWriter& out) const {
    out.varint(messages_);
    out.varint(folded_);
    out.varint(updates_.size());
    for (const Update<Value>& update : updates_) {
      out.varint(update.place);
      write_value<P>(update.value, out);
    }
  }
  void restore(ByteReader& in) {
    const std::uint64_t messages = in.varint();
    const std::uint64_t folded = in.varint();
    for (std::uint64_t left = in.varint_up_to(in.left()); left > 0 && !in.failed(); --left) {
      const std::uint64_t place = in.varint();
      Value value{};
      read_value<P>(in, value);
      if (place >= slots_.size()) in.fail();
      if (!in.failed()) fold(static_cast<Place>(place), std::move(value));
    }
    messages_ = messages;
    folded_ = folded;
  }

  [[nodiscard]] bool empty() const { return messages_ == 0; }
  /// eta: messages since the last `take`.
  [[nodiscard]] std::uint64_t messages() const { return messages_; }
  /// Number of distinct parameters with an update.
  [[nodiscard]] std::size_t size() const { return updates_.size(); }
  [[nodiscard]] const std::vector<Update<Value>>& updates() const { return updates_; }

  /// Number of updates received, repeated ones included.
  [[nodiscard]] std::uint64_t folded() const { return folded_; }

  /// Moves all updates to `into`, whose old content is dropped.
  void take(std::vector<Update<Value>>& into) {
    into.clear();
    std::swap(into, updates_);
    for (const Update<Value>& update : into) slots_[update.place] = kNone;
    messages_ = 0;
    folded_ = 0;
  }

 private:
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

  std::vector<std::uint32_t> slots_;  // by place
  std::vector<Update<Value>> updates_;
  std::uint64_t messages_ = 0;
  std::uint64_t folded_ = 0;
};

/// What a round did.
struct RoundWork {
  Work work;                              ///< as counted by the program
  std::uint64_t folded = 0;               ///< updates received, repeated ones included
  std::uint64_t taken = 0;                ///< distinct parameters in taken messages
  std::uint64_t sent = 0;                 ///< changed parameters sent
  bool iterates = true;                   ///< counts as an iteration of the program
  std::optional<Residual> residual = {};  ///< if the program measures one
};

/// How a worker's messages are held back if no barrier keeps rounds in step (UpdateSender).
enum class Pacing : std::uint8_t {
  Off,
  /// A peer gets the next message only after it has answered the last one.
  Answers,
  /// As Answers; also, a round takes only one message of each peer, and begins after all peers have answered.
  Lockstep,
};

/// A virtual worker P_i as the engine sees it, independent of its program: a fragment, partial results, the buffer of
/// received updates, and the messages of its last round. Used by one thread at a time; rounds of different workers
/// may run in parallel.
class VirtualWorker {
 public:
  virtual ~VirtualWorker() = default;

  [[nodiscard]] virtual const Fragment& fragment() const = 0;
  [[nodiscard]] virtual Routes& routes() = 0;

  /// PEval for the first round, IncEval for the others: takes the buffer and collects messages.
  virtual RoundWork peval() = 0;
  virtual RoundWork inceval() = 0;
  /// Passes the collected messages to `take`, one for each addressed fragment. An empty message is only an answer.
  virtual void drain(const std::function<void(PartId to, std::span<const std::byte>)>& take) = 0;

  /// Sets the pacing, as far as the program allows: Answers if its changes add up, Lockstep while they also cancel.
  /// If turned off, held-back values become messages.
  virtual void pace(Pacing pacing) = 0;
  /// Whether messages are held back.
  [[nodiscard]] virtual bool paced() const = 0;
  [[nodiscard]] virtual bool in_lockstep() const = 0;
  /// The worker has been in lockstep and left it because it did not help; waiting for later messages is then useless.
  [[nodiscard]] virtual bool waits_in_vain() const = 0;
  /// A message of worker `from` has arrived, possibly empty. `slow`: its rounds take at least twice as long as this
  /// worker's.
  virtual void heard(PartId from, bool slow) = 0;
  /// Whether values or answers are held back.
  [[nodiscard]] virtual bool keeps() const = 0;
  /// Whether the messages of the next round may be sent immediately.
  [[nodiscard]] virtual bool ready() const = 0;
  /// Whether no peer owes an answer.
  [[nodiscard]] virtual bool answered() const = 0;
  /// Makes empty messages for peers that wait for an answer, except, in lockstep, for those that are a round ahead.
  /// True if there are any.
  [[nodiscard]] virtual bool answer() = 0;
  /// Makes messages of the held-back values that may be sent now. Returns the number of parameters.
  virtual std::uint64_t release() = 0;

  /// Adds a message to the buffer, or with `ahead` to that of the next superstep. In lockstep, further messages of a
  /// peer, beyond the one that the next round takes, are kept for the round after it. False for an invalid message.
  [[nodiscard]] virtual bool receive(PartId from, std::span<const std::byte> message,
                                     bool ahead) = 0;
  /// Makes the messages that arrived ahead available to the next round.
  virtual void advance() = 0;

  /// eta_i.
  [[nodiscard]] virtual std::uint64_t staleness() const = 0;
  /// Number of distinct parameters in the buffer.
  [[nodiscard]] virtual std::uint64_t pending() const = 0;
  /// Whether messages have arrived ahead.
  [[nodiscard]] virtual bool has_ahead() const = 0;
  [[nodiscard]] virtual bool unfinished() const = 0;
  /// Whether the program always converges, so that stalled rounds do not end its run.
  [[nodiscard]] virtual bool always_rests() const = 0;
  /// Number of this fragment's vertices that other fragments hold too, as far as announced.
  [[nodiscard]] virtual std::uint64_t border_count() const = 0;
  /// Calls `take` for the vertex of every `step`-th update in the buffer. Returns how many of these updates cause work. For
  /// the predictor.
  virtual std::uint64_t sample_updates(std::size_t step,
                                       const std::function<void(VertexId)>& take) const = 0;
  /// The work left by earlier rounds, for the predictor.
  [[nodiscard]] virtual double backlog() const = 0;

  /// Whether PEval can start from results.
  [[nodiscard]] virtual bool resumes() const = 0;
  /// Sets the results that PEval starts from, in the format of `write_results`. False if they are none of this fragment.
  [[nodiscard]] virtual bool resume(std::span<const std::byte> results) = 0;
  /// Writes the results of the inner vertices, in the order of their places.
  virtual void write_results(ByteWriter& out) const = 0;

  /// Whether the partial result can be saved (base/archive.h).
  [[nodiscard]] virtual bool saves() const = 0;
  /// Writes the worker's whole state between two rounds: the partial result, the buffer, and what is held back.
  virtual void save(ByteWriter& out) const = 0;
  /// Continues from a saved state, instead of PEval. The reader fails if the bytes are no state of this worker. False
  /// if messages were paced differently in the saved run: then no peer owes an answer, messages of the saved run are not
  /// `heard`, and there may be messages to send.
  virtual bool restore(ByteReader& in) = 0;
};

// Sends a worker's updates to its peers: the messages of its last round and, if sending is paced, values held back
// until a peer has answered. Not thread-safe.
//
// Without pacing, every round sends to every peer for which something has changed. If a message takes longer than a
// round and changes add up instead of replacing each other, this never converges: each message starts a round, each
// round sends a message to all peers, and the changes in flight are split into ever smaller parts. With pacing,
// values are aggregated here by f_aggr, as the peer's buffer would do, until three conditions hold:
//
//   - The peer has answered all earlier messages. Every message is an answer, an empty one if there is nothing to send.
//     So at most two messages are in flight between two workers.
//   - At most half of this worker's peers owe it an answer; otherwise the message would contain little of what is about
//     to arrive. Answers wait for this condition too. Not all workers can wait forever: of two workers at most one waits
//     for the other, so some worker waits for at most half of its peers. It sends even while its schedule suspends it
//     (engine.cc).
//   - The message's size (by the program's `magnitude`) is at least half of the largest unanswered message: while that
//     one is being processed, smaller changes do not matter. A message that a slow peer has not answered for
//     more than one round of this worker does not count. Otherwise the worker's other peers, too, would get its changes
//     only after the slow peer's rounds.
//
// Held-back values are sent at the latest when all peers have answered, so none is lost.
template <class P>
class UpdateSender {
  using Value = typename P::Value;

 public:
  explicit UpdateSender(const Routes& routes) : routes_(routes) {}

  /// Turns pacing on or off and forgets which answers are owed. Turned off, held-back values become messages.
  void pace(bool on) {
    paced_ = false;
    (void)release();
    paced_ = on;
    for (PeerUpdates& peer : peers_) peer.unanswered = 0;
    owing_ = waiting_ = 0;
  }

  [[nodiscard]] bool paced() const { return paced_; }

  /// Sends the parameter of `place` to the other fragments that hold the vertex. Returns their number.
  std::uint64_t put(Place place, const Value& value) {
    const auto elsewhere = routes_.of(place);
    std::size_t route = routes_.first_of(place);
    for (const Elsewhere& to : elsewhere) {
      const std::uint32_t peer = peer_on(route, to.fragment);
      if (paced_) {
        keep(peer, to.place, route, value);
      } else {
        write(peer, to.place, value);
      }
      ++route;
    }
    return elsewhere.size();
  }

  /// The worker has run a round and put its values.
  void end_round() {
    for (PeerUpdates& peer : peers_) ++peer.rounds_since;
  }

  /// Makes messages of the held-back values for peers that have answered. Returns the number of values.
  std::uint64_t release() {
    may_send_ = ready();
    if (kept_ == 0 || !may_send_) return 0;
    std::uint64_t released = 0;
    double most = 0;  // of the unanswered messages
    for (const PeerUpdates& peer : peers_)
      most = std::max(most, waits(peer) && !late(peer) ? peer.magnitude : 0.0);
    for (const auto& [fragment, at] : index_) {
      PeerUpdates& peer = peers_[at];
      if (peer.kept.empty() || waits(peer)) continue;
      const double magnitude = sum_of(peer.kept);
      if (magnitude < kMatters * most) continue;
      peer.magnitude = magnitude;
      peer.rounds_since = 0;
      for (const UnsentUpdate& each : peer.kept) {
        write(at, each.place, each.value);
        slots_[each.route] = kNone;
      }
      released += peer.kept.size();
      peer.kept.clear();
    }
    kept_ -= released;
    return released;
  }

  /// Whether the messages of the next round may be sent.
  [[nodiscard]] bool ready() const { return !paced_ || 2 * owing_ <= known_; }
  /// Whether no peer owes an answer.
  [[nodiscard]] bool answered() const { return owing_ == 0; }
  /// A message of worker `from` has arrived, possibly empty.
  void heard(PartId from, bool slow) {
    if (!paced_) return;
    PeerUpdates& peer = peers_[peer_of(from)];
    peer.slow = slow;
    count(peer, -1);
  }
  /// Makes empty messages for the peers that wait for an answer and for which `selects(peer)` is true. True if there
  /// are any.
  template <class Selects>
  bool answer(Selects&& selects) {
    if (waiting_ == 0) return false;
    bool any = false;
    for (const auto& [fragment, at] : index_) {
      if (peers_[at].unanswered < 0 && selects(fragment)) peers_[at].answer = any = true;
    }
    return any;
  }
  /// Whether values or answers are held back.
  [[nodiscard]] bool keeps() const { return kept_ > 0 || waiting_ > 0; }

  /// Passes the messages to `take`, one for each peer; empty ones to peers that wait for an answer.
  template <class Take>
  void drain(Take&& take) {
    for (const std::uint32_t at : addressed_) {
      PeerUpdates& peer = peers_[at];
      take(peer.fragment, peer.message.span());
      peer.message.clear();
      peer.last = 0;
      count(peer, 1);
    }
    addressed_.clear();
    if (waiting_ == 0) return;
    for (const auto& [fragment, at] : index_) {
      PeerUpdates& peer = peers_[at];
      const bool at_once = std::exchange(peer.answer, false);
      if (peer.unanswered >= 0 || !(may_send_ || at_once)) continue;
      count(peer, 1);
      take(fragment, {});
    }
  }

  /// Between two rounds, when no message is waiting to be drained.
  void save(ByteWriter& out) const {
    LEEWAY_CHECK(addressed_.empty());
    out.byte(may_send_ ? 1 : 0);
    out.varint(peers_.size());
    for (const auto& [fragment, at] : index_) {
      const PeerUpdates& peer = peers_[at];
      save_all(out, fragment, peer.unanswered, peer.known, peer.answer, peer.magnitude);
      out.varint(peer.kept.size());
      for (const UnsentUpdate& each : peer.kept) {
        out.varint(each.place);
        write_value<P>(each.value, out);
      }
    }
  }
  /// `paced`: as when it was saved. `places`: of the worker's fragment, one of `fragments`.
  void restore(ByteReader& in, bool paced, Place places, std::uint32_t fragments) {
    paced_ = paced;
    may_send_ = in.byte() != 0;
    std::map<std::pair<PartId, Place>, std::size_t> route_to;
    for (std::uint64_t left = in.varint_up_to(in.left()); left > 0 && !in.failed(); --left) {
      PartId fragment{0};
      load_all(in, fragment);
      if (fragment.value() >= fragments) return in.fail();
      const std::uint32_t at = peer_of(fragment);
      PeerUpdates& peer = peers_[at];
      int unanswered = 0;
      bool known = false;
      load_all(in, unanswered, known, peer.answer, peer.magnitude);
      if (known) count(peer, unanswered);
      for (std::uint64_t kept = in.varint_up_to(in.left()); kept > 0 && !in.failed(); --kept) {
        if (route_to.empty()) route_to = routes_by_end(places);
        const auto place = static_cast<Place>(in.varint());
        Value value{};
        read_value<P>(in, value);
        const auto route = route_to.find({fragment, place});
        if (route == route_to.end()) return in.fail();
        keep(at, place, route->second, value);
      }
    }
  }

 private:
  static constexpr double kMatters = 0.5;  // fraction of the largest unanswered message
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

  struct UnsentUpdate {
    Place place;
    std::size_t route;
    Value value;
  };
  struct PeerUpdates {
    PartId fragment{0};
    ByteWriter message{};
    std::uint64_t last = 0;  // the place written last
    int unanswered = 0;   // messages sent minus messages received; below 0: it waits for an answer
    bool known = false;   // a message was sent to it or received from it
    bool answer = false;  // an answer must be sent with the next drain
    bool slow = false;    // its rounds take much longer than this worker's
    std::vector<UnsentUpdate> kept{};
    double magnitude = 0;            // magnitude of the last message
    std::uint32_t rounds_since = 0;  // rounds of this worker since the last message
  };

  [[nodiscard]] static double sum_of(const std::vector<UnsentUpdate>& kept) {
    double sum = 0;
    if constexpr (adds_up<P>()) {
      for (const UnsentUpdate& each : kept) sum += P::magnitude(each.value);
    }
    return sum;
  }
  void count(PeerUpdates& peer, int messages) {
    if (!paced_) return;
    known_ += peer.known ? 0 : 1;
    peer.known = true;
    owing_ -= peer.unanswered > 0 ? 1 : 0;
    waiting_ -= peer.unanswered < 0 ? 1 : 0;
    peer.unanswered += messages;
    owing_ += peer.unanswered > 0 ? 1 : 0;
    waiting_ += peer.unanswered < 0 ? 1 : 0;
  }
  [[nodiscard]] bool waits(const PeerUpdates& peer) const { return paced_ && peer.unanswered > 0; }
  [[nodiscard]] static bool late(const PeerUpdates& peer) {
    return peer.slow && peer.rounds_since > 1;
  }

  /// Index of the peer in `peers_`; adds it if necessary.
  std::uint32_t peer_of(PartId fragment) {
    const auto [found, fresh] =
        index_.try_emplace(fragment, static_cast<std::uint32_t>(peers_.size()));
    if (fresh) peers_.push_back({.fragment = fragment});
    return found->second;
  }
  std::uint32_t peer_on(std::size_t route, PartId fragment) {
    if (peer_of_route_.empty()) peer_of_route_.assign(routes_.count(), kNone);
    std::uint32_t& peer = peer_of_route_[route];
    if (peer == kNone) peer = peer_of(fragment);
    return peer;
  }

  void keep(std::uint32_t at, Place place, std::size_t route, const Value& value) {
    PeerUpdates& peer = peers_[at];
    if (slots_.empty()) slots_.assign(routes_.count(), kNone);
    std::uint32_t& slot = slots_[route];
    if (slot != kNone) {
      P::aggregate(peer.kept[slot].value, value);
      return;
    }
    slot = static_cast<std::uint32_t>(peer.kept.size());
    peer.kept.push_back({place, route, value});
    ++kept_;
  }

  /// The routes by the fragment and the place where they end.
  [[nodiscard]] std::map<std::pair<PartId, Place>, std::size_t> routes_by_end(Place places) const {
    std::map<std::pair<PartId, Place>, std::size_t> by_end;
    for (Place place = 0; place < places; ++place) {
      std::size_t route = routes_.first_of(place);
      for (const Elsewhere& to : routes_.of(place)) by_end[{to.fragment, to.place}] = route++;
    }
    return by_end;
  }

  void write(std::uint32_t at, Place place, const Value& value) {
    PeerUpdates& peer = peers_[at];
    if (peer.message.empty()) addressed_.push_back(at);
    const std::uint64_t step = place - peer.last;
    peer.message.varint((step << 1) ^ (0 - (step >> 63)));
    peer.last = place;
    write_value<P>(value, peer.message);
  }

  const Routes& routes_;
  bool paced_ = false;
  /// Peers that sent or received a message; few even if there are many workers.
  std::vector<PeerUpdates> peers_;
  std::map<PartId, std::uint32_t> index_;  // index in peers_
  /// By route: index in peers_; empty: nothing was sent yet.
  std::vector<std::uint32_t> peer_of_route_;
  std::vector<std::uint32_t>
      slots_;  // by route: index of its held-back value; empty: none ever was
  std::uint64_t kept_ = 0;
  std::uint32_t known_ = 0;    // number of peers
  std::uint32_t owing_ = 0;    // peers that owe an answer
  std::uint32_t waiting_ = 0;  // peers that wait for an answer
  bool may_send_ = true;
  std::vector<std::uint32_t> addressed_;  // indices in peers_
};

// The virtual worker of a program: connects its functions with buffers and messages.
template <PieProgram P>
class VirtualWorkerOf final : public VirtualWorker {
  using Value = typename P::Value;

 public:
  VirtualWorkerOf(const Fragment& fragment, const P& program)
      : fragment_(fragment),
        program_(program),
        routes_(fragment),
        changes_(routes_, fragment.vertex_count(),
                 program.candidates() == Candidates::Border || fragment.cut() == Cut::Vertex),
        now_(fragment.vertex_count()),
        ahead_(fragment.fragment_count() > 1 ? fragment.vertex_count() : 0),
        sender_(routes_) {}

  [[nodiscard]] const Fragment& fragment() const override { return fragment_; }
  [[nodiscard]] Routes& routes() override { return routes_; }

  RoundWork peval() override {
    RoundWork round;
    round.work = evaluate();
    round.iterates = iterated();
    round.sent = gather();
    round.residual = residual_of(program_, partial_);
    return round;
  }

  RoundWork inceval() override {
    RoundWork round;
    round.folded = now_.folded();
    now_.take(updates_);
    next_messages();
    round.taken = updates_.size();
    round.work = program_.inceval(fragment_, partial_, std::span(updates_), changes_);
    round.iterates = iterated();
    if (in_lockstep_ && !cancels(program_, partial_)) leave_lockstep();
    round.sent = gather();
    round.residual = residual_of(program_, partial_);
    return round;
  }

  void drain(const std::function<void(PartId, std::span<const std::byte>)>& take) override {
    sender_.drain(take);
  }

  void pace(Pacing pacing) override {
    pacing_ = pacing;
    sender_.pace(paces(pacing));
    began_in_lockstep_ = in_lockstep_ =
        pacing == Pacing::Lockstep && adds_up<P>() && cancels(program_, partial_);
  }
  [[nodiscard]] bool paced() const override { return sender_.paced(); }
  [[nodiscard]] bool in_lockstep() const override { return in_lockstep_; }
  [[nodiscard]] bool waits_in_vain() const override { return began_in_lockstep_ && !in_lockstep_; }
  void heard(PartId from, bool slow) override {
    sender_.heard(from, slow);
    if (in_lockstep_) ++came_[from];
  }
  [[nodiscard]] bool keeps() const override { return sender_.keeps(); }
  [[nodiscard]] bool ready() const override { return sender_.ready(); }
  [[nodiscard]] bool answered() const override { return sender_.answered(); }
  [[nodiscard]] bool answer() override {
    return sender_.answer([this](PartId to) { return !in_lockstep_ || came_from(to) <= 1; });
  }
  std::uint64_t release() override { return sender_.release(); }

  [[nodiscard]] bool receive(PartId from, std::span<const std::byte> message, bool ahead) override {
    const bool has_one = in_lockstep_ && !now_.empty() && came_from(from) > 0;
    Buffer<P>& buffer = ahead || has_one ? ahead_ : now_;
    ByteReader in(message);
    std::uint64_t place = 0;
    while (!in.at_end()) {
      // Places are encoded as differences, because a home's places mostly ascend.
      const std::uint64_t step = in.varint();
      place += (step >> 1) ^ (0 - (step & 1));
      Value value{};
      read_value<P>(in, value);
      if (in.failed() || place >= fragment_.vertex_count()) return false;
      buffer.fold(static_cast<Place>(place), std::move(value));
    }
    buffer.count_message();
    return true;
  }

  void advance() override {
    if (ahead_.empty()) return;
    LEEWAY_CHECK(now_.empty());
    std::swap(now_, ahead_);
  }

  [[nodiscard]] std::uint64_t staleness() const override { return now_.messages(); }
  [[nodiscard]] std::uint64_t pending() const override { return now_.size(); }
  [[nodiscard]] bool has_ahead() const override { return !ahead_.empty(); }
  [[nodiscard]] bool unfinished() const override { return pie::unfinished(program_, partial_); }
  [[nodiscard]] std::uint64_t border_count() const override { return routes_.border_count(); }
  std::uint64_t sample_updates(std::size_t step,
                               const std::function<void(VertexId)>& take) const override {
    const auto& updates = now_.updates();
    std::uint64_t matter = 0;
    for (std::size_t i = 0; i < updates.size(); i += step) {
      take(fragment_.vertex(updates[i].place));
      matter += std::uint64_t{matters(program_, partial_, updates[i])};
    }
    return matter;
  }
  [[nodiscard]] double backlog() const override {
    return backlog_of(program_, fragment_, partial_);
  }

  [[nodiscard]] bool always_rests() const override { return pie::always_rests<P>(); }
  [[nodiscard]] bool resumes() const override { return ResumingProgram<P>; }
  bool resume(std::span<const std::byte> results) override {
    ByteReader in(results);
    saved_.resize(fragment_.vertex_count());
    for (typename P::Result& result : saved_) read_value<P>(in, result);
    return !in.failed() && in.at_end();
  }

  void write_results(ByteWriter& out) const override {
    for (Place p = 0; p < fragment_.inner_count(); ++p) {
      const typename P::Result result = program_.result(fragment_, partial_, p);
      write_value<P>(result, out);
    }
  }

  [[nodiscard]] bool saves() const override { return kCanSave<typename P::Partial>; }
  void save(ByteWriter& out) const override {
    if constexpr (kCanSave<typename P::Partial>) {
      save_all(out, pacing_, in_lockstep_, began_in_lockstep_, came_, partial_);
      now_.save(out);
      ahead_.save(out);
      sender_.save(out);
    } else {
      LEEWAY_CHECK(saves());
    }
  }
  bool restore(ByteReader& in) override {
    if constexpr (kCanSave<typename P::Partial>) {
      const Pacing now = pacing_;
      load_all(in, pacing_, in_lockstep_, began_in_lockstep_, came_, partial_);
      passes_ = passes_of(program_, partial_).value_or(0);  // of this run
      now_.restore(in);
      ahead_.restore(in);
      sender_.restore(in, paces(pacing_), fragment_.vertex_count(), fragment_.fragment_count());
      if (in.failed() || now == pacing_) return true;
      came_.clear();
      pace(now);
      now_.add_all_of(ahead_);  // all messages that have arrived are due
      return false;
    } else {
      LEEWAY_CHECK(saves());
      return false;
    }
  }

 private:
  [[nodiscard]] static bool paces(Pacing pacing) { return pacing != Pacing::Off && adds_up<P>(); }

  void next_messages() {
    if (!in_lockstep_) return;
    for (auto& [from, messages] : came_) messages = messages > 1 ? 1 : 0;
    advance();
  }

  /// All remaining messages of the peers become due.
  void leave_lockstep() {
    in_lockstep_ = false;
    came_.clear();
  }
  [[nodiscard]] std::uint32_t came_from(PartId peer) const {
    const auto found = came_.find(peer);
    return found == came_.end() ? 0 : found->second;
  }

  /// Whether the last round was an iteration of the program.
  bool iterated() {
    const auto passes = passes_of(program_, partial_);
    if (!passes) return true;
    const bool more = *passes > passes_;
    passes_ = *passes;
    return more;
  }

  Work evaluate() {
    if constexpr (ResumingProgram<P>) {
      if (!saved_.empty()) {
        const auto saved = std::exchange(saved_, {});
        return program_.peval_from(fragment_, partial_, std::span(saved), changes_);
      }
    }
    return program_.peval(fragment_, partial_, changes_);
  }

  /// Collects designated messages: each marked parameter goes into the message of every other fragment that holds the
  /// vertex.
  std::uint64_t gather() {
    std::uint64_t sent = 0;
    changes_.drain([&](Place place) {
      if (!changes_.border() && fragment_.is_inner(place)) return;
      if (routes_.of(place).empty()) return;
      sent += sender_.put(place, program_.parameter(fragment_, partial_, place));
    });
    sender_.end_round();
    (void)sender_.release();
    return sent;
  }

  const Fragment& fragment_;
  const P& program_;
  typename P::Partial partial_{};
  Routes routes_;
  Changes changes_;
  Buffer<P> now_;
  Buffer<P> ahead_;
  std::vector<Update<Value>> updates_;
  UpdateSender<P> sender_;
  std::uint32_t passes_ = 0;  // passes completed by the program
  Pacing pacing_ = Pacing::Off;
  bool in_lockstep_ = false;
  bool began_in_lockstep_ = false;
  std::unordered_map<PartId, std::uint32_t>
      came_;                               // messages by peer; the next round takes one of each
  std::vector<typename P::Result> saved_;  // by place, from a snapshot; empty: none
};

}  // namespace leeway::pie
