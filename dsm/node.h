// What a node is made with, and what it counts.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/parallel.h"
#include "dsm/space.h"
#include "leeway/result.h"
#include "protocol/collective.h"
#include "protocol/ids.h"
#include "protocol/outbox.h"
#include "protocol/policy.h"
#include "transport/transport.h"

namespace leeway {

enum class Service {
  Background,  ///< a thread of its own refreshes, announces and answers (the paper's refresher)
  Inline,      ///< compute threads do it whenever they wait, and when they call progress()
};

[[nodiscard]] constexpr std::string_view service_name(Service service) {
  return service == Service::Background ? "thread" : "inline";
}

struct NodeOptions {
  Policy policy;
  Service service = Service::Background;
  /// A peer is gone, sent what no correct peer sends, or is in another collective; or an object was asked for
  /// that there is none of. Default: say so and end the process with the error's exit code. If it returns, no
  /// call on the node or its spaces blocks any more, and what they return means nothing: see Node::failed.
  std::function<void(const Error&)> on_failure;
};

/// When a node did what does not show in its program. Written under the node's lock.
struct NodeTimes {
  using Spans = std::vector<std::pair<Instant, Instant>>;
  Spans blocked;  ///< a thread waited for a fetch
  Spans served;   ///< messages were moved: refreshes, replies, what others stored
};

struct NodeStats {
  TransportStats transport;
  std::uint64_t messages_sent = 0;
  std::uint64_t messages_handled = 0;
  std::uint64_t blocked_fetches = 0;
  std::uint64_t collectives = 0;
  std::uint64_t moves = 0;             ///< times that a thread found messages to take or to send
  std::uint64_t moves_by_service = 0;  ///< of these, by the service thread
  std::uint64_t waiting_frames = 0;    ///< now: for peers that have no room for them
  KindCounts sent_by_kind{};
};

// One machine of the cluster: its spaces, its lock, its share of the collectives, and the pump that
// moves messages. The only place that sends. Runs over any Transport.
//
// Threads: compute threads call fetch and store on the spaces, and may all block; collectives are called
// by one thread a node at a time. A service activity polls, refreshes and announces behind their back,
// and sleeps when there is nothing to do.
//
// Frames for which the way to a peer has no room wait here. While some do, the machines keep what is pending
// for that peer (Outbox::hold), so of these frames there are at most: those of one flush, those of one
// collective and of the flush before it, an answer to each of the peer's unanswered reads and
// acknowledgements, and kMostWaitingFrames of stores away from their home.
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
  /// NodeOptions::on_failure was called, and returned. From then on collectives return zeros and `converged`
  /// true, fetches return zeros, and stores do not wait. Any thread.
  [[nodiscard]] bool failed() const { return failed_.load(std::memory_order_acquire); }
  /// Why: the first error. Any thread.
  [[nodiscard]] std::optional<Error> failure() const;

  /// Collective: every node opens the same spaces in the same order. The space lives as long as the node.
  Result<Space*> open_space(const SpaceOptions& options, std::uint32_t value_bytes);

  // Collectives: every node calls the same ones in the same order. Blocking.

  void barrier();
  /// The sums of everybody's numbers.
  std::vector<std::uint64_t> sum(std::span<const std::uint64_t> numbers);
  /// The end of an iteration: true, on every node at once, when nobody votes to continue, no stale value
  /// was used since the last call and nothing was in flight (ASPIRE §4.2).
  bool converged(bool vote_to_continue);
  /// The same in two steps, for a node that goes on working until all have voted. Requires no collective
  /// under way; between the two, none is begun (checked). `besides` are summed with the votes; every node
  /// gives as many.
  void vote(bool to_continue, std::span<const std::uint64_t> besides = {});
  /// Nothing while a vote is missing; then the verdict, once. Does not block.
  std::optional<bool> verdict();
  /// The sums of what all gave besides their votes, of the last verdict.
  [[nodiscard]] const std::vector<std::uint64_t>& besides() const { return besides_; }
  /// Returns when everything stored before, anywhere, is known everywhere: nothing is in flight.
  void quiesce();
  /// Last of all, after every use of the spaces, and before the transport goes. Collective.
  void close();

  /// Moves what can be moved now: arrivals, refreshes, announcements. For compute threads between
  /// batches. True if anything arrived or left.
  bool progress();

  /// From now on every wait for a fetch and every stretch of moving messages beside the computation, up to
  /// a limit, is noted in `times`; null ends it. What was kept before is not touched after this returns. Not
  /// with the lock.
  void keep_times(NodeTimes* times);

