// Node: one machine of the DSM. It owns the spaces, runs the collectives and moves all messages
// between the protocol machines and the transport.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/parallel.h"
#include "base/result.h"
#include "dsm/space.h"
#include "dsm/space_options.h"
#include "protocol/collective.h"
#include "protocol/ids.h"
#include "protocol/outbox.h"
#include "protocol/policy.h"
#include "protocol/termination.h"
#include "transport/transport.h"

namespace leeway {

/// The threads of Service::Separate: as many as ASPIRE's for read, write, evict and invalidation messages, and its
/// refresher.
inline constexpr int kSeparateThreads = 5;

struct NodeOptions {
  Policy policy;
  Service service = Service::Background;
  /// Called if a peer is gone, sends malformed messages or calls a different collective, or if a
  /// thread uses an object that does not exist. Default: prints the error and ends the process with
  /// its exit code. If the function returns, no call of the node or its spaces blocks any more, and
  /// their results are undefined: see Node::failed.
  std::function<void(const Error&)> on_failure;
};

/// Times at which a node waited or handled messages. Written under the node's lock.
struct NodeTimes {
  using Spans = std::vector<std::pair<Instant, Instant>>;
  Spans blocked;  ///< a thread waited for a fetch
  Spans served;   ///< messages were handled: refreshes, replies, invalidations
};

struct NodeStats {
  TransportStats transport;
  std::uint64_t messages_sent = 0;
  std::uint64_t messages_handled = 0;
  std::uint64_t blocked_fetches = 0;
  std::uint64_t collectives = 0;
  std::uint64_t moves = 0;             ///< number of times that a thread received or sent messages
  std::uint64_t moves_by_service = 0;  ///< those of them by the service thread
  std::uint64_t waiting_frames = 0;    ///< current number of frames for peers without room
  KindCounts sent_by_kind{};

  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.transport, self.messages_sent, self.messages_handled, self.blocked_fetches,
                    self.collectives, self.moves, self.moves_by_service, self.waiting_frames,
                    self.sent_by_kind);
  }
};

/// Owns the spaces, the node's lock, the state of collectives, and the loop that moves messages.
/// Only a node sends protocol messages. Runs over any Transport.
///
/// Threads: compute threads call fetch and store on the spaces, and may all block; collectives are
/// called by one thread of a node at a time. A service thread polls, refreshes and sends
/// invalidations in the background, and sleeps when there is nothing to do.
///
/// Frames for a peer without room wait in the backlog. Meanwhile the machines keep their pending
/// messages for that peer (Outbox::hold). So the backlog of a peer holds at most: the frames of one
/// flush, those of one collective and the flush before it, one reply or acknowledgement per
/// unanswered message of the peer, and kMostWaitingFrames frames of remote stores.
class Node final : private FrameSink {
 public:
  Node(Transport& transport, NodeOptions options);
  ~Node() override;
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;

  [[nodiscard]] NodeId self() const { return transport_.self(); }
  [[nodiscard]] std::uint32_t node_count() const { return transport_.node_count(); }
  [[nodiscard]] Transport& transport() { return transport_; }
  [[nodiscard]] const NodeOptions& options() const { return options_; }
  /// Any thread.
  [[nodiscard]] NodeStats stats() const;
  /// True once NodeOptions::on_failure was called and has returned. From then on collectives return
  /// zeros and `converged` true, fetches return zeros, and stores do not wait. Any thread.
  [[nodiscard]] bool failed() const { return failed_.load(std::memory_order_acquire); }
  /// The first error. Any thread.
  [[nodiscard]] std::optional<Error> failure() const;

  /// Collective: all nodes open the same spaces in the same order. The node owns the space.
  /// `type`: the name of the objects' type, which all nodes must give alike.
  Result<Space*> open_space(const SpaceOptions& options, std::uint32_t value_bytes,
                            std::string_view type = {});

  // Collectives: all nodes call the same ones in the same order. Blocking unless stated otherwise.

