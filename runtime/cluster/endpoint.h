// Messages between nodes, for engines that exchange messages instead of shared objects.
#pragma once

#include <atomic>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "leeway/cluster.h"
#include "transport/transport.h"

namespace leeway {

class Group;

/// The subject of a wait, for error reports: "the state of tick 7 from node 1".
struct Awaited {
  std::string_view what;  ///< static storage
  std::optional<std::uint64_t> number = std::nullopt;
  NodeId from = NodeId::none();  ///< none: any node that has not sent it
};

/// The nodes that have sent something that each node sends once. Counting messages instead would let one node that sends
/// twice stand for another that has not sent yet.
class SenderSet {
 public:
  explicit SenderSet(std::uint32_t nodes) : sent_(nodes, false) {}

  /// False if the node is in the set already.
  [[nodiscard]] bool add(NodeId node) {
    if (sent_[node.index()]) return false;
    sent_[node.index()] = true;
    ++count_;
    return true;
  }
  [[nodiscard]] bool has(NodeId node) const { return sent_[node.index()]; }
  [[nodiscard]] std::uint32_t count() const { return count_; }
  void clear() {
    sent_.assign(sent_.size(), false);
    count_ = 0;
  }

 private:
  std::vector<bool> sent_;
  std::uint32_t count_ = 0;
};

/// Thrown by an Endpoint of a recoverable job when a node is lost: the run ends, and its caller can run it
/// again after Job::rejoin. run_endpoints returns it as an error of kind Peer.
struct NodeLost {
  NodeId node{0};
};

/// One node's endpoint: whole frames, in order for each pair of nodes, never lost. A frame that does not fit the
/// transport's window is kept and sent later. The first byte of a frame is its kind, chosen by the engine. A long
/// frame is split into parts and reassembled at the receiver, so that the transport's buffers do not grow with the
/// graph. The failure of a peer ends the process with a message, as for a Node; in a recoverable job (Job), it throws
/// NodeLost. Not thread-safe, except `evidence`.
///
/// Limits: the backlog for one peer is at most `most_kept` bytes, plus one part, plus what one call of the handler
/// sends. Beyond that, `send` blocks. A blocked sender polls and sets arrivals aside for its next `receive`, so two
/// nodes that send to each other cannot deadlock. The memory set aside is bounded, because the other senders have the
/// same limit.
class Endpoint final : private FrameSink {
 public:
  /// Size of a part of a long frame.
  static constexpr std::size_t kPartBytes = std::size_t{64} << 10U;
  /// Default of `most_kept`.
  static constexpr std::size_t kMostKeptBytes = std::size_t{64} << 20U;
  /// Kinds from this value on are reserved for the endpoint.
  static constexpr std::uint8_t kKinds = 0xFD;
  /// The kind of the frames of Group.
  static constexpr std::uint8_t kGroupKind = kKinds;

  using Handler = std::function<void(NodeId from, std::span<const std::byte> frame)>;

  /// `patience`: how long a wait polls for arrivals before it sleeps. A sender then need not wake this thread, which
  /// costs more than sending the message. Zero if other work needs the core.
  explicit Endpoint(Transport& transport, Duration patience = {},
                    std::size_t most_kept = kMostKeptBytes, const Job* job = nullptr);
  ~Endpoint() override;

  [[nodiscard]] NodeId self() const { return transport_.self(); }
  [[nodiscard]] std::uint32_t node_count() const { return transport_.node_count(); }
  [[nodiscard]] Transport& transport() { return transport_; }
  [[nodiscard]] Instant now() const { return transport_.now(); }
  /// The collective steps of the nodes. In a job of processes they continue those of earlier runs.
  [[nodiscard]] Group& group() { return *group_; }

  /// Blocks only while the backlog for `to` is above the limit, and never in a handler. Requires another node than
  /// this one, and a frame that begins with a kind (checked).
  void send(NodeId to, Frame frame);
  /// Sends the same frame to every other node.
  void send_to_all(std::span<const std::byte> frame);
  /// Sends the backlog as far as possible, then calls `handler`, which may send, for each frame that has arrived.
  /// Returns the number of frames. Blocks only while the handler's output keeps the backlog above its limit.
  std::size_t receive(const Handler& handler);
  /// The same for Group: what arrives for an engine waits until its next `receive`.
  std::size_t receive_for_group();
  /// Blocks, after polling for `patience`, until a frame has arrived that the last `receive` did not return, a kept frame
  /// may fit the window again, or `deadline` passes.
  void wait(const Awaited& awaited = {"an arrival"},
            std::optional<Instant> deadline = std::nullopt) {
    // Frames that the group has set aside are arrivals, too.
    if (set_aside_.empty()) wait_for_arrival(awaited, deadline);
  }
  /// The same for Group, since the last `receive_for_group`.
  void wait_for_group(const Awaited& awaited) { wait_for_arrival(awaited, std::nullopt); }
  /// Alternates between `receive`, which takes arrivals, and waiting, until `done()`.
  template <class Receive, class Done>
  void wait_until(const Awaited& awaited, Receive&& receive, Done&& done) {
    while (!done()) {
      receive();
      if (!done()) wait(awaited);
    }
  }
  /// Blocks until the backlog is empty; frames that arrive meanwhile are given to `handler`.
  void flush(const Handler& handler);

