// The virtual cluster: N nodes on one operating-system thread with a virtual clock. Nodes run the
// same code as elsewhere, on fibers. A CostModel prices computation, a NetworkProfile the network,
// and a Faults adds faults. The same options give the same run on every machine, to the byte.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <queue>
#include <string>
#include <vector>

#include "transport/fiber.h"
#include "transport/network_profile.h"
#include "transport/transport.h"

namespace leeway {

/// The faults of a run and their times.
struct Faults {
  struct Pause {
    NodeId node{0};
    Instant at{};
    Duration length{};
  };
  struct Crash {
    NodeId node{0};
    Instant at{};
  };
  /// Frames sent during the cut between the nodes of `side` (one bit a node) and the others arrive
  /// after it, in order.
  struct NetworkCut {
    std::uint64_t side = 0;
    Instant at{};
    Duration length{};
  };
  std::vector<std::uint32_t> slowdown_percent;  ///< per node; 100 or missing: full speed
  std::vector<Pause> pauses;                    ///< the node does not run; frames still arrive
  std::vector<Crash> crashes;
  std::vector<NetworkCut> cuts;
  /// Share of frames that later frames of their pair may overtake, once `begin_overtaking` was
  /// called. Transport's contract forbids this; it tests whether the protocol's version numbers
  /// suffice without ordered delivery.
  std::uint32_t overtaken_per_million = 0;
  /// From a crash until the other nodes are notified.
  Duration detection = std::chrono::milliseconds(5);
};

struct SimOptions {
  std::uint32_t nodes = 2;
  NetworkProfile profile;
  CostModel cost;
  Faults faults;
  std::uint64_t seed = 1;
  Duration time_limit = std::chrono::hours(24);       ///< virtual
  std::size_t stack_bytes = std::size_t{256} << 10U;  ///< per fiber; untouched pages use no memory
};

enum class SimOutcome { Finished, Deadlock, NodeLost, TimeLimit };

struct [[nodiscard]] SimReport {
  SimOutcome outcome = SimOutcome::Finished;
  Duration elapsed{};  ///< virtual
  std::uint64_t events = 0;
  std::uint64_t digest = 0;  ///< hash of all events in order: equal runs have equal digests
  std::string detail;        ///< if the run did not finish: the state of the main fibers
};

/// Construct it, attach the nodes' code, then call `run` once. Not thread-safe.
class SimCluster {
 public:
  explicit SimCluster(SimOptions options);
  ~SimCluster();
  SimCluster(const SimCluster&) = delete;
  SimCluster& operator=(const SimCluster&) = delete;

  [[nodiscard]] Transport& node(NodeId id);
  [[nodiscard]] const SimOptions& options() const;
  [[nodiscard]] Instant now() const;

  /// From now on frames may be overtaken as planned.
  void begin_overtaking();

  /// Runs `body` on every node as its main task; returns when all have returned or none can
  /// continue. Rethrows an exception of a body.
  SimReport run(const std::function<void(NodeId)>& body);

  class Engine;  ///< private to sim.cc

 private:
  std::unique_ptr<Engine> engine_;
};

// Internals of the virtual cluster, private to sim.cc: the event queue, the fibers and the state of
// every node.
class SimEndpoint;  // one node's Transport

/// One fiber of one node.
struct SimTask {
  NodeId node{0};
  std::string name;
  std::unique_ptr<Fiber> fiber;
  std::uint64_t debt_ps = 0;  // charged, but not yet passed in virtual time
  Instant busy_until{};       // a waiting task cannot be resumed before its charged time has passed
  bool main = false;
  bool waiting = false;               // in `wait`, until the node's ticket changes
  std::optional<Instant> deadline;    // of the current wait
  std::optional<Instant> next_alarm;  // the earliest alarm set for it, perhaps for an earlier wait
};

/// Event queue, virtual clock and node states. Single-threaded.
class SimCluster::Engine {
 public:
  explicit Engine(SimOptions options);
  ~Engine();

  SimReport run(const std::function<void(NodeId)>& body);

  // Called by the endpoints on behalf of the current task.
  SendOutcome send(NodeId from, NodeId to, Frame& frame);
  std::size_t poll(NodeId node, FrameSink& sink, std::size_t most);
  void wait(NodeId node, std::uint64_t seen, std::optional<Instant> deadline);
  void wake(NodeId node);
  void charge(NodeId node, std::uint64_t picoseconds);
  void settle();
  void spawn(NodeId node, std::string name, std::function<void()> body, bool main);
  void join(NodeId node);
  void begin_overtaking() { overtaking_ = true; }
  [[noreturn]] void end_node(NodeId node, const Error& error);

