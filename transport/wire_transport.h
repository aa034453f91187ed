// Transport over any Wire: windows that bound what a slow receiver must hold, one thread that watches the
// wire on behalf of all that wait, and peers that come and go.
//
// Invariant: a node has at most `window_bytes` plus one frame under way to another, wherever they lie, but
// for what the other's `poll` has in its hands.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "leeway/transport/transport.h"
#include "leeway/transport/wire.h"

namespace leeway {

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
  std::uint64_t ticket() const override { return epoch_.load(std::memory_order_acquire); }
  void wait(std::uint64_t seen, std::optional<Instant> deadline) override;
  void wake() override { announce(); }
  Instant now() const override { return clock_.now(); }
  void charge(const Work&) override {}
  void spawn(std::string name, std::function<void()> body) override;
  void join() override;
  TransportStats stats() const override;

  /// What `poll` has handed on, to be handed on again before all else.
  void put_back(std::vector<std::pair<NodeId, Frame>> frames);
  /// Tells the poller, after everything that has arrived, that `peer` is gone; frames to it vanish.
  void take_down(NodeId peer);
  /// A new process stands in `peer`'s place; with it everything starts afresh.
  void connect_peer(NodeId peer, std::uint32_t life, const std::string& address);
  /// Sends what is still here and throws away what arrives, until all has left or the deadline passes.
  bool drain(Instant deadline);
  /// Moves the wire on for those that call nothing else; throws away nothing.
  void pump();
  /// When this node last polled, for those who must know whether anybody listens.
  [[nodiscard]] Instant last_poll() const { return Instant(Duration(last_poll_ns_.load())); }
  /// The wire, for what only its kind can do. Under `lock_wire`.
  [[nodiscard]] Wire& wire() { return *wire_; }
  [[nodiscard]] std::unique_lock<std::mutex> lock_wire() { return std::unique_lock(mutex_); }

 private:
  enum class News : std::uint8_t { Data, Down, Up };
  struct Arrival {
    NodeId from{0};
    News news = News::Data;
    std::uint64_t life = 0;
    Frame frame;
  };
  struct Peer {
    std::uint64_t under_way = 0;          // bytes sent, not yet handed on by the receiver
    std::uint64_t unreturned_credit = 0;  // bytes handed on, the sender not yet told
    std::uint64_t life = 0;               // counts its processes
    bool refused = false;                 // a frame to it met a full window
    bool down = false;
  };

  struct Wait {
    std::uint64_t seen = 0;
    std::optional<Instant> deadline;
  };

  void announce();
  void note_event();
  void note_arrival();
  [[nodiscard]] Duration since_event() const;
  [[nodiscard]] bool over(const Wait& wait) const;
  bool spin(const Wait& wait);
  bool become_watcher(const Wait& wait);
  void rest(const Wait& wait);
  bool pull(std::size_t most);
  void account(const Arrival& arrival);
  void return_credits();
  /// So many bytes handed on are worth a message of their own to the sender.
  [[nodiscard]] std::uint64_t credit_threshold() const { return window_bytes_ / 4; }
  [[nodiscard]] static std::uint64_t weight(std::size_t bytes);

  std::unique_ptr<Wire> wire_;
  const NodeId self_;
  const std::uint64_t window_bytes_;
  SteadyClock clock_;
  std::mutex mutex_;  // the wire, the peers and the arrivals
  std::vector<Peer> peers_;
  std::deque<Arrival> arrivals_;
  std::vector<NodeId> peers_awaiting_credit_;
  std::vector<Arrival> taken_;  // scratch of the polling thread
  Packet packet_;
  bool room_again_ = false;  // on some way that was full

  std::atomic<std::uint64_t> epoch_{0};
  std::atomic<bool> resting_{false};
  std::atomic<bool> wire_full_{false};  // a frame met no room in the wire itself
  std::atomic<int> followers_{0};
  std::mutex watch_mutex_;
  std::condition_variable watch_;
  bool watched_ = false;  // some waiting thread watches the wire
  std::atomic<std::int64_t> last_event_ns_;
  std::atomic<std::int64_t> last_poll_ns_;

  std::mutex threads_mutex_;
  std::vector<std::thread> threads_;
  std::atomic<std::uint64_t> frames_sent_{0};
  std::atomic<std::uint64_t> bytes_sent_{0};
  std::atomic<std::uint64_t> frames_received_{0};
  std::atomic<std::uint64_t> bytes_received_{0};
};

}  // namespace leeway
