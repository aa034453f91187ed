// Puts one resident on every node of a cluster and runs them all: on threads over the loopback transport,
// on fibers of the virtual cluster, or on this process's node of a job of processes. What run_cluster and
// run_endpoints stand on. Blocks until all that live here have returned.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "dsm/node.h"
#include "leeway/result.h"
#include "transport/fabric.h"
#include "transport/network_profile.h"
#include "transport/sim.h"

namespace leeway {

struct ClusterOptions {
  /// Auto: the job of processes that this one was started in (own_job.h), else threads of this process. What `job` says,
  /// if there is one.
  Fabric fabric = Fabric::Auto;
  std::uint32_t nodes = 1;  ///< as many as the job has, if there is one
  Job* job = nullptr;       ///< of Mpi or Ofi: joined, and left, by the caller, whom it outlives
  NetworkProfile network;   ///< loopback holds frames back by it, in real time
  CostModel cost;           ///< sim: what computation takes
  FaultPlan faults;         ///< sim: what goes wrong
  Duration time_limit = std::chrono::hours(24 * 365);  ///< sim: a run that takes longer has failed
  std::uint64_t seed = 1;
  Policy policy;
  /// Who moves the messages of a node while its program computes. Absent: a thread of its own where a core is free for
  /// it beside the compute threads of all nodes of this machine; in the virtual cluster always.
  std::optional<Service> service;
  unsigned compute_threads = 1;  ///< a node's, for that
};

/// What `service` comes to. Requires a settled fabric (settle_cluster).
[[nodiscard]] Service service_of(const ClusterOptions& cluster);

/// What lives on one node: made there, run once, on the node's main activity.
class NodeProgram {
 public:
  virtual ~NodeProgram() = default;
  virtual Status run() = 0;
  /// After the run: what lets the others finish theirs. Not in a process of a job whose run has failed.
  virtual void finish() {}
  /// What it waits for and what it has queued, in lines for a person. Any thread.
  [[nodiscard]] virtual std::string evidence() { return {}; }
};

struct NodeProgramsOutcome {
  Duration elapsed{};        ///< of all runs: the longest; virtual under sim
  std::uint64_t events = 0;  ///< sim's
  std::uint64_t digest = 0;  ///< sim's: equal runs have equal digests
};

using MakeNodeProgram = std::function<std::unique_ptr<NodeProgram>(Transport&)>;

/// The first error any resident returned; an Environment error if the virtual cluster did not finish. In
/// one process residents fail alike or not at all: one that returns early leaves others waiting for it. In
/// a job of processes one that fails alone ends the job, and all that return give its error (Job::agree).
Result<NodeProgramsOutcome> run_node_programs(const ClusterOptions& cluster,
                                              const MakeNodeProgram& make);

// The job that this process belongs to, if a launcher started it: mpiexec, srun and `leeway launch` are recognised by
// their environment variables. A cluster whose fabric is Auto joins this job, so a user's program needs no code for it.

/// Null if no launcher started this process. The first call joins the job; call it from the main thread. It blocks until
/// all processes have joined. When the process ends by exit() or returns from main, it leaves the job, which blocks until
/// all processes leave. If it ends with an exit code other than 0, the runs of the other processes fail with an error that
/// names the code.
Result<Job*> own_job();
/// Leaves the job and ends the process with `code`. Collective. Without a job it does nothing.
void leave_own_job(int code);

/// Resolves Fabric::Auto: to the own job if there is one, else to threads of this process. An Input error if the caller
/// asks for a number of nodes that differs from the number of processes.
Result<ClusterOptions> settle_cluster(const ClusterOptions& cluster);

// Runs one body on every node of a cluster that shares objects. Blocks until all that live in this process
// have returned and closed.
struct ClusterOutcome {
  std::vector<NodeStats> nodes;
  std::uint64_t events = 0;  ///< sim's
  std::uint64_t digest = 0;  ///< sim's: equal runs have equal digests
};

/// The first error any body returned; an Environment error if the virtual cluster did not finish.
Result<ClusterOutcome> run_cluster(const ClusterOptions& cluster,
                                   const std::function<Status(Node&)>& body);

}  // namespace leeway
