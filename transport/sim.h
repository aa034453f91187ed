// The virtual cluster: N nodes on one operating-system thread with a virtual clock. Nodes run the
// same code as elsewhere, on fibers. A CostModel prices computation, a NetworkProfile the network,
// and Faults describes failures (cluster_model.h). The same options give the same run on every machine, to the byte.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "transport/cluster_model.h"
#include "transport/transport.h"

namespace leeway {

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
