// Transport over a message-passing library. Wire: what a library must provide (implemented in
// mpi_wire.cc and ofi_wire.cc). WireTransport: the Transport on top of any Wire, with credit
// windows (CreditWindow) and one thread that watches the wire on behalf of all waiting threads
// (WatcherElection).
#pragma once

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/ids.h"
#include "transport/transport.h"

namespace leeway {

/// What travels with each frame.
struct Envelope {
  /// Bytes of the receiver's earlier frames that the sender has delivered.
  std::uint64_t credit = 0;
  std::uint64_t carries = 0;  ///< 1: the node's frame follows; 0: only this envelope
};

struct Packet {
  NodeId from{0};
  Envelope envelope;
  Frame frame;
};

/// Cache of the memory of large frames, for later frames: memory from the allocator must be cleared
/// first and is often mapped again. Bounded; not thread-safe.
class SpareFrames {
 public:
  static constexpr std::size_t kSmallest = 16 * 1024;
  static constexpr std::size_t kLargest = 1024 * 1024;
  static constexpr std::size_t kMost = 8;

  /// A frame with capacity `bytes`, of at most that size and with unspecified content.
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

/// A message-passing library: carries whole frames between numbered peers, in order for each pair,
/// without blocking. WireTransport calls all functions except `rest`, `interrupt` and `failure`
/// under one lock.
class Wire {
 public:
  virtual ~Wire() = default;

  [[nodiscard]] virtual NodeId self() const = 0;
  [[nodiscard]] virtual std::uint32_t node_count() const = 0;
  /// Starts to send and keeps the frame until it is sent; false: no room now, the frame is
  /// unchanged.
  [[nodiscard]] virtual bool send(NodeId to, const Envelope& envelope, Frame& frame) = 0;
  /// Returns the next packet that arrived, if any; progresses all transfers.
  [[nodiscard]] virtual bool receive(Packet& packet) = 0;
  /// Takes back the memory of a frame from `receive`.
  virtual void reuse(Frame frame) { (void)frame; }
  /// Whether every frame has left this process.
  [[nodiscard]] virtual bool drained() = 0;
  /// Called before `rest`, under the lock: false if a packet may have arrived already.
  [[nodiscard]] virtual bool may_rest() { return true; }
  /// How long a waiting thread should poll before it rests.
  [[nodiscard]] virtual Duration spin() const { return {}; }
  /// True if an arrival does not end `rest`, so that rests must be short while an answer is
  /// expected.
  [[nodiscard]] virtual bool rest_is_blind() const { return false; }
  /// Called outside the lock, by one thread at a time: blocks until a packet may have arrived,
  /// until `interrupt`, or for at most `most`. `idle`: time since the last event. May return early.
  virtual void rest(Duration idle, Duration most) = 0;
  virtual void interrupt() = 0;
  /// The reason why the wire has failed; empty if it works. Any thread, without the lock.
  [[nodiscard]] virtual std::string failure() const { return {}; }
  /// The peer is gone: discard all transfers to and from it.
  virtual void drop(NodeId peer) = 0;

  // Detection of unreachable peers. The peer's wire answers, whatever the program above it does, so
  // a peer that computes can be distinguished from one that is cut off.

  /// Called at least every eighth of the verdict time. `awake`: time since the last call, without
  /// pauses of this process.
  virtual void beat(Duration awake) { (void)awake; }
  /// A peer that has not acknowledged a message for longer than this, if any.
  [[nodiscard]] virtual NodeId unanswering(Duration longer_than) const {
    (void)longer_than;
    return NodeId::none();
  }
  /// Requests an answer from every peer with which a message was ever exchanged.
  virtual void ask_all() {}
  /// The peers that have not answered since `ask_all`.
  [[nodiscard]] virtual std::vector<NodeId> not_answered() const { return {}; }
};

/// Time for judging the silence of others. A process that was itself stopped (Ctrl-Z, a debugger, a
/// busy machine) could not hear its peers meanwhile, so at most `longest_step` between two calls of
/// `look` counts. Not thread-safe; call `look` at least once per step.
class AwakeTime {
 public:
  AwakeTime(Instant now, Duration longest_step) : seen_(now), now_(now), longest_(longest_step) {}

  /// The step for a given verdict time; with a `look` every eighth of it, all time counts in normal
  /// operation.
  [[nodiscard]] static Duration step_for(Duration verdict) {
    return std::max<Duration>(verdict / 4, std::chrono::milliseconds(20));
  }

