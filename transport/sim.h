// The virtual cluster: N nodes on one operating-system thread with a virtual clock. Nodes run the
// same code as elsewhere, on fibers. A CostModel prices computation, a NetworkProfile the network,
// and Faults describes failures. The same options give the same run on every machine, to the byte.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "transport/hosts.h"
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
  std::vector<std::uint32_t>
      slowdown_percent;       ///< per node; 100 or missing: full speed; 200: half of it
  std::vector<Pause> pauses;  ///< the node does not run; frames still arrive
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
  SharedHosts hosts;
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

/// Get the nodes' transports by `node`, then call `run` once. Not thread-safe.
class SimCluster {
 public:
  explicit SimCluster(SimOptions options);
  ~SimCluster();
  SimCluster(const SimCluster&) = delete;
  SimCluster& operator=(const SimCluster&) = delete;

  [[nodiscard]] Transport& node(NodeId id);
  [[nodiscard]] const SimOptions& options() const;
  [[nodiscard]] Instant now() const;

  /// From now on frames may be overtaken, at the rate of Faults::overtaken_per_million.
  void begin_overtaking();

  /// Runs `body` on every node as its main task; returns when all have returned or none can
  /// continue. Rethrows an exception of a body.
  SimReport run(const std::function<void(NodeId)>& body);

 private:
  class Engine;
  friend class SimEndpoint;
  std::unique_ptr<Engine> engine_;
};

}  // namespace leeway
