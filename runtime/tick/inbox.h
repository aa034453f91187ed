// The messages between the nodes of a run of ticks, over an Endpoint: sorted by kind and sender as they arrive,
// taken when their tick comes. Also how a run ends early: whoever finds an error tells everybody, and
// nobody leaves before all have been told, so no message is left waiting for a reader. One thread's own.
#pragma once

#include <array>
#include <deque>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "leeway/base/bytes.h"
#include "leeway/base/result.h"
#include "leeway/runtime/endpoint.h"
#include "leeway/runtime/tick/tick.h"

namespace leeway::tick {

enum class MessageKind : std::uint8_t {
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
  [[nodiscard]] static ByteWriter message(MessageKind kind, Tick tick, std::size_t room = 64);
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
  Status await(MessageKind kind, NodeId from);

  /// The tick of the first such message that was not taken.
  [[nodiscard]] std::optional<Tick> first(MessageKind kind, NodeId from) const;
  /// Forgets such messages of earlier ticks.
  void drop_before(MessageKind kind, NodeId from, Tick tick);
  /// What it says. Requires that there is one.
  [[nodiscard]] Frame take(MessageKind kind, NodeId from);
  /// Gives it to `read(in)`, which says whether it made sense to the last byte: if not, or if there is none, this node
  /// ends.
  template <class Read>
  void read(MessageKind kind, NodeId from, Read&& read) {
    if (!first(kind, from)) endpoint_.refuse(from);
    Frame body = take(kind, from);
    ByteReader in(body);
    if (!read(in) || in.failed() || !in.at_end()) endpoint_.refuse(from);
    spare_.push_back(std::move(body));
  }

  /// Tells everybody of the error, waits until everybody knows one, and returns the one heard first.
  Error stop(Error error);

 private:
  struct Kept {
    Tick tick{};
    Frame body;
  };
  static constexpr std::size_t kKinds = 8;

  void handle(NodeId from, std::span<const std::byte> frame);
  [[nodiscard]] std::deque<Kept>& box(MessageKind kind, NodeId from);
  [[nodiscard]] const std::deque<Kept>& box(MessageKind kind, NodeId from) const;

  Endpoint& endpoint_;
  Endpoint::Handler handler_;
  std::array<std::vector<std::deque<Kept>>, kKinds> boxes_;  // by kind, by sender
  std::vector<Frame> spare_;
  std::optional<Error> stopped_;  // the first error heard of
  std::uint32_t stops_ = 0;       // nodes that have told of one
};

}  // namespace leeway::tick