  /// Records the clock; returns how much of the time since the last look counts.
  Duration look(Instant clock) {
    const Duration counts = std::clamp(clock - seen_, Duration::zero(), longest_);
    seen_ = clock;
    now_ += counts;
    return counts;
  }
  /// As of the last look.
  [[nodiscard]] Instant now() const { return now_; }

 private:
  Instant seen_;
  Instant now_;
  Duration longest_;
};

/// An eventfd: a thread or signal handler rings it to end another thread's wait.
class Doorbell {
 public:
  Doorbell();
  ~Doorbell();
  Doorbell(const Doorbell&) = delete;
  Doorbell& operator=(const Doorbell&) = delete;

  /// Any thread, and signal handlers.
  void ring() const;
  /// Forgets the rings so far.
  void answer() const;
  [[nodiscard]] int descriptor() const { return descriptor_; }
  /// Blocks until rung, until `other` (if not negative) is readable, or for `most`. Resets the bell.
  void wait(Duration most, int other = -1) const;

 private:
  int descriptor_;
};

/// Rests for a wire that cannot signal arrivals: polls, yields, then sleeps for a fraction of the
/// idle time. An arrival is late by at most that fraction, and a long wait uses almost no processor
/// time. Any thread may call `interrupt`.
class Backoff {
 public:
  /// `crowded`: more processes than cores, so yield the processor earlier.
  void rest(Duration idle, Duration most, bool crowded) const;
  void interrupt() const { bell_.ring(); }

 private:
  Doorbell bell_;
};

/// Flow control between this node and one peer, for both directions: bounds the bytes in flight.
/// The sender counts bytes in flight and stops at the window; the receiver counts bytes delivered
/// and returns them as credit, with a frame of its own or, above a threshold, in a separate
/// message. Not thread-safe.
///
/// Invariant: at most `window` plus one frame is in flight, including queues at the receiver. The
/// receiver keeps up to a quarter of the window before it returns credit. So if less than a quarter
/// seems to be in flight, it may be nothing, and then even a frame larger than the window must
/// pass.
class CreditWindow {
 public:
  explicit CreditWindow(std::uint64_t window) : window_(window) {}

  /// Share of the window that a frame takes; not zero for empty frames, so their number is bounded
  /// too.
  [[nodiscard]] static std::uint64_t weight(std::size_t bytes) { return bytes + kFrameOverhead; }

  // As sender.

  /// Whether a frame of this weight may be sent now. If not, `credited` reports when to retry.
  [[nodiscard]] bool admits(std::uint64_t weight) {
    const bool room = under_way_ < threshold() || under_way_ + weight <= window_;
    refused_ = refused_ || !room;
    return room;
  }
  void sent(std::uint64_t weight) { under_way_ += weight; }
  /// Credit has arrived; true if a refused frame may pass now.
  bool credited(std::uint64_t credit) {
    under_way_ -= std::min(under_way_, credit);
    return std::exchange(refused_, false);
  }
  [[nodiscard]] std::uint64_t under_way() const { return under_way_; }

  // As receiver.

  /// A frame of this weight was delivered; true if the credit now exceeds the threshold for a
  /// message.
  bool handed_on(std::uint64_t weight) {
    const bool before = worth_a_message();
    unreturned_ += weight;
    return !before && worth_a_message();
  }
  [[nodiscard]] bool worth_a_message() const { return unreturned_ >= threshold(); }
  /// The credit for the next message to the sender; call `returned` once it is sent.
  [[nodiscard]] std::uint64_t unreturned() const { return unreturned_; }
  void returned() { unreturned_ = 0; }

 private:
  static constexpr std::uint64_t kFrameOverhead = 64;
  [[nodiscard]] std::uint64_t threshold() const { return window_ / 4; }

  std::uint64_t window_;
  std::uint64_t under_way_ = 0;   // bytes sent for which no credit has arrived
  std::uint64_t unreturned_ = 0;  // bytes delivered for which no credit was returned
  bool refused_ = false;
};

/// The seam for test/transport/election_test.cc, which runs the election through all its
/// interleavings.
struct StandardThreads {
  template <class T>
  using Atomic = std::atomic<T>;
  using Mutex = std::mutex;
  using Condition = std::condition_variable;
  using Clock = SteadyClock;
};

/// Election among the threads that wait at one node: one thread, the watcher, watches the wire. The
/// others, the followers, sleep and check from time to time whether there is a watcher; if not, one
/// of them becomes it. Thread-safe.
///
/// Invariant: a ticket taken before an event differs from the ticket after it, for every waiting
/// thread. `announce` changes the ticket before it checks whether the watcher rests, and the
/// watcher sets resting_ before it checks the ticket. Both are sequentially consistent, because
/// otherwise the write of one thread could become visible after its read. Followers are counted in
/// the same way before they check the ticket.
///
/// Two events are not announced and are found only by periodic checks: step_down and note_arrival.
template <class Threads>
class BasicWatcherElection {
 public:
  struct Wait {
    std::uint64_t seen = 0;
    std::optional<Instant> deadline;
  };

