// Messages between the nodes of a run of ticks (Inbox), and a meter of its threads' processor time (ThreadMeter).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/clock.h"
#include "base/ids.h"
#include "base/result.h"
#include "leeway/tick_program.h"
#include "runtime/cluster/endpoint.h"
#include "runtime/cluster/group.h"

namespace leeway::tick {

/// A clock of the processor time that the calling thread has used.
class ThreadClock final : public Clock {
 public:
  [[nodiscard]] Instant now() const override;
};

/// Measures the processor time of the calling thread by activity. If there are more threads than cores, the system
/// may suspend a thread at any moment, most often when it wakes another one; the elapsed time is then unrelated to
/// the code, but the processor time is not. Not thread-safe.
class ThreadMeter {
 public:
  /// A meter that is off reads no clock. Reading the clock is a system call, so the constructor
  /// measures its minimum time, which is deducted from each measurement.
  explicit ThreadMeter(bool on);

  /// The time used since the last call of either function; 0 if the meter is off.
  [[nodiscard]] Duration lap() {
    if (!on_) return {};
    const Instant now = clock_.now();
    const Duration used = std::max(now - mark_ - reading_, Duration::zero());
    mark_ = now;
    return used;
  }
  /// Discards the time used since the last call of either function.
  void skip() {
    if (on_) mark_ = clock_.now();
  }

 private:
  bool on_;
  ThreadClock clock_;
  Duration reading_{};  // shortest time between two readings
  Instant mark_{};
};

enum class TickMessageKind : std::uint8_t {
  State,    ///< the tuples of the sender's part that the receiver needs
  Barrier,  ///< a round of the barrier after a tick
  Picture,  ///< to node 0: the sender's part, for a frame
};

/// The messages of a run of ticks over an Endpoint: sorted by kind and sender as they arrive, and taken when their
/// tick is processed. Not thread-safe.
class Inbox {
 public:
  explicit Inbox(Endpoint& endpoint);

  [[nodiscard]] Endpoint& endpoint() { return endpoint_; }
  [[nodiscard]] Group& group() { return endpoint_.group(); }
  [[nodiscard]] NodeId self() const { return endpoint_.self(); }
  [[nodiscard]] std::uint32_t node_count() const { return endpoint_.node_count(); }

  /// Begins a message, with memory reserved for `room` bytes; `send` ends it.
  [[nodiscard]] static ByteWriter message(TickMessageKind kind, Tick tick, std::size_t room = 64);
  void send(NodeId to, ByteWriter& message) { endpoint_.send(to, message.take()); }
  /// Delivers the message to this node itself.
  void keep(ByteWriter& message);

  /// Receives arrived messages.
  void receive() { endpoint_.receive(handler_); }
  /// Blocks until a message arrives.
  void wait(const Awaited& awaited) { endpoint_.wait(awaited); }
  /// The tick of the first waiting message of this kind and sender.
  [[nodiscard]] std::optional<Tick> first(TickMessageKind kind, NodeId from) const;
  /// Drops such messages of earlier ticks.
  void drop_before(TickMessageKind kind, NodeId from, Tick tick);
  /// Removes the first such message and returns its content. Requires that there is one.
  [[nodiscard]] Frame take(TickMessageKind kind, NodeId from);
  /// Passes the first such message to `read(in)`, which returns whether it was valid and must read all of it. If not,
  /// or if there is no such message, this node ends (Endpoint::refuse).
  template <class Read>
  void read(TickMessageKind kind, NodeId from, Read&& read) {
    if (!first(kind, from)) endpoint_.refuse(from);
    Frame body = take(kind, from);
    ByteReader in(body);
    if (!read(in) || in.failed() || !in.at_end()) endpoint_.refuse(from);
    spare_.push_back(std::move(body));
  }

 private:
  struct WaitingMessage {
    Tick tick{};
    Frame body;
  };
  static constexpr std::size_t kKinds = 3;

  void handle(NodeId from, std::span<const std::byte> frame);
  [[nodiscard]] std::deque<WaitingMessage>& box(TickMessageKind kind, NodeId from);
  [[nodiscard]] const std::deque<WaitingMessage>& box(TickMessageKind kind, NodeId from) const;

  Endpoint& endpoint_;
  Endpoint::Handler handler_;
  std::array<std::vector<std::deque<WaitingMessage>>, kKinds> boxes_;  // by kind, then by sender
  std::array<std::vector<std::optional<Tick>>, kKinds> newest_;  // the same: tick of the last one
  std::vector<Frame> spare_;
};

}  // namespace leeway::tick