  [[nodiscard]] Instant now() const { return now_; }
  [[nodiscard]] Instant task_time() const;
  [[nodiscard]] std::uint64_t ticket(NodeId node) const { return nodes_[node.index()].epoch; }
  [[nodiscard]] TransportStats stats(NodeId node) const { return nodes_[node.index()].stats; }
  [[nodiscard]] const SimOptions& options() const { return options_; }
  [[nodiscard]] Transport& endpoint(NodeId node);

 private:
  enum class EventKind : std::uint8_t { Resume, Alarm, Arrive, PeerDown, Crash };
  struct Event {
    Instant at{};
    std::uint64_t order = 0;
    EventKind kind = EventKind::Resume;
    NodeId node{0};   // the node of the event
    NodeId other{0};  // the sender of the frame, or the node that is down
    SimTask* task = nullptr;
    std::uint32_t parcel = 0;  // into parcels_
  };
  /// Entry of the heap: time, order and index of an event in later_.
  struct Due {
    Instant at{};
    std::uint64_t order = 0;
    std::uint32_t event = 0;  // into later_
  };
  struct Later {
    bool operator()(const Due& a, const Due& b) const {
      return a.at != b.at ? a.at > b.at : a.order > b.order;
    }
  };
  struct SimArrival {
    NodeId from{0};
    Frame frame;
    bool down = false;
  };
  struct SimNode {
    std::deque<SimArrival> inbox;
    std::uint64_t epoch = 0;
    std::vector<SimTask*> waiting;
    // A task was resumed for an arrival and has not emptied the inbox since.
    bool poll_owed = false;
    Instant line_free_at{};  // of the outgoing link
    bool crashed = false;
    std::uint64_t slowdown_percent = 100;
    std::uint32_t running = 0;  // spawned tasks that have not returned
    TransportStats stats;
  };
  struct Pair {
    Instant last_arrival{};
    std::uint64_t unreceived = 0;
    bool refused = false;  // the sender met a full window
  };

  void push(Event event);
  [[nodiscard]] bool nothing_due() const { return ready_.empty() && queue_.empty(); }
  /// The next event; requires that one is due.
  [[nodiscard]] bool next_is_ready() const;
  [[nodiscard]] Instant next_at() const {
    return next_is_ready() ? ready_.front().at : queue_.top().at;
  }
  Event take_next();
  void handle(const Event& event);
  void resume(SimTask& task);
  void bump(NodeId node);
  void bump_one(NodeId node);
  void stop_waiting(SimTask& task);
  void set_alarm(SimTask& task);
  void ring(SimTask& task);
  [[nodiscard]] SimTask* receiver_of_arrival(SimNode& node);
  void arrive(const Event& event);
  void crash(NodeId node);
  bool stop(NodeId node);
  /// Earliest time from `departure` on at which no cut separates the nodes.
  [[nodiscard]] Instant after_cuts(NodeId from, NodeId to, Instant departure) const;
  void plan_faults();
  [[nodiscard]] SimReport report();
  [[nodiscard]] std::string main_states() const;
  [[nodiscard]] Pair& pair(NodeId from, NodeId to);
  void digest(std::uint64_t value);

  SimOptions options_;
  Instant now_{};
  std::uint64_t order_ = 0;
  std::priority_queue<Due, std::vector<Due>, Later> queue_;
  std::vector<Event> later_;
  std::vector<std::uint32_t> free_events_;
  // First in, first out: events due at the time of their push, which are most.
  std::deque<Event> ready_;
  std::vector<SimNode> nodes_;
  std::vector<Pair> pairs_;
  std::vector<Frame> parcels_;
  std::vector<std::uint32_t> free_parcels_;
  std::vector<std::unique_ptr<SimEndpoint>> endpoints_;
  std::vector<std::unique_ptr<SimTask>> tasks_;
  SimTask* current_ = nullptr;
  std::uint32_t mains_running_ = 0;
  bool node_lost_ = false;
  bool node_ended_ = false;  // because another node was lost
  bool overtaking_ = false;
  bool over_ = false;  // the run has ended; unfinished fibers are being unwound
  Random network_;
  std::uint64_t events_ = 0;
  std::uint64_t digest_ = 0;
  std::exception_ptr error_;
};

}  // namespace leeway
