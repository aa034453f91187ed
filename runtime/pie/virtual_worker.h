// The buffer B of a virtual worker (AAP §3): what messages said of its update parameters since its last
// round, folded by f_aggr as they come. A round takes all of it at once and leaves it empty, so that no
// message is seen twice or in part. Costs nothing for parameters nobody spoke of. One thread's own.
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

#include "base/bytes.h"
#include "base/check.h"
#include "leeway/pie_program.h"
#include "runtime/cluster/record.h"
#include "runtime/pie/fragment.h"
#include "transport/transport.h"

namespace leeway::pie {

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

  [[nodiscard]] bool empty() const { return messages_ == 0; }
  /// eta: messages since the last take.
  [[nodiscard]] std::uint64_t messages() const { return messages_; }
  /// Parameters that they speak of.
  [[nodiscard]] std::size_t size() const { return updates_.size(); }
  [[nodiscard]] const std::vector<Update<Value>>& updates() const { return updates_; }

  /// How many parameters came, some of them more than once.
  [[nodiscard]] std::uint64_t folded() const { return folded_; }

  /// All of it; the buffer is empty afterwards. What `into` held is dropped.
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

// A virtual worker P_i as the engine sees it, whatever its program: a fragment, partial results, a buffer of
// what has come, and the messages its last round made. One thread's own.

/// What a round did.
struct RoundWork {
  Work work;                              ///< as the program counted it
  std::uint64_t folded = 0;               ///< parameters that came, each as often as it did
  std::uint64_t taken = 0;                ///< parameters that messages spoke of
  std::uint64_t sent = 0;                 ///< parameters that changed and travel
  bool iterates = true;                   ///< it is an iteration of the program
  std::optional<Residual> residual = {};  ///< of programs that have one
};

/// How a worker's messages are held back where no barrier keeps rounds in step.
enum class Pacing : std::uint8_t {
  Off,
  Answers,   ///< a peer gets its next message only once it has answered the last (update_sender.h)
  Lockstep,  ///< and a round takes one message of each peer, and begins once all have answered
};

class VirtualWorker {
 public:
  virtual ~VirtualWorker() = default;

  [[nodiscard]] virtual const Fragment& fragment() const = 0;
  [[nodiscard]] virtual Routes& routes() = 0;

  /// PEval in the first round, IncEval in the others: takes the buffer and gathers messages.
  virtual RoundWork peval() = 0;
  virtual RoundWork inceval() = 0;
  /// Hands the gathered messages over, one a fragment that is spoken to; an empty one is an answer only.
  virtual void drain(const std::function<void(PartId to, std::span<const std::byte>)>& take) = 0;

  /// From here on, as far as the program allows: answers where its changes add up, lockstep while they cancel, too.
  /// Turned off, what was kept becomes messages.
  virtual void pace(Pacing pacing) = 0;
  /// Messages are held back as `pace` said, which not every program allows.
  [[nodiscard]] virtual bool paced() const = 0;
  [[nodiscard]] virtual bool in_lockstep() const = 0;
  /// It has been in lockstep, and found that to be of no use.
  [[nodiscard]] virtual bool waits_in_vain() const = 0;
  /// A message of that worker has come, empty or not.
  virtual void heard(PartId from) = 0;
  /// Changes wait for the answer of a peer.
  [[nodiscard]] virtual bool keeps() const = 0;
  /// What the next round makes may be sent at once.
  [[nodiscard]] virtual bool ready() const = 0;
  /// No peer owes an answer.
  [[nodiscard]] virtual bool answered() const = 0;
  /// Makes empty messages for those that wait for an answer, but for who waits for a round that it is ahead of. True if
  /// there are any.
  [[nodiscard]] virtual bool answer() = 0;
  /// Makes messages of those that need not wait any more. Returns of how many parameters.
  virtual std::uint64_t release() = 0;

  /// A message into the buffer; `ahead`: into the one of the next step. In lockstep, what a peer sends besides the
  /// message that the next round takes is left for the round after. False if it makes no sense.
  [[nodiscard]] virtual bool receive(PartId from, std::span<const std::byte> message,
                                     bool ahead) = 0;
  /// What came ahead becomes due.
  virtual void advance() = 0;

  /// eta_i.
  [[nodiscard]] virtual std::uint64_t staleness() const = 0;
  /// Parameters that the buffer speaks of.
  [[nodiscard]] virtual std::uint64_t pending() const = 0;
  /// Something came ahead.
  [[nodiscard]] virtual bool has_ahead() const = 0;
  [[nodiscard]] virtual bool unfinished() const = 0;
  /// Of the program: no run of it is given up.
  [[nodiscard]] virtual bool always_rests() const = 0;
  /// Vertices of this fragment that others hold too, as far as is known.
  [[nodiscard]] virtual std::uint64_t border_count() const = 0;
  /// The vertices that the buffer speaks of, for the predictor.
  virtual void each_update(const std::function<void(VertexId)>& take) const = 0;

