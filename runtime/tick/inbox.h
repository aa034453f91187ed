// The calling thread's processor time, told apart by what it was spent on. Where threads outnumber cores the
// system puts a thread aside at any moment, most often where it wakes another; the time that passes then
// says nothing of the code it passes in, the processor's time does. One thread's own.
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
#include "leeway/result.h"
#include "leeway/tick_program.h"
#include "runtime/cluster/endpoint.h"
#include "runtime/cluster/record.h"

namespace leeway::tick {

/// The processor time the calling thread has used.
class ThreadClock final : public Clock {
 public:
  [[nodiscard]] Instant now() const override;
};

class ThreadMeter {
 public:
  /// One that is off reads no clock and adds nothing. Reading is a call of the system, so a meter first finds
  /// out what it takes at least, and deducts that.
  explicit ThreadMeter(bool on);

  /// What was used since the last call of either was used on this.
  void add_to(Duration& sum) {
    if (!on_) return;
    const Instant now = clock_.now();
    sum += std::max(now - mark_ - reading_, Duration::zero());
    mark_ = now;
  }
  /// What was used since the last call of either does not count.
  void skip() {
    if (on_) mark_ = clock_.now();
  }

 private:
  bool on_;
  ThreadClock clock_;
  Duration reading_{};  // the least time from one reading to the next
  Instant mark_{};
};

// What one node tells of its ticks: where its time went, how much it stepped for others, how far ahead it
// ran. Written by the node's engine, read when it is done. Plain data.
struct TickCounts {
  std::uint64_t ticks = 0;     ///< own parts completed
  std::uint64_t steps = 0;     ///< calls of STEP
  std::uint64_t stepped = 0;   ///< tuples, own levels
  std::uint64_t ahead = 0;     ///< of those, before the messages of the tick before were in
  std::uint64_t copied = 0;    ///< tuples of others stepped here (replication)
  std::uint64_t messages = 0;  ///< messages to neighbours
  std::uint64_t bytes = 0;     ///< in those
  std::uint64_t most_versions = 0;
  std::uint64_t most_ahead =
      0;                ///< ticks of which something was stepped before the own tick was complete
  Duration step{};      ///< in STEP
  Duration wait{};      ///< with nothing to do
  Duration stepping{};  ///< the thread's processor time in STEP, if it was metered
  Duration own{};       ///< and in all else but waiting
  Instant begin{};
  Instant end{};

  /// Everything that is neither STEP nor waiting.
  [[nodiscard]] Duration runtime() const { return end - begin - step - wait; }

  static constexpr bool kLiesFlat = true;
  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.begin, self.end);
  }
};

enum class TickActivity : std::uint8_t { Step, Ahead, Replica, Wait, Barrier };
constexpr TickActivity last_of(TickActivity) { return TickActivity::Barrier; }

/// A stretch of time spent on one thing: the wave of ticks, drawn.
struct TickActivitySpan {
  TickActivity activity = TickActivity::Step;
  Tick tick{};                 ///< stepped, or waited for
  NodeId on = NodeId::none();  ///< waiting: a node whose message is not in
  Instant begin{};
  Instant end{};

  static constexpr bool kLiesFlat = true;
  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.activity, self.begin, self.end);
  }
};

/// How far the values of a node's part moved in a tick.
struct MeasuredTick {
  std::uint64_t tick = 0;  ///< counted from the run's first, which is 0
  Residual moved;
};

struct TickNodeLog {
  TickCounts counts;
  std::vector<Instant> completed;       ///< own parts, tick by tick
  std::vector<TickActivitySpan> spans;  ///< empty unless a trace was asked for
  std::vector<MeasuredTick> residuals;  ///< of own parts; of ticks that were measured, if any were

  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.counts, self.completed, self.spans, self.residuals);
  }
};

// The messages between the nodes of a run of ticks, over an Endpoint: sorted by kind and sender as they arrive,
// taken when their tick comes. Also how a run ends early: whoever finds an error tells everybody, and
// nobody leaves before all have been told, so no message is left waiting for a reader. One thread's own.
enum class TickMessageKind : std::uint8_t {
  State,    ///< what the receiver needs of the sender's part of a tick
  Barrier,  ///< the sender has come so far in the barrier after a tick
  Gather,   ///< to node 0: the sender's part at the end of a stretch
  Deal,     ///< from node 0: new parts, and what to start from
  Picture,  ///< to node 0: the sender's part, to be shown
  Log,      ///< to node 0: the sender is done, and what it tells of it
  Leave,    ///< from node 0: all are done
  Stop,     ///< the sender has found an error
};

class Inbox {
 public:
  explicit Inbox(Endpoint& endpoint);

  [[nodiscard]] Endpoint& endpoint() { return endpoint_; }
  [[nodiscard]] NodeId self() const { return endpoint_.self(); }
  [[nodiscard]] std::uint32_t node_count() const { return endpoint_.node_count(); }

  /// Starts a message, with room for about so many bytes; `send` ends it.
  [[nodiscard]] static ByteWriter message(TickMessageKind kind, Tick tick, std::size_t room = 64);
  void send(NodeId to, ByteWriter& message) { endpoint_.send(to, message.take()); }
  /// To every other node.
  void send_all(const ByteWriter& message) { endpoint_.send_to_all(message.span()); }

  /// As if this node had sent it to itself.
  void keep(ByteWriter& message);

  /// Takes in what has arrived. Fails once somebody has found an error; whoever fails leaves by `stop`.
  Status poll();
  /// Blocks until something arrives.
  void wait(const Awaited& awaited) { endpoint_.wait(awaited); }
  /// Blocks until everything sent has left.
  Status flush();
  /// Blocks until a message of that kind from that node is there.
  Status await(TickMessageKind kind, NodeId from);

  /// The tick of the first such message that was not taken.
  [[nodiscard]] std::optional<Tick> first(TickMessageKind kind, NodeId from) const;
  /// Forgets such messages of earlier ticks.
  void drop_before(TickMessageKind kind, NodeId from, Tick tick);
  /// What it says. Requires that there is one.
  [[nodiscard]] Frame take(TickMessageKind kind, NodeId from);
  /// Gives it to `read(in)`, which says whether it made sense to the last byte: if not, or if there is none, this node
  /// ends.
  template <class Read>
  void read(TickMessageKind kind, NodeId from, Read&& read) {
    if (!first(kind, from)) endpoint_.refuse(from);
    Frame body = take(kind, from);
    ByteReader in(body);
    if (!read(in) || in.failed() || !in.at_end()) endpoint_.refuse(from);
    spare_.push_back(std::move(body));
  }

  /// Tells everybody of the error, waits until everybody knows one, and returns the one heard first.
  Error stop(Error error);

 private:
  struct WaitingMessage {
    Tick tick{};
    Frame body;
  };
  static constexpr std::size_t kKinds = 8;

  void handle(NodeId from, std::span<const std::byte> frame);
  [[nodiscard]] std::deque<WaitingMessage>& box(TickMessageKind kind, NodeId from);
  [[nodiscard]] const std::deque<WaitingMessage>& box(TickMessageKind kind, NodeId from) const;

  Endpoint& endpoint_;
  Endpoint::Handler handler_;
  std::array<std::vector<std::deque<WaitingMessage>>, kKinds> boxes_;  // by kind, by sender
  std::vector<Frame> spare_;
  std::optional<Error> stopped_;  // the first error heard of
  std::uint32_t stops_ = 0;       // nodes that have told of one
};

}  // namespace leeway::tick
