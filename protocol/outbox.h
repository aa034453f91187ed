// What a step wants sent: for each peer a row of frames, each a row of whole messages. Plain data; the
// shell ships the frames. With aggregation a frame is closed once it has reached its target size,
// without it after every message.
//
// The outbox itself is empty after every step. Where frames for a peer wait for room the shell holds that
// peer back, and the machines keep what is pending for it: there repeats merge, so that what waits for a
// peer that takes nothing is bounded by the objects it shares, not by how often they are written.
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

/// What a flush of a machine sends.
enum class Flush {
  Ready,  ///< what is pending for peers that are not held back
  All,    ///< for what comes next and must not overtake it: a collective, or a wait for the answers
};

class Outbox {
 public:
  static constexpr std::size_t kDefaultTarget = std::size_t{8} * 1024;

  Outbox(std::uint32_t nodes, bool aggregate, std::size_t target = kDefaultTarget)
      : open_(nodes), under_way_(nodes), held_(nodes, 0), aggregate_(aggregate), target_(target) {}

  /// Starts a message to `to`; its body is written next, before anything else is begun for that peer.
  [[nodiscard]] ByteWriter& begin(NodeId to, MessageKind kind, SpaceId space) {
    ByteWriter& writer = open_[to.index()];
    count_bytes(to);
    if (!writer.empty() && (!aggregate_ || writer.size() >= target_)) close(to);
    if (writer.empty()) {
      touched_.push_back(to);
      writer.reserve(kLeast);
    }
    if (kind != MessageKind::Collective) ++messages_;
    if (carries_news(kind)) ++news_;
    const auto number = static_cast<std::uint8_t>(kind);
    ++kinds_[number].messages;
    under_way_[to.index()] = {number, writer.size()};
    encode_header(kind, space, writer);
    return writer;
  }

  /// All frames begun since the last call, in order for each peer; leaves the outbox empty.
  void drain(std::vector<OutFrame>& frames) {
    for (const NodeId to : touched_) {
      if (!open_[to.index()].empty()) close(to);
    }
    touched_.clear();
    for (OutFrame& frame : closed_) frames.push_back(std::move(frame));
    closed_.clear();
  }

  [[nodiscard]] bool empty() const { return touched_.empty() && closed_.empty(); }

  /// Frames for that peer wait for room (or no longer do): machines keep what can wait.
  void hold(NodeId peer, bool held) { held_[peer.index()] = held ? 1 : 0; }
  [[nodiscard]] bool holds(NodeId peer) const { return held_[peer.index()] != 0; }

  /// Messages begun since the start, the collective's own left out.
  [[nodiscard]] std::uint64_t messages() const { return messages_; }
  /// Of those, the ones that tell of a write: "sent" of the termination count.
  [[nodiscard]] std::uint64_t news() const { return news_; }
  [[nodiscard]] std::size_t target() const { return target_; }
  /// Complete once drained.
  [[nodiscard]] const KindCounts& kinds() const { return kinds_; }

 private:
  static constexpr std::size_t kLeast = 64;  // most small frames take no more memory than this

  void close(NodeId to) {
    count_bytes(to);
    closed_.push_back({to, open_[to.index()].take()});
  }
  /// The message begun last for that peer has ended.
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
  std::vector<Begun> under_way_;    // per node
  std::vector<std::uint8_t> held_;  // per node
  KindCounts kinds_{};
  std::vector<NodeId> touched_;
  std::vector<OutFrame> closed_;
  bool aggregate_;
  std::size_t target_;
  std::uint64_t messages_ = 0;
  std::uint64_t news_ = 0;
};

}  // namespace leeway