  [[nodiscard]] std::uint64_t ticket() const { return epoch_.load(std::memory_order_acquire); }
  [[nodiscard]] bool over(const Wait& wait) const {
    return epoch_.load(std::memory_order_seq_cst) != wait.seen ||
           (wait.deadline && clock_.now() >= *wait.deadline);
  }

  /// Ends every wait. True if the watcher rests and must be interrupted.
  [[nodiscard]] bool announce();
  /// Changes the ticket without waking followers. Called by the watcher, which is about to return
  /// and poll, and usually waits again at once. Waking the followers for each arrival would cost
  /// more than the arrival.
  void note_arrival() { epoch_.fetch_add(1, std::memory_order_seq_cst); }

  /// An event has occurred, so an answer may arrive soon: all threads check at short intervals
  /// again.
  void note_event() {
    last_event_ns_.store(clock_.now().time_since_epoch().count(), std::memory_order_relaxed);
  }
  [[nodiscard]] Instant last_event() const { return Instant(Duration(last_event_ns_.load())); }
  /// Time since the last event.
  [[nodiscard]] Duration idle() const {
    return std::max(clock_.now() - last_event(), Duration::zero());
  }

  /// Blocks until this thread is the watcher (true) or its wait is over (false). A follower's
  /// checks become less frequent with the time since the last event.
  bool stand(const Wait& wait);
  /// Called by the watcher when it stops watching.
  void step_down();

  /// The watcher is about to rest; false if its wait is over already. Call `rested` afterwards in
  /// both cases.
  [[nodiscard]] bool may_rest(const Wait& wait) {
    resting_.store(true, std::memory_order_seq_cst);
    return !over(wait);
  }
  void rested() { resting_.store(false, std::memory_order_seq_cst); }
  [[nodiscard]] bool rests() const { return resting_.load(std::memory_order_seq_cst); }

 private:
  static constexpr Duration kSoonestLook = std::chrono::microseconds(200);
  static constexpr Duration kLatestLook = std::chrono::milliseconds(10);

  template <class T>
  using Atomic = typename Threads::template Atomic<T>;

  Atomic<std::uint64_t> epoch_{0};
  Atomic<bool> resting_{false};
  Atomic<int> followers_{0};
  typename Threads::Mutex mutex_;
  typename Threads::Condition changed_;
  bool watched_ = false;
  typename Threads::Clock clock_;
  Atomic<std::int64_t> last_event_ns_{clock_.now().time_since_epoch().count()};
};

template <class Threads>
bool BasicWatcherElection<Threads>::announce() {
  epoch_.fetch_add(1, std::memory_order_seq_cst);
  const bool interrupt = rests();
  if (followers_.load(std::memory_order_seq_cst) > 0) {
    // A follower that has checked its wait but does not sleep yet holds the lock.
    { const std::lock_guard locked(mutex_); }
    changed_.notify_all();
  }
  return interrupt;
}

template <class Threads>
bool BasicWatcherElection<Threads>::stand(const Wait& wait) {
  std::unique_lock locked(mutex_);
  followers_.fetch_add(1, std::memory_order_seq_cst);
  while (watched_ && !over(wait)) {
    Duration look = std::clamp(idle() / 4, kSoonestLook, kLatestLook);
    if (wait.deadline) look = std::clamp(*wait.deadline - clock_.now(), Duration::zero(), look);
    changed_.wait_for(locked, look);
  }
  followers_.fetch_sub(1, std::memory_order_seq_cst);
  if (over(wait)) return false;
  watched_ = true;
  return true;
}

template <class Threads>
void BasicWatcherElection<Threads>::step_down() {
  const std::lock_guard locked(mutex_);
  watched_ = false;
}

extern template class BasicWatcherElection<StandardThreads>;
using WatcherElection = BasicWatcherElection<StandardThreads>;

/// Transport over any Wire. Owns the wire; thread-safe as Transport requires.
class WireTransport final : public Transport {
 public:
  WireTransport(std::unique_ptr<Wire> wire, std::uint64_t window_bytes);
  ~WireTransport() override;
  WireTransport(const WireTransport&) = delete;
  WireTransport& operator=(const WireTransport&) = delete;

