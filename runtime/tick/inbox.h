// Messages between the nodes of a run of ticks (Inbox), and the records of a node (TickNodeLog, TickCounts,
// ThreadMeter).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/clock.h"
#include "base/ids.h"
#include "base/result.h"
#include "leeway/tick_program.h"
#include "runtime/cluster/endpoint.h"
#include "runtime/cluster/group.h"
#include "runtime/cluster/record.h"

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
  /// A meter that is off reads no clock and adds nothing. Reading the clock is a system call, so the constructor
  /// measures its minimum time, which is deducted from each measurement.
  explicit ThreadMeter(bool on);

  /// Adds the time used since the last call of either function to `sum`.
  void add_to(Duration& sum) {
    if (!on_) return;
    const Instant now = clock_.now();
    sum += std::max(now - mark_ - reading_, Duration::zero());
    mark_ = now;
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

// Counts of one node's run: its time, the tuples it stepped, how far ahead it ran. Written by the node's engine, read
// after the run.
struct TickCounts {
  std::uint64_t ticks = 0;     ///< ticks completed for this node's part
  std::uint64_t steps = 0;     ///< calls of STEP
  std::uint64_t stepped = 0;   ///< tuples stepped in levels of this node's part
  std::uint64_t ahead = 0;     ///< of these, before the messages of the previous tick had arrived
  std::uint64_t copied = 0;    ///< tuples of other nodes stepped here (replication)
  std::uint64_t messages = 0;  ///< messages to neighbours
  std::uint64_t bytes = 0;     ///< in those messages
  std::uint64_t most_versions = 0;  ///< most versions of the state at a time
  /// Most ticks of which something was stepped before this node's part was complete.
  std::uint64_t most_ahead = 0;
  Duration step{};      ///< in STEP
  Duration wait{};      ///< while there was nothing to do
  Duration stepping{};  ///< processor time in STEP, if metered
  Duration own{};       ///< processor time in everything else but waiting, if metered
  Instant begin{};
  Instant end{};

  /// Time of everything except STEP and waiting.
  [[nodiscard]] Duration runtime() const { return end - begin - step - wait; }

  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.ticks, self.steps, self.stepped, self.ahead, self.copied, self.messages,
                    self.bytes, self.most_versions, self.most_ahead, self.step, self.wait,
                    self.stepping, self.own, self.begin, self.end);
  }
};

enum class TickActivity : std::uint8_t { Step, Ahead, Replica, Wait, Barrier };
constexpr TickActivity last_of(TickActivity) { return TickActivity::Barrier; }

/// A period of time spent on one activity, for plots.
struct TickActivitySpan {
  TickActivity activity = TickActivity::Step;
  Tick tick{};                 ///< the tick stepped or waited for
  NodeId on = NodeId::none();  ///< waiting: a node whose message has not arrived
  Instant begin{};
  Instant end{};

  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.activity, self.tick, self.on, self.begin, self.end);
  }
};

/// How far the values of a node's part moved in a tick.
struct MeasuredTick {
  std::uint64_t tick = 0;  ///< counted from the run's first tick, which is 0
  Residual moved;
};

/// One node's log of its run.
struct TickNodeLog {
  TickCounts counts;
  std::vector<Instant> completed;       ///< by tick: when this node's part was complete
  std::vector<TickActivitySpan> spans;  ///< empty unless a trace is recorded
  std::vector<MeasuredTick> residuals;  ///< of this node's part, for the measured ticks

  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.counts, self.completed, self.spans, self.residuals);
  }
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