  /// Whether PEval can begin from results.
  [[nodiscard]] virtual bool resumes() const = 0;
  /// Those that PEval is to begin from, as `write_results` writes them.
  virtual void resume(std::span<const std::byte> results) = 0;
  /// The results of the inner vertices, in the order of their places.
  virtual void write_results(ByteWriter& out) const = 0;
};

// What a worker has for its peers: the messages of its last round and, where sending is paced, values that
// wait until a peer has answered. One thread's own.
//
// Without pacing every round sends to every peer for which something has changed. Where a message takes
// longer than a round, and changes add up instead of replacing each other, that never settles: each message
// starts a round, each round sends all peers a message, and what is on its way is cut into ever smaller
// pieces. Paced, values are folded here by f_aggr, as the peer's buffer would fold them, until three things
// hold:
//   - the peer has answered all messages before. Whatever it sends is an answer; if it has nothing to say, an
//     empty message. So at most two messages are on their way between two workers.
//   - At most half of this worker's peers owe it an answer, or what it sends would say little of what is
//     about to come. Answers wait for this, too. Not all can wait forever: of the two workers of a pair
//     one at most waits for the other, so some worker waits for at most half of its peers; it says what it
//     has even while its schedule suspends it (engine.cc).
//   - The message says at least half as much (by the program's `magnitude`) as the largest one that has not
//     been answered: while that is being worked on, smaller changes do not matter.
// Values that are kept go out at the latest when all peers have answered, so none is lost.
template <class P>
class UpdateSender {
  using Value = typename P::Value;

 public:
  explicit UpdateSender(const Routes& routes) : routes_(routes) {}

  /// From here on; forgets who owes whom an answer. Turned off, what was kept becomes messages.
  void pace(bool on) {
    paced_ = false;
    (void)release();
    paced_ = on;
    for (PeerUpdates& peer : peers_) peer.unanswered = 0;
    asked_ = waiting_ = 0;
  }

  [[nodiscard]] bool paced() const { return paced_; }

  /// The parameter of `place` to wherever it is held besides. Returns to how many.
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

