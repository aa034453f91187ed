// What a message-passing library must do for WireTransport: carry whole frames between numbered peers, in
// order for each pair, without ever blocking. One implementation a library, each in a file of its own.
//
// Threads: WireTransport calls everything but `rest`, `interrupt` and `failure` under one lock.
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

// Time as whoever judges others' silence may count it. A judge that was itself stopped (Ctrl-Z, a debugger, a
// machine too busy to run it) has not heard anybody meanwhile, and that is not their fault: of the time between
// two looks at most one step counts. Not thread-safe; look at least once a step.
class AwakeTime {
 public:
  AwakeTime(Instant now, Duration longest_step) : seen_(now), now_(now), longest_(longest_step) {}

  /// The step for who judges by `verdict`; who looks every eighth of it loses nothing of a healthy wait.
  [[nodiscard]] static Duration step_for(Duration verdict) {
    return std::max<Duration>(verdict / 4, std::chrono::milliseconds(20));
  }

  /// Takes notice of the clock; gives how much of the time since the last look counts.
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

// Rest for a wire that cannot say when something arrives: look again and again, give way, then sleep for a
// fraction of how long nothing has happened. An arrival is late by at most that fraction, and a long wait
// costs next to nothing. `interrupt` may be called by any thread.

/// A file descriptor that can be rung and waited for.
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
  /// Blocks until rung, until `other` (if not negative) is readable, or so long. Answers the bell.
  void wait(Duration most, int other = -1) const;

 private:
  int descriptor_;
};

class Backoff {
 public:
  /// `crowded`: others need the processor more than we need to be early.
  void rest(Duration idle, Duration most, bool crowded) const;
  void interrupt() const { bell_.ring(); }

 private:
  Doorbell bell_;
};

// What one node may have on the way to another, and what it lets the other have: credits. The sender counts what
// is under way and stops at the window; the receiver counts what it has handed on and returns that as credit,
// with a frame of its own or, once it is worth one, in a message. Both sides of one peer; not thread-safe.
//
// Invariant: at most `window` plus one frame is under way, wherever it lies. The receiver keeps up to a quarter of
// the window to itself before it returns credit, so less than that under way may mean nothing at all is, and then
// even a frame larger than the window must pass.
class CreditWindow {
 public:
  explicit CreditWindow(std::uint64_t window) : window_(window) {}

  /// What a frame of so many bytes takes: a flood of empty frames is bounded, too.
  [[nodiscard]] static std::uint64_t weight(std::size_t bytes) { return bytes + kFrameOverhead; }

  // As sender.

  /// Whether a frame of this weight may go now; if not, credit that comes is worth telling.
  [[nodiscard]] bool admits(std::uint64_t weight) {
    const bool room = under_way_ < threshold() || under_way_ + weight <= window_;
    refused_ = refused_ || !room;
    return room;
  }
  void sent(std::uint64_t weight) { under_way_ += weight; }
  /// Credit has come; true if a frame was refused before that may pass now.
  bool credited(std::uint64_t credit) {
    under_way_ -= std::min(under_way_, credit);
    return std::exchange(refused_, false);
  }
  [[nodiscard]] std::uint64_t under_way() const { return under_way_; }

  // As receiver.

  /// A frame of this weight was handed on; true if with it credit has become worth a message.
  bool handed_on(std::uint64_t weight) {
    const bool before = worth_a_message();
    unreturned_ += weight;
    return !before && worth_a_message();
  }
  [[nodiscard]] bool worth_a_message() const { return unreturned_ >= threshold(); }
  /// The credit that the next message to the sender carries; `returned` says that it went out.
  [[nodiscard]] std::uint64_t unreturned() const { return unreturned_; }
  void returned() { unreturned_ = 0; }

 private:
  static constexpr std::uint64_t kFrameOverhead = 64;
  [[nodiscard]] std::uint64_t threshold() const { return window_ / 4; }

  std::uint64_t window_;
  std::uint64_t under_way_ = 0;   // bytes sent for which no credit has come
  std::uint64_t unreturned_ = 0;  // bytes handed on for which none was returned
  bool refused_ = false;
};