  /// From now on `save` is called once when a peer is gone, before the node fails for it, by the thread that hears of
  /// it, while others go on; null ends that. Not with the lock.
  void when_peer_is_lost(std::function<void()> save);

  // For the spaces.

  [[nodiscard]] SpinMutex& lock() { return mutex_; }
  [[nodiscard]] Outbox& outbox() { return outbox_; }
  /// Sends what the outbox has gathered. Locked.
  void ship();
  /// Blocks until `done()`, which may take the lock, or the deadline, moving messages meanwhile.
  template <class Done>
  void wait_until(Done&& done, std::optional<Instant> deadline = std::nullopt);
  void kick() { transport_.wake(); }
  /// Blocks while kMostWaitingFrames wait for that peer. Not with the lock.
  void wait_for_room(NodeId peer);
  /// A thread waited so long for a fetch. Any thread.
  void note_blocked(Instant from, Instant to) { note(&NodeTimes::blocked, from, to); }
  /// Whether it would be kept: to ask for the time costs as much as a miss can wait for.
  [[nodiscard]] bool keeps_times() const {
    return times_.load(std::memory_order_acquire) != nullptr;
  }
  void count_blocked_fetch() { blocked_fetches_.fetch_add(1, std::memory_order_relaxed); }
  /// Calls on_failure. Not with the lock.
  void fail(Error error);
  /// The same once the message under way has been handled. Locked.
  void fail_later(Error error) {
    if (!late_error_) late_error_ = std::move(error);
  }

  /// What this node waits for and what it has queued, in lines for a person.
  [[nodiscard]] std::string evidence();

 private:
  void on_frame(NodeId from, std::span<const std::byte> frame) override;
  void on_peer_down(NodeId node) override;
  [[nodiscard]] bool dispatch(NodeId from, ByteReader& in);
  /// True if for some peer nothing waits any more.
  bool ship_backlog();
  void flush_all();
  void enter(CollectiveKind kind, std::span<const std::uint64_t> numbers);
  std::vector<std::uint64_t> sum_as(CollectiveKind kind, std::span<const std::uint64_t> numbers);
  void quiesce_as(CollectiveKind kind);
  [[nodiscard]] std::optional<Error> take_error(NodeId from, bool understood);
  bool conclude();
  void refresh_stale_copies();
  void note(NodeTimes::Spans NodeTimes::*kind, Instant from, Instant to);
  /// As progress(); `own_waits` of those that wait are the caller itself.
  bool move_messages(int own_waits);
  bool poll();
  bool flush();
  void serve();

  static constexpr std::size_t kMostWaitingFrames = 1024;

  Transport& transport_;
  NodeOptions options_;
  mutable SpinMutex mutex_;
  std::mutex poll_mutex_;
  std::atomic<bool> turned_away_{false};  // a thread found another one polling
  std::mutex loss_mutex_;
  std::function<void()> on_loss_;  // with its mutex, also while it is called
  struct Machines;
  std::unique_ptr<Machines> machines_;  // of the protocol; what follows is in there
  Outbox& outbox_;
  Collective& collective_;
  Termination& termination_;
  std::vector<std::deque<Frame>> backlog_;  // per node: frames its full window refused
  std::size_t backlogged_ = 0;
  std::optional<Error> late_error_;
  bool told_mismatch_ = false;
  std::vector<std::unique_ptr<Space>> spaces_;
  std::uint64_t handled_ = 0;
  std::uint64_t handled_news_ = 0;
  std::uint64_t stale_before_ = 0;
  std::optional<bool> open_vote_;
  std::vector<std::uint64_t> besides_;
  std::uint64_t collectives_ = 0;
  std::atomic<int> waiting_{0};
  std::atomic<bool> closing_{false};
  mutable std::mutex failure_mutex_;
  std::optional<Error> failure_;  // with its mutex
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
  bool slept = false;
  while (true) {
    const std::uint64_t ticket = transport_.ticket();
    if (done()) break;
    if (deadline && transport_.now() >= *deadline) break;
    if (move_messages(1)) continue;
    transport_.wait(ticket, deadline);
    slept = true;
  }
  waiting_.fetch_sub(1, std::memory_order_relaxed);
  // The arrival that ended the sleep was told to nobody else, and it may not have come alone.
  if (slept && move_messages(0)) transport_.wake();
}

// What a node consists of behind its header: what it is about to send, and its part in collectives and in the verdict
// that all is over. Under the node's lock.
struct Node::Machines {
  Machines(NodeId self, std::uint32_t nodes, bool aggregate)
      : outbox(nodes, aggregate), collective(self, nodes) {}

  Outbox outbox;
  std::vector<OutFrame> drained;  // scratch
  Collective collective;
  Termination termination;
};

}  // namespace leeway
