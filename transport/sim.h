// The virtual cluster: N nodes on one thread and a virtual clock. The same node code as everywhere runs
// on fibers; compute time is charged by a cost model, the network by a profile, and faults come from a
// plan. The same options give the same run, to the byte, on every machine.
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

/// What goes wrong, and when. Everything is optional.
struct FaultPlan {
  struct Pause {
    NodeId node{0};
    Instant at{};
    Duration length{};
  };
  struct Crash {
    NodeId node{0};
    Instant at{};
  };
  /// What is sent meanwhile between the nodes of `side` (a bit a node) and the others arrives after it, in order.
  struct Cut {
    std::uint64_t side = 0;
    Instant at{};
    Duration length{};
  };
  std::vector<std::uint32_t> slowdown_percent;  ///< per node; 100 or missing: full speed
  std::vector<Pause> pauses;                    ///< nothing of the node runs; frames still arrive
  std::vector<Crash> crashes;
  std::vector<Cut> cuts;
  /// Frames that others of their pair may overtake, once `begin_overtaking` was called. The contract of
  /// Transport forbids this; here one sees what the protocol's version numbers are worth without it.
  std::uint32_t overtaken_per_million = 0;
  Duration detection = std::chrono::milliseconds(5);  ///< from a crash to its news
};

struct SimOptions {
  std::uint32_t nodes = 2;
  NetworkProfile profile;
  CostModel cost;
  FaultPlan faults;
  std::uint64_t seed = 1;
  Duration time_limit = std::chrono::hours(24);       ///< virtual
  std::size_t stack_bytes = std::size_t{256} << 10U;  ///< a fiber; untouched pages cost nothing
};

enum class SimOutcome { Finished, Deadlock, NodeLost, TimeLimit };

struct [[nodiscard]] SimReport {
  SimOutcome outcome = SimOutcome::Finished;
  Duration elapsed{};  ///< virtual
  std::uint64_t events = 0;
  std::uint64_t digest = 0;  ///< of every event in order: equal runs have equal digests
  std::string detail;        ///< for a run that did not finish: who waits where
};

/// Build it, attach whatever the nodes run, then run once. Not thread-safe.
class SimCluster {
 public:
  explicit SimCluster(SimOptions options);
  ~SimCluster();
  SimCluster(const SimCluster&) = delete;
  SimCluster& operator=(const SimCluster&) = delete;

  [[nodiscard]] Transport& node(NodeId id);
  [[nodiscard]] const SimOptions& options() const;
  [[nodiscard]] Instant now() const;

  /// From now on frames may be overtaken as the plan says.
  void begin_overtaking();

  /// Calls `body` on every node as its main activity; returns when all have returned, or cannot any
  /// more. Rethrows what a body threw.
  SimReport run(const std::function<void(NodeId)>& body);

  class Engine;  ///< in sim_engine.h, which nobody else includes

 private:
  std::unique_ptr<Engine> engine_;
};

// Inside of the virtual cluster: the event queue, the fibers and the state of every node. Private to
// sim.cc, sim_engine.cc and sim_events.cc.
class SimEndpoint;  // one node's Transport

/// One activity of one node.
struct SimTask {
  NodeId node{0};
  std::string name;
  std::unique_ptr<Fiber> fiber;
  std::uint64_t debt_ps = 0;  // charged, not yet lived through
  Instant busy_until{};       // it waits, but only once it has lived through what it was charged
  bool main = false;
  bool waiting = false;             // in `wait`, to be woken by the node's ticket
  std::optional<Instant> deadline;  // of the wait it is in
  std::optional<Instant>
      next_alarm;  // the earliest that is set for it, perhaps for an earlier wait
};

class SimCluster::Engine {
 public:
  explicit Engine(SimOptions options);
  ~Engine();

  SimReport run(const std::function<void(NodeId)>& body);

  // For the endpoints; all but `send` and `charge` on the calling task's behalf.
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
    NodeId node{0};   // where it happens
    NodeId other{0};  // the sender; the node that is down
    SimTask* task = nullptr;
    std::uint32_t parcel = 0;  // into parcels_
  };
  /// What the heap moves about: when, and which of the events that stay where they are.
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
  struct Arrival {
    NodeId from{0};
    Frame frame;
    bool down = false;
  };
  struct SimNode {
    std::deque<Arrival> inbox;
    std::uint64_t epoch = 0;
    std::vector<SimTask*> waiting;
    bool poll_owed = false;  // a task was resumed for an arrival and has not polled all since
    Instant line_free_at{};  // the outgoing link
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
  [[nodiscard]] SimTask* who_takes_arrivals(SimNode& node);
  void arrive(const Event& event);
  void crash(NodeId node);
  bool stop(NodeId node);
  /// When what leaves then may begin its way.
  [[nodiscard]] Instant uncut(NodeId from, NodeId to, Instant departure) const;
  void plan_faults();
  [[nodiscard]] SimReport report();
  [[nodiscard]] std::string who_waits() const;
  [[nodiscard]] Pair& pair(NodeId from, NodeId to);
  void digest(std::uint64_t value);

  SimOptions options_;
  Instant now_{};
  std::uint64_t order_ = 0;
  std::priority_queue<Due, std::vector<Due>, Later> queue_;
  std::vector<Event> later_;
  std::vector<std::uint32_t> free_events_;
  std::deque<Event>
      ready_;  // those due at the moment they were pushed, most of all: first in, first out
  std::vector<SimNode> nodes_;
  std::vector<Pair> pairs_;
  std::vector<Frame> parcels_;
  std::vector<std::uint32_t> free_parcels_;
  std::vector<std::unique_ptr<SimEndpoint>> endpoints_;
  std::vector<std::unique_ptr<SimTask>> tasks_;
  SimTask* current_ = nullptr;
  std::uint32_t mains_running_ = 0;
  bool node_lost_ = false;
  bool node_ended_ = false;  // because another was lost
  bool overtaking_ = false;
  bool over_ = false;  // the run has ended; whatever is left is being unwound
  Random network_;
  std::uint64_t events_ = 0;
  std::uint64_t digest_ = 0;
  std::exception_ptr error_;
};

}  // namespace leeway