// Of all threads that wait at one node, one watches the wire; the others follow: they sleep, and look now and then
// whether the watch is kept. If it is not, because the watcher has what it waited for, one of them takes it over.
// Thread-safe.
//
// Invariant: a ticket taken before an event is over after it, whoever waits for it: `announce` changes the ticket
// before it looks whether the watcher rests, and the watcher says that it rests before it looks at the ticket.
// Both write by sequentially consistent operations: a write that is still on its way to memory while its thread looks
// would be as good as one that comes after. The followers are counted likewise, before they look at the ticket.
// test/transport/election_test.cc runs this code through all its interleavings; `Threads` is the seam it uses.
//
// What no announcement tells of is found by looking, so only by time: that the watcher steps down, and
// `note_arrival`.
struct StandardThreads {
  template <class T>
  using Atomic = std::atomic<T>;
  using Mutex = std::mutex;
  using Condition = std::condition_variable;
  using Clock = SteadyClock;
};

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
  /// The watcher's own: it is about to return and will poll, and most often be back at once. Waking the others
  /// for each arrival would cost more than the arrival; they look by themselves whether the watch is kept.
  void note_arrival() { epoch_.fetch_add(1, std::memory_order_seq_cst); }

  /// Something has happened: an answer may be on its way, so all look often again.
  void note_event() {
    last_event_ns_.store(clock_.now().time_since_epoch().count(), std::memory_order_relaxed);
  }
  [[nodiscard]] Instant last_event() const { return Instant(Duration(last_event_ns_.load())); }
  /// How long nothing has happened.
  [[nodiscard]] Duration idle() const {
    return std::max(clock_.now() - last_event(), Duration::zero());
  }

  /// Blocks until this thread is the watcher (true), or its wait is over (false). A follower looks the more
  /// seldom the longer nothing has happened.
  bool stand(const Wait& wait);
  /// The watcher's last act.
  void step_down();

  /// The watcher is about to rest; false if its wait is over already. Then `rested`.
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
    // Whoever has looked and not yet gone to sleep holds the lock.
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

// Transport over any Wire: credit windows that bound what a slow receiver must hold (CreditWindow), one thread
// that watches the wire on behalf of all that wait (WatcherElection), and peers that come and go.
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

  /// What `poll` has handed on, to be handed on again before all else.
  void put_back(std::vector<std::pair<NodeId, Frame>> frames);
  /// Tells the poller, after everything that has arrived, that `peer` is gone; frames to it vanish. Never
  /// blocks: whoever has the wire, or has it next, does it.
  void take_down(NodeId peer);
  /// Sends what is still here and throws away what arrives, until all has left or the deadline passes.
  bool drain(Instant deadline);
  /// Moves the wire on for those that call nothing else; throws away nothing.
  void pump();
  /// How often a poll of this node has found something, for those who must know whether anybody listens.
  [[nodiscard]] std::uint64_t polls() const { return polls_.load(); }
  /// Runs `act` on the wire once nobody else is in it, and then as `pump`. False if somebody is in it for
  /// longer than `most`: a message-passing library may block, and what must go on beside it cannot wait.
  bool try_with_wire(Duration most, const std::function<void(Wire&)>& act);
  /// Keeps all threads of this process out of the wire until the process ends; threads that try block. False if another
  /// thread stayed in the wire for longer than `most`. Only the thread that calls `try_with_wire` may call it.
  bool close_wire(Duration most);
  /// See Wire::failure.
  [[nodiscard]] std::string wire_failure() const { return wire_->failure(); }

 private:
  enum class News : std::uint8_t {
    Data,
    Again,  ///< put back: its credit was given back when it was handed on first
    Down,
  };
  struct Arrival {
    NodeId from{0};
    News news = News::Data;
    Frame frame;
  };
  struct Peer {
    CreditWindow window;
    bool down = false;
  };
  using Wait = WatcherElection::Wait;

  /// The wire's lock, after whoever has asked for it longer (see try_with_wire).
  [[nodiscard]] std::unique_lock<std::mutex> lock();
  [[nodiscard]] std::unique_lock<std::mutex> try_lock_for(Duration most);
  void announce();
  bool look_often(const Wait& wait);
  bool spin(const Wait& wait);
  void rest(const Wait& wait);
  bool pull(std::size_t most);
  void account(const Arrival& arrival);
  void return_credits();
  void make_changes();

  std::unique_ptr<Wire> wire_;
  const NodeId self_;
  const std::uint64_t window_bytes_;
  SteadyClock clock_;
  std::mutex mutex_;  // the wire, the peers and the arrivals
  std::vector<Peer> peers_;
  std::deque<Arrival> arrivals_;
  std::vector<NodeId> peers_awaiting_credit_;
  std::vector<Arrival> taken_;  // what the last poll handed on; of the polling thread
  Packet packet_;
  bool room_again_ = false;          // on some way that was full
  bool wire_closed_ = false;         // the thread that closed it holds the mutex for good
  std::atomic<bool> wanted_{false};  // the wire, by a thread that must not wait for long
  std::mutex changes_mutex_;
  std::vector<NodeId> gone_;  // not yet known to the wire
  std::atomic<bool> changed_{false};

  WatcherElection watchers_;
  std::atomic<bool> wire_full_{false};  // a frame met no room in the wire itself
  std::atomic<std::uint64_t> polls_{0};

  std::mutex threads_mutex_;
  std::vector<std::thread> threads_;
  std::atomic<std::uint64_t> frames_sent_{0};
  std::atomic<std::uint64_t> bytes_sent_{0};
  std::atomic<std::uint64_t> frames_received_{0};
  std::atomic<std::uint64_t> bytes_received_{0};
};

}  // namespace leeway
