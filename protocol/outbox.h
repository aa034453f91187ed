// Outbox: the messages that a step of a protocol machine sends, collected into frames per peer.
// Plain data; the node sends the frames. With aggregation, a frame is closed when it reaches its
// target size; without, after every message.
//
// The outbox is empty between steps. If frames for a peer wait for room, the node marks that peer
// as held, and the machines keep their pending messages for it, where repeated messages merge. So
// the memory for a peer that does not receive is bounded by the number of objects that it shares,
// not by the number of writes.
//
// Phases: a barrier that makes stores visible (Node::barrier) ends a phase of this node. A message with news
// carries the parity of its phase, and the outbox counts those for each peer, so that a peer knows how many it
// must have handled before it leaves that barrier. One bit suffices: a node begins phase p + 2
// only after all nodes have left the barrier that ends phase p.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "protocol/message.h"

namespace leeway {

struct OutFrame {
  NodeId to{0};
  std::vector<std::byte> bytes;
};

/// The peers to which a flush sends.
enum class Flush {
  Ready,  ///< only peers that are not held
  All,  ///< all peers; before a collective or a wait for answers, which pending messages must precede
};

class Outbox {
 public:
  static constexpr std::size_t kDefaultTarget = std::size_t{8} * 1024;

  Outbox(std::uint32_t nodes, bool aggregate, std::size_t target = kDefaultTarget)
      : open_(nodes),
        under_way_(nodes),
        held_(nodes, 0),
        news_to_{std::vector<std::uint64_t>(nodes), std::vector<std::uint64_t>(nodes)},
        aggregate_(aggregate),
        target_(target) {}

  /// Starts a message; the caller writes its body before it begins another message to the same
  /// peer.
  [[nodiscard]] ByteWriter& begin(NodeId to, MessageKind kind, SpaceId space) {
    ByteWriter& writer = open_[to.index()];
    count_bytes(to);
    if (!writer.empty() && (!aggregate_ || writer.size() >= target_)) close(to);
    if (writer.empty()) {
      touched_.push_back(to);
      writer.reserve(kLeast);
    }
    if (kind != MessageKind::Collective) ++messages_;
    const bool news = carries_news(kind);
    if (news) {
      ++news_;
      ++news_to_[phase_][to.index()];
    }
    const auto number = static_cast<std::uint8_t>(kind);
    ++kinds_[number].messages;
    under_way_[to.index()] = {number, writer.size()};
    // mutant: all-phases-count-as-one
    encode_header(kind, space, writer, news ? phase_ : std::uint8_t{0});
    return writer;
  }

  /// Appends all collected frames to `frames`, in order for each peer; leaves the outbox empty.
  void drain(std::vector<OutFrame>& frames) {
    for (const NodeId to : touched_) {
      if (!open_[to.index()].empty()) close(to);
    }
    touched_.clear();
    for (OutFrame& frame : closed_) frames.push_back(std::move(frame));
    closed_.clear();
  }

  [[nodiscard]] bool empty() const { return touched_.empty() && closed_.empty(); }

  /// Marks a peer as held: its frames wait for room, so machines keep messages that can wait.
  void hold(NodeId peer, bool held) { held_[peer.index()] = held ? 1 : 0; }
  [[nodiscard]] bool holds(NodeId peer) const { return held_[peer.index()] != 0; }

  /// Messages begun since the start, without messages of collectives.
  [[nodiscard]] std::uint64_t messages() const { return messages_; }
  /// Those of them that report a write: `sent` of the termination test.
  [[nodiscard]] std::uint64_t news() const { return news_; }
  /// The parity of the current phase.
  [[nodiscard]] std::uint8_t phase() const { return phase_; }
  /// Messages with news begun for each peer in phases of the current parity, since the start.
  [[nodiscard]] const std::vector<std::uint64_t>& news_to() const { return news_to_[phase_]; }
  void begin_phase() { phase_ ^= 1U; }
  [[nodiscard]] std::size_t target() const { return target_; }
  /// The byte counts are complete after `drain`.
  [[nodiscard]] const KindCounts& kinds() const { return kinds_; }

 private:
  static constexpr std::size_t kLeast = 64;  // initial capacity; enough for most small frames

  void close(NodeId to) {
    count_bytes(to);
    closed_.push_back({to, open_[to.index()].take()});
  }
  /// Counts the bytes of the last message to this peer, which is now complete.
  void count_bytes(NodeId to) {
    const ByteWriter& writer = open_[to.index()];
    if (writer.empty()) return;
    Begun& begun = under_way_[to.index()];
    kinds_[begun.kind].bytes += writer.size() - begun.at;
    begun.at = writer.size();
  }

  struct Begun {
    std::uint8_t kind = 0;
    std::size_t at = 0;
  };

  std::vector<ByteWriter> open_;
  std::vector<Begun> under_way_;                       // per node
  std::vector<std::uint8_t> held_;                     // per node
  std::array<std::vector<std::uint64_t>, 2> news_to_;  // by parity of the phase, per node
  std::uint8_t phase_ = 0;
  KindCounts kinds_{};
  std::vector<NodeId> touched_;
  std::vector<OutFrame> closed_;
  bool aggregate_;
  std::size_t target_;
  std::uint64_t messages_ = 0;
  std::uint64_t news_ = 0;
};

}  // namespace leeway
