// What a message-passing library must do for WireTransport: carry whole frames between numbered peers, in
// order for each pair, without ever blocking. One implementation a library, each in a file of its own.
//
// Threads: WireTransport calls everything but `rest` and `interrupt` under one lock.
#pragma once

#include <cstdint>
#include <string>

#include "leeway/base/clock.h"
#include "leeway/base/ids.h"
#include "leeway/transport/transport.h"

namespace leeway {

/// What travels with each frame.
struct Envelope {
  std::uint32_t credit =
      0;  ///< bytes of the receiver's earlier frames that the sender has handed on
  std::uint32_t carries = 0;  ///< 1: the frame is the node's; 0: it is only this envelope
};

struct Packet {
  NodeId from{0};
  Envelope envelope;
  Frame frame;
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
  /// A peer is gone: forget what is under way to and from it.
  virtual void drop(NodeId peer) = 0;
  /// A new process, in its `life`-th life, takes a dropped peer's place.
  virtual void admit(NodeId peer, std::uint32_t life, const std::string& address) {
    (void)peer, (void)life, (void)address;
  }
  /// A peer nothing could be sent to for so long; none if all is well.
  [[nodiscard]] virtual NodeId stuck(Duration longer_than) {
    (void)longer_than;
    return NodeId::none();
  }
};

}  // namespace leeway