  /// Ends this run, if a job has several: announces the end to all nodes and waits until all have announced it. A
  /// frame that a node sent after its announcement belongs to the next run and is kept for it; other arrivals are
  /// dropped. Collective.
  void end_run(Job& job);
  /// Ends the use of this endpoint in a job without a run: returns once everything has left. What has arrived early is kept
  /// for the next endpoint, or the next run.
  void pause(Job& job);
  /// This endpoint is used by its group alone, without an engine: a frame of another kind is one of an engine that has
  /// begun elsewhere, or a bad one if its sender cannot have come so far.
  void serve_group_only() { group_only_ = true; }
  /// The engine's frames begin with a kind below `count`; others are bad ones. Before: any kind.
  void expect_kinds(std::uint8_t count) { engine_kinds_ = count; }
  /// The group begins a step, which no node can have left.
  void begin_step() {
    if (group_only_ && !set_aside_.empty()) refuse(set_aside_.front().first);
  }

  /// Ends this node because `from` sent an invalid frame.
  [[noreturn]] void refuse(NodeId from);
  /// What this node waits for, for error reports. Any thread.
  [[nodiscard]] std::string evidence() const;

  void charge(const Work& work) { transport_.charge(work); }
  void charge(Duration time) {
    transport_.charge({.picoseconds = static_cast<std::uint64_t>(time.count()) * 1000});
  }

  /// Number of frames in the backlog.
  [[nodiscard]] std::size_t kept() const { return kept_; }
  /// Bytes in the backlog for node `to`.
  [[nodiscard]] std::size_t kept_bytes(NodeId to) const { return kept_bytes_[to.index()]; }

 private:
  void on_frame(NodeId from, std::span<const std::byte> frame) override;
  void on_peer_down(NodeId node) override;
  void put(NodeId to, Frame frame);
  void wait_for_arrival(const Awaited& awaited, std::optional<Instant> deadline);
  void await(const Awaited& awaited, const std::function<void()>& wait);
  [[nodiscard]] bool backlog_is_over_limit() const;
  void make_room();
  void take(NodeId from, std::span<const std::byte> frame);
  std::size_t take_deferred();
  void take_part(NodeId from, std::span<const std::byte> frame);
  void hand_on(NodeId from, std::span<const std::byte> frame);
  std::size_t receive_by(const Handler& handler);
  void ship();
  void check_nodes() const;

  Transport& transport_;
  const Job* job_;  // null: no job, or none that replaces lost nodes
  Duration patience_;
  std::size_t most_kept_;
  std::vector<std::deque<Frame>> backlog_;  // by node
  std::vector<std::size_t> kept_bytes_;     // by node: bytes in backlog_
  std::vector<Frame> unfinished_;           // by node: the received parts of a long frame
  std::vector<std::uint8_t> run_ended_;     // by node: it has announced the end of this run
  std::uint32_t run_ended_count_ = 0;
  std::vector<std::pair<NodeId, Frame>> early_;    // frames for the next run
  std::deque<std::pair<NodeId, Frame>> deferred_;  // arrived while `send` was blocked
  bool defers_ = false;
  bool group_only_ = false;
  std::uint8_t engine_kinds_ = kKinds;
  std::unique_ptr<Group> group_;
  std::deque<std::pair<NodeId, Frame>> set_aside_;  // an engine's, arrived for the group
  const Handler set_aside_handler_;
  NodeId lost_ = NodeId::none();
  std::atomic<std::size_t> kept_{0};
  mutable std::mutex awaited_mutex_;
  std::optional<Awaited> awaited_;    // set while this node waits
  std::uint64_t seen_ = 0;            // the transport's ticket before the last poll
  const Handler* handler_ = nullptr;  // of the `receive` in progress
};

struct EndpointsOutcome {
  std::vector<TransportStats> nodes;  ///< zeros for nodes of other processes
  NodeProgramsOutcome ran;
};

/// Runs `body` on every node. When a body returns, its backlog is still sent before its node ends. A body must
/// therefore have everything it needs to return; it cannot depend on replies to messages in that backlog.
Result<EndpointsOutcome> run_endpoints(const ClusterOptions& cluster,
                                       const std::function<Status(Endpoint&)>& body);

}  // namespace leeway
