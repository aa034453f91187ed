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
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "leeway/base/bytes.h"
#include "leeway/runtime/pie/program.h"
#include "leeway/runtime/pie/routes.h"

namespace leeway::pie {

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
    for (Peer& peer : peers_) peer.unanswered = 0;
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
    for (const Peer& peer : peers_) most = std::max(most, waits(peer) ? peer.said : 0.0);
    for (const auto& [fragment, at] : index_) {
      Peer& peer = peers_[at];
      if (peer.kept.empty() || waits(peer)) continue;
      const double says = sum_of(peer.kept);
      if (says < kMatters * most) continue;
      peer.said = says;
      for (const Kept& each : peer.kept) {
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
      Peer& peer = peers_[at];
      take(peer.fragment, peer.message.span());
      peer.message.clear();
      peer.last = 0;
      count(peer, 1);
    }
    spoken_to_.clear();
    if (waiting_ == 0) return;
    for (const auto& [fragment, at] : index_) {
      Peer& peer = peers_[at];
      const bool at_once = std::exchange(peer.answer, false);
      if (peer.unanswered >= 0 || !(may_send_ || at_once)) continue;
      count(peer, 1);
      take(fragment, {});
    }
  }

 private:
  static constexpr double kMatters = 0.5;  // of the largest message under way
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

  struct Kept {
    Place place;
    std::size_t route;
    Value value;
  };
  struct Peer {
    PartId fragment{0};
    ByteWriter message;
    std::uint64_t last = 0;  // the place written last
    int unanswered = 0;      // messages to it without those from it; below 0: it waits
    bool known = false;      // a message has gone there, or come from there
    bool answer = false;     // what is handed over next is to answer it
    std::vector<Kept> kept;
    double said = 0;  // of the last message: what its values come to
  };

  [[nodiscard]] static double sum_of(const std::vector<Kept>& kept) {
    double sum = 0;
    if constexpr (adds_up<P>()) {
      for (const Kept& each : kept) sum += P::magnitude(each.value);
    }
    return sum;
  }
  void count(Peer& peer, int messages) {
    if (!paced_) return;
    known_ += peer.known ? 0 : 1;
    peer.known = true;
    asked_ -= peer.unanswered > 0 ? 1 : 0;
    waiting_ -= peer.unanswered < 0 ? 1 : 0;
    peer.unanswered += messages;
    asked_ += peer.unanswered > 0 ? 1 : 0;
    waiting_ += peer.unanswered < 0 ? 1 : 0;
  }
  [[nodiscard]] bool waits(const Peer& peer) const { return paced_ && peer.unanswered > 0; }

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
    Peer& peer = peers_[at];
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
    Peer& peer = peers_[at];
    if (peer.message.empty()) spoken_to_.push_back(at);
    const std::uint64_t step = place - peer.last;
    peer.message.varint((step << 1) ^ (0 - (step >> 63)));
    peer.last = place;
    write_value<P>(value, peer.message);
  }

  const Routes& routes_;
  bool paced_ = false;
  std::vector<Peer> peers_;  // those spoken to or heard, which are few where workers are many
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

}  // namespace leeway::pie
