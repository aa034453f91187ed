// What a message-passing library must do for WireTransport: carry whole frames between numbered peers, in
// order for each pair, without ever blocking. One implementation a library, each in a file of its own.
//
// Threads: WireTransport calls everything but `rest`, `interrupt` and `failure` under one lock.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "leeway/base/clock.h"
#include "leeway/base/ids.h"
#include "leeway/transport/transport.h"

namespace leeway {

/// What travels with each frame.
struct Envelope {
  std::uint64_t credit =
      0;  ///< bytes of the receiver's earlier frames that the sender has handed on
  std::uint64_t carries = 0;  ///< 1: the frame is the node's; 0: it is only this envelope
};

struct Packet {
  NodeId from{0};
  Envelope envelope;
  Frame frame;
};

/// Memory of large frames that are done with, for those to come: what an allocator gives instead must be cleared first,
/// and is often mapped anew. Bounded; not thread-safe.
class SpareFrames {
 public:
  static constexpr std::size_t kSmallest = 16 * 1024;
  static constexpr std::size_t kLargest = 1024 * 1024;
  static constexpr std::size_t kMost = 8;

  /// A frame with room for `bytes`, and with any content of at most that size, to be written over.
  [[nodiscard]] Frame take(std::size_t bytes) {
    Frame frame;
    if (bytes >= kSmallest / 2 && !frames_.empty()) {
      frame = std::move(frames_.back());
      frames_.pop_back();
      if (frame.size() > bytes) frame.resize(bytes);
    }
    if (frame.capacity() < bytes) frame = Frame();
    frame.reserve(bytes);
    return frame;
  }
  void give(Frame frame) {
    if (frame.capacity() < kSmallest || frame.capacity() > kLargest) return;
    if (frames_.size() < kMost) frames_.push_back(std::move(frame));
  }

 private:
  std::vector<Frame> frames_;
};

class Wire {
 public:
  virtual ~Wire() = default;

  [[nodiscard]] virtual NodeId self() const = 0;
  [[nodiscard]] virtual std::uint32_t node_count() const = 0;
  /// Starts to send, and keeps the frame until it is gone; false: no room now, the frame is untouched.
  [[nodiscard]] virtual bool send(NodeId to, const Envelope& envelope, Frame& frame) = 0;
  /// The next packet that arrived, if any; moves everything on.
  [[nodiscard]] virtual bool receive(Packet& packet) = 0;
  /// A frame that `receive` gave and that nobody needs any more.
  virtual void reuse(Frame frame) { (void)frame; }
  /// Whether every frame has left this process.
  [[nodiscard]] virtual bool drained() = 0;
  /// Before `rest`, in the lock: false if something may be there already.
  [[nodiscard]] virtual bool may_rest() { return true; }
  /// How long a thread that waits should look again and again before it rests.
  [[nodiscard]] virtual Duration spin() const { return {}; }
  /// Whether `rest` notices an arrival; if not, it must be kept short while an answer is expected.
  [[nodiscard]] virtual bool rest_is_blind() const { return false; }
  /// Outside the lock, by one thread at a time: blocks until something may have arrived, at most `most`,
  /// or until `interrupt`. `idle` is how long nothing has happened. May return early for no reason.
  virtual void rest(Duration idle, Duration most) = 0;
  virtual void interrupt() = 0;
  /// Why nothing can be sent or received any more; empty if all is well. Any thread, without the lock.
  [[nodiscard]] virtual std::string failure() const { return {}; }
  /// A peer is gone: forget what is under way to and from it.
  virtual void drop(NodeId peer) = 0;

  // Whether a peer can still be reached. Only its wire can tell a peer that computes from one that is cut off:
  // the answers meant here are given by the far wire, whatever the program above it does.

  /// Called at least every eighth of the verdict time. `awake` is how long that is since the last call, pauses
  /// of this very process not counted.
  virtual void beat(Duration awake) { (void)awake; }
  /// A peer that has left something unanswered for longer than this; none if all is well.
  [[nodiscard]] virtual NodeId unanswering(Duration longer_than) const {
    (void)longer_than;
    return NodeId::none();
  }
  /// Asks every peer that was ever in touch for an answer.
  virtual void ask_all() {}
  /// Who has not answered since.
  [[nodiscard]] virtual std::vector<NodeId> not_answered() const { return {}; }
};

}  // namespace leeway