  /// A release and an acquire: a read after it returns every value that any node has stored (and published, if
  /// by a View) before it, in every mode. Stores of other threads during the call count as later.
  void barrier();
  /// Returns once all nodes have called it. A read after it may return a copy that is as old as the mode allows.
  void relaxed_barrier();
  /// Like `barrier`, for the reads of one space: copies in other spaces may remain as old as their modes allow.
  void fence(Space& space);
  /// The sums of the numbers of all nodes.
  std::vector<std::uint64_t> sum(std::span<const std::uint64_t> numbers);
  /// The end of an iteration: true, on all nodes alike, if no node votes to continue, no stale
  /// value was used since the last call and no message was in flight (ASPIRE §4.2).
  bool converged(bool vote_to_continue);
  /// `converged` in two steps, for a node that continues to compute until all nodes have voted.
  /// Requires that no collective is in progress; between the two calls no other may begin
  /// (checked). `extra` values are summed with the votes; all nodes give the same number of them.
  void vote(bool to_continue, std::span<const std::uint64_t> extra = {});
  /// None while a vote is missing, then the verdict, once. Does not block.
  std::optional<bool> verdict();
  /// The sums of the `extra` values of all nodes, at the last verdict.
  [[nodiscard]] const std::vector<std::uint64_t>& extra_sums() const { return extra_sums_; }
  /// Returns when no message is in flight: every node has received the notices of all earlier stores. Reads may
  /// still return copies that are as old as the mode allows; see `barrier`.
  void quiesce();
  /// The last call, after all uses of the spaces and before the transport is destroyed. Collective.
  void close();

  /// Receives and sends what it can without blocking: arrivals, refreshes, invalidations. For
  /// compute threads between batches. True if a message arrived or was sent.
  bool progress();

  /// From now on every wait for a fetch and every `progress` that moved messages is recorded in
  /// `times`, up to a limit; null ends the recording. After this returns, the previous `times` is
  /// no longer accessed. Must not be called with the node's lock.
  void keep_times(NodeTimes* times);

  // For the spaces.

  [[nodiscard]] SpinMutex& lock() { return mutex_; }
  [[nodiscard]] Outbox& outbox() { return outbox_; }
  /// Sends the frames of the outbox. Requires the node's lock.
  void ship();
  /// Blocks until `done()`, which may take the lock, or the deadline; moves messages meanwhile.
  template <class Done>
  void wait_until(Done&& done, std::optional<Instant> deadline = std::nullopt);
  void kick() { transport_.wake(); }
  /// Blocks while kMostWaitingFrames frames wait for that peer. Must not be called with the lock.
  void wait_for_room(NodeId peer);
  /// Records a thread's wait for a fetch. Any thread.
  void note_blocked(Instant from, Instant to) { note(&NodeTimes::blocked, from, to); }
  /// Whether times are recorded. If not, callers do not read the clock, which can take as long as a
  /// miss.
  [[nodiscard]] bool keeps_times() const {
    return times_.load(std::memory_order_acquire) != nullptr;
  }
  void count_blocked_fetch() { blocked_fetches_.fetch_add(1, std::memory_order_relaxed); }
  /// Calls on_failure. Must not be called with the lock.
  void fail(Error error);
  /// Like `fail`, once the current message has been handled. Requires the lock.
  void fail_later(Error error) {
    if (!late_error_) late_error_ = std::move(error);
  }

  /// Readable lines that describe what this node waits for and what it has queued.
  [[nodiscard]] std::string evidence();