  NodeId self() const override { return self_; }
  std::uint32_t node_count() const override { return static_cast<std::uint32_t>(peers_.size()); }
  SendOutcome send(NodeId to, Frame& frame) override;
  std::size_t poll(FrameSink& sink, std::size_t most) override;
  std::uint64_t ticket() const override { return watchers_.ticket(); }
  void wait(std::uint64_t seen, std::optional<Instant> deadline) override;
  void wake() override { announce(); }
  Instant now() const override { return clock_.now(); }
  void charge(const Work&) override {}
  void spawn(std::string name, std::function<void()> body) override;
  void join() override;
  TransportStats stats() const override;

  /// Frames that `poll` has delivered; the next poll delivers them again before all others.
  void put_back(std::vector<std::pair<NodeId, Frame>> frames);
  /// Marks `peer` as gone: the next polls deliver this after all frames that have arrived, and
  /// frames to it are dropped. Never blocks: the change is applied by the current or the next user
  /// of the wire.
  void take_down(NodeId peer);
  /// Completes all sends and discards arrivals; false if the deadline passes first.
  bool drain(Instant deadline);
  /// Progresses the wire for callers that neither poll nor wait; discards nothing.
  void pump();
  /// Number of polls that delivered something; shows whether the node still polls.
  [[nodiscard]] std::uint64_t polls() const { return polls_.load(); }
  /// Runs `act` on the wire, and progresses it as `pump` does, once no other thread uses the wire.
  /// False if another thread uses it for longer than `most`: a library call may block, and the
  /// caller must not.
  bool try_with_wire(Duration most, const std::function<void(Wire&)>& act);
  /// Keeps all threads of this process out of the wire until the process ends; threads that try
  /// block. False if another thread used the wire for longer than `most`. Only the thread that
  /// calls `try_with_wire` may call it.
  bool close_wire(Duration most);
  /// See Wire::failure.
  [[nodiscard]] std::string wire_failure() const { return wire_->failure(); }

 private:
  enum class News : std::uint8_t {
    Data,
    Again,  ///< put back: its credit was returned at the first delivery
    Down,
  };
  struct WireArrival {
    NodeId from{0};
    News news = News::Data;
    Frame frame;
  };
  struct WirePeer {
    CreditWindow window;
    bool down = false;
  };
  using Wait = WatcherElection::Wait;

  /// Takes mutex_; lets a waiting try_lock_for go first.
  [[nodiscard]] std::unique_lock<std::mutex> lock();
  [[nodiscard]] std::unique_lock<std::mutex> try_lock_for(Duration most);
  void announce();
  bool look_often(const Wait& wait);
  bool spin(const Wait& wait);
  void rest(const Wait& wait);
  bool pull(std::size_t most);
  void account(const WireArrival& arrival);
  void return_credits();
  void make_changes();

  std::unique_ptr<Wire> wire_;
  const NodeId self_;
  const std::uint64_t window_bytes_;
  SteadyClock clock_;
  std::mutex mutex_;  // guards the wire, the peers and the arrivals
  std::vector<WirePeer> peers_;
  std::deque<WireArrival> arrivals_;
  std::vector<NodeId> peers_awaiting_credit_;
  std::vector<WireArrival> taken_;  // frames of the last poll; used by the polling thread
  Packet packet_;
  bool room_again_ = false;                  // a full window has room again
  bool wire_closed_ = false;                 // the thread that closed it holds the mutex for good
  std::atomic<bool> lock_requested_{false};  // by a thread in try_lock_for
  std::mutex changes_mutex_;
  std::vector<NodeId> gone_;  // peers that are gone, not yet applied to peers_ and the wire
  std::atomic<bool> changed_{false};

  WatcherElection watchers_;
  std::atomic<bool> wire_full_{false};  // the wire itself had no room for a frame
  std::atomic<std::uint64_t> polls_{0};

  std::mutex threads_mutex_;
  std::vector<std::thread> threads_;
  std::atomic<std::uint64_t> frames_sent_{0};
  std::atomic<std::uint64_t> bytes_sent_{0};
  std::atomic<std::uint64_t> frames_received_{0};
  std::atomic<std::uint64_t> bytes_received_{0};
};

}  // namespace leeway
