// The virtual cluster: N nodes on one thread and a virtual clock. The same node code as everywhere runs
// on fibers; compute time is charged by a cost model, the network by a profile, and faults come from a
// plan. The same options give the same run, to the byte, on every machine.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "leeway/transport/cost_model.h"
#include "leeway/transport/network_profile.h"
#include "leeway/transport/transport.h"

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

}  // namespace leeway