  /// Makes messages of what is kept for those who have answered. Returns of how many values.
  std::uint64_t release() {
    may_send_ = ready();
    if (kept_ == 0 || !may_send_) return 0;
    std::uint64_t released = 0;
    double most = 0;  // that has not been answered
    for (const PeerUpdates& peer : peers_) most = std::max(most, waits(peer) ? peer.said : 0.0);
    for (const auto& [fragment, at] : index_) {
      PeerUpdates& peer = peers_[at];
      if (peer.kept.empty() || waits(peer)) continue;
      const double says = sum_of(peer.kept);
      if (says < kMatters * most) continue;
      peer.said = says;
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

  /// What the next round makes may be sent.
  [[nodiscard]] bool ready() const { return !paced_ || 2 * asked_ <= known_; }
  /// Nobody owes an answer.
  [[nodiscard]] bool answered() const { return asked_ == 0; }
  /// A message has come, empty or not.
  void heard(PartId from) {
    if (paced_) count(peers_[peer_of(from)], -1);
  }
  /// Hands an empty message to those of `whom(peer)` that wait for an answer. True if there are any.
  template <class Whom>
  bool answer(Whom&& whom) {
    if (waiting_ == 0) return false;
    bool any = false;
    for (const auto& [fragment, at] : index_) {
      if (peers_[at].unanswered < 0 && whom(fragment)) peers_[at].answer = any = true;
    }
    return any;
  }
  /// Values are kept, or answers.
  [[nodiscard]] bool keeps() const { return kept_ > 0 || waiting_ > 0; }

  /// Hands the messages over, one a peer; empty ones to those that wait for an answer.
  template <class Take>
  void drain(Take&& take) {
    for (const std::uint32_t at : spoken_to_) {
      PeerUpdates& peer = peers_[at];
      take(peer.fragment, peer.message.span());
      peer.message.clear();
      peer.last = 0;
      count(peer, 1);
    }
    spoken_to_.clear();
    if (waiting_ == 0) return;
    for (const auto& [fragment, at] : index_) {
      PeerUpdates& peer = peers_[at];
      const bool at_once = std::exchange(peer.answer, false);
      if (peer.unanswered >= 0 || !(may_send_ || at_once)) continue;
      count(peer, 1);
      take(fragment, {});
    }
  }

 private:
  static constexpr double kMatters = 0.5;  // of the largest message under way
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

  struct UnsentUpdate {
    Place place;
    std::size_t route;
    Value value;
  };
  struct PeerUpdates {
    PartId fragment{0};
    ByteWriter message;
    std::uint64_t last = 0;  // the place written last
    int unanswered = 0;      // messages to it without those from it; below 0: it waits
    bool known = false;      // a message has gone there, or come from there
    bool answer = false;     // what is handed over next is to answer it
    std::vector<UnsentUpdate> kept;
    double said = 0;  // of the last message: what its values come to
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
    asked_ -= peer.unanswered > 0 ? 1 : 0;
    waiting_ -= peer.unanswered < 0 ? 1 : 0;
    peer.unanswered += messages;
    asked_ += peer.unanswered > 0 ? 1 : 0;
    waiting_ += peer.unanswered < 0 ? 1 : 0;
  }
  [[nodiscard]] bool waits(const PeerUpdates& peer) const { return paced_ && peer.unanswered > 0; }

  /// Where it stands in `peers_`, from now on if it did not before.
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

  void write(std::uint32_t at, Place place, const Value& value) {
    PeerUpdates& peer = peers_[at];
    if (peer.message.empty()) spoken_to_.push_back(at);
    const std::uint64_t step = place - peer.last;
    peer.message.varint((step << 1) ^ (0 - (step >> 63)));
    peer.last = place;
    write_value<P>(value, peer.message);
  }

  const Routes& routes_;
  bool paced_ = false;
  std::vector<PeerUpdates>
      peers_;  // those spoken to or heard, which are few where workers are many
  std::map<PartId, std::uint32_t> index_;  // in peers_
  std::vector<std::uint32_t>
      peer_of_route_;                 // by route: where in peers_; empty: nobody was spoken to
  std::vector<std::uint32_t> slots_;  // by route: where its value is kept; empty: none ever was
  std::uint64_t kept_ = 0;
  std::uint32_t known_ = 0;    // peers
  std::uint32_t asked_ = 0;    // that owe an answer
  std::uint32_t waiting_ = 0;  // that wait for one
  bool may_send_ = true;
  std::vector<std::uint32_t> spoken_to_;  // in peers_
};

// A virtual worker of one program (see worker.h): where its functions meet buffers and messages.
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
    sender_.pace(pacing != Pacing::Off && adds_up<P>());
    began_in_lockstep_ = in_lockstep_ =
        pacing == Pacing::Lockstep && adds_up<P>() && cancels(program_, partial_);
  }
  [[nodiscard]] bool paced() const override { return sender_.paced(); }
  [[nodiscard]] bool in_lockstep() const override { return in_lockstep_; }
  [[nodiscard]] bool waits_in_vain() const override { return began_in_lockstep_ && !in_lockstep_; }
  void heard(PartId from) override {
    sender_.heard(from);
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
      // Places are written as what lies between them, for a home's mostly run upwards.
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
  void each_update(const std::function<void(VertexId)>& take) const override {
    for (const auto& update : now_.updates()) take(fragment_.vertex(update.place));
  }

  [[nodiscard]] bool always_rests() const override { return pie::always_rests<P>(); }
  [[nodiscard]] bool resumes() const override { return ResumingProgram<P>; }
  void resume(std::span<const std::byte> results) override {
    ByteReader in(results);
    saved_.resize(fragment_.vertex_count());
    for (typename P::Result& result : saved_) read_value<P>(in, result);
    LEEWAY_CHECK(!in.failed());
    LEEWAY_CHECK(in.at_end());
  }

  void write_results(ByteWriter& out) const override {
    for (Place p = 0; p < fragment_.inner_count(); ++p) {
      const typename P::Result result = program_.result(fragment_, partial_, p);
      write_value<P>(result, out);
    }
  }

 private:
  void next_messages() {
    if (!in_lockstep_) return;
    for (auto& [from, messages] : came_) messages = messages > 1 ? 1 : 0;
    advance();
  }

  /// The others' messages are all due, whatever else they have sent.
  void leave_lockstep() {
    in_lockstep_ = false;
    came_.clear();
  }
  [[nodiscard]] std::uint32_t came_from(PartId peer) const {
    const auto found = came_.find(peer);
    return found == came_.end() ? 0 : found->second;
  }

  /// Whether the round was an iteration of the program.
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

  /// Designated messages: each marked parameter into the message of every fragment that holds it too.
  std::uint64_t gather() {
    std::uint64_t sent = 0;
    changes_.drain([&](Place place) {
      if (!changes_.border() && fragment_.is_inner(place)) return;
      if (routes_.of(place).empty()) return;
      sent += sender_.put(place, program_.parameter(fragment_, partial_, place));
    });
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
  std::uint32_t passes_ = 0;  // that the program has made
  bool in_lockstep_ = false;
  bool began_in_lockstep_ = false;
  std::unordered_map<PartId, std::uint32_t> came_;  // messages of which the next round takes one
  std::vector<typename P::Result> saved_;           // of a snapshot, by place; empty: none
};

}  // namespace leeway::pie
