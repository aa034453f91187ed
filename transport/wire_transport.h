// Transport over any Wire: credit windows that bound what a slow receiver must hold (CreditWindow), one thread
// that watches the wire on behalf of all that wait (WatcherElection), and peers that come and go.
#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "leeway/transport/credit_window.h"
#include "leeway/transport/transport.h"
#include "leeway/transport/watcher_election.h"
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