 private:
  void on_frame(NodeId from, std::span<const std::byte> frame) override;
  void on_peer_down(NodeId node) override;
  [[nodiscard]] bool dispatch(NodeId from, ByteReader& in);
  /// True if the backlog of some peer has become empty.
  bool ship_backlog();
  void flush_all();
  void enter(CollectiveKind kind, std::span<const std::uint64_t> numbers);
  /// Locked.
  void enter_wave(CollectiveKind kind, std::span<const std::uint64_t> numbers);
  std::vector<std::uint64_t> sum_as(CollectiveKind kind, std::span<const std::uint64_t> numbers);
  void quiesce_as(CollectiveKind kind);
  /// Returns once this node has handled all messages with news that any node had sent to it when it called this.
  void await_news(CollectiveKind kind);
  void release_and_acquire(CollectiveKind kind, Space* only);
  [[nodiscard]] std::optional<Error> take_error(NodeId from, bool understood);
  bool conclude();
  void expire_stale_copies();
  void note(NodeTimes::Spans NodeTimes::*kind, Instant from, Instant to);
  /// Receives and sends. `own_waits`: 1 if the caller is counted in waiting_, else 0.
  bool move_messages(int own_waits);
  /// Service::Separate: receives, and sends what is in the outbox, such as the request that the caller waits for. All
  /// else is left to the service threads. Returns whether something arrived.
  bool receive();
  /// Service::Separate: whether a service thread has anything to send.
  [[nodiscard]] bool has_to_send();
  /// Service::Separate: a service thread sends what the caller has published.
  void rouse_service();
  /// Service::Separate: the caller has received, and leaves all else to others. `own_waits`: as in move_messages.
  void pass_on(int own_waits);
  /// The body of progress() of a thread that handles messages.
  bool handle_messages();
  bool poll();
  bool flush();
  void serve();

  static constexpr std::size_t kMostWaitingFrames = 1024;

  Transport& transport_;
  NodeOptions options_;
  mutable SpinMutex mutex_;
  std::mutex poll_mutex_;
  std::atomic<bool> turned_away_{false};  // a thread found poll_mutex_ taken
  Outbox outbox_;
  std::vector<OutFrame> drained_;  // scratch
  Collective collective_;
  Termination termination_;
  std::vector<std::deque<Frame>> backlog_;  // per node: frames that its full window refused
  std::size_t backlogged_ = 0;
  std::optional<Error> late_error_;
  bool mismatch_reported_ = false;
  std::vector<std::unique_ptr<Space>> spaces_;
  std::uint64_t handled_ = 0;
  std::uint64_t handled_news_ = 0;
  std::array<std::uint64_t, 2> handled_in_phase_{};  // news, by the parity of the sender's phase
  std::uint64_t stale_before_ = 0;
  std::optional<bool> open_vote_;
  std::vector<std::uint64_t> extra_sums_;
  std::uint64_t collectives_ = 0;
  std::atomic<int> waiting_{0};
  std::atomic<bool> closing_{false};
  mutable std::mutex failure_mutex_;
  std::optional<Error> failure_;  // guarded by failure_mutex_
  std::atomic<bool> failed_{false};
  bool closed_ = false;
  std::atomic<std::uint64_t> blocked_fetches_{0};
  std::atomic<std::uint64_t> moves_{0};
  std::atomic<std::uint64_t> moves_by_service_{0};
  std::atomic<NodeTimes*> times_{nullptr};
};

template <class Done>
void Node::wait_until(Done&& done, std::optional<Instant> deadline) {
  waiting_.fetch_add(1, std::memory_order_relaxed);
  const bool separate = options_.service == Service::Separate;
  if (separate) rouse_service();
  bool slept = false;
  while (true) {
    const std::uint64_t ticket = transport_.ticket();
    if (done()) break;
    if (deadline && transport_.now() >= *deadline) break;
    if (separate ? receive() : move_messages(1)) continue;
    transport_.wait(ticket, deadline);
    slept = true;
  }
  waiting_.fetch_sub(1, std::memory_order_relaxed);
  // The arrival that ended the wait woke only this thread, and more may have arrived.
  if (!slept) return;
  if (separate) {
    pass_on(0);
  } else if (move_messages(0)) {
    transport_.wake();
  }
}

}  // namespace leeway
