// Clusters: the functions that
// run one program on every node: on threads connected by the loopback transport, on fibers of the virtual cluster
// (sim), or on this process's node of a job of processes (MPI, libfabric). Also the job that a launcher started this
// process in.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "dsm/node.h"
#include "leeway/options.h"
#include "transport/fabric.h"

namespace leeway {

/// The value of `service`, or its default. Requires a settled fabric (settle_cluster).
[[nodiscard]] Service service_of(const ClusterOptions& cluster);

/// The program of one node: created on that node, run once, by the node's main thread (or fiber).
class NodeProgram {
 public:
  virtual ~NodeProgram() = default;
  virtual Status run() = 0;
  /// Called after `run`, to serve the nodes that are still running. Not called in a process of a job whose `run`
  /// failed.
  virtual void finish() {}
  /// For error reports: lines that state what this node waits for and how much it has queued. Any thread.
  [[nodiscard]] virtual std::string evidence() { return {}; }
};

struct NodeProgramsOutcome {
  Duration elapsed{};        ///< longest run of a node; virtual time under sim
  std::uint64_t events = 0;  ///< sim: number of simulated events
  std::uint64_t digest = 0;  ///< sim: digest of the events; equal runs have equal digests
};

using MakeNodeProgram = std::function<std::unique_ptr<NodeProgram>(Transport&)>;

/// Runs the program that `make` creates on every node of this process; blocks until all have returned. Returns the
/// first error of any node, or an Environment error if the virtual cluster did not finish. Within one process all
/// nodes must fail alike: a node that returns early leaves the others waiting for it. In a job of processes a node
/// that fails alone ends the job, and all processes return its error (Job::agree).
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

/// An error if the process replaces a lost one, and cannot take part in a step that the others have behind them.
Status admit_process(Job& job);

// Outcome of run_cluster.
struct ClusterOutcome {
  std::vector<NodeStats> nodes;
  std::uint64_t events = 0;  ///< sim: number of simulated events
  std::uint64_t digest = 0;  ///< sim: digest of the events; equal runs have equal digests
};

/// Runs `body` on every node of a cluster that shares objects. Blocks until all nodes of this process have returned
/// and closed. Returns the first error of any body, or an Environment error if the virtual cluster did not finish.
Result<ClusterOutcome> run_cluster(const ClusterOptions& cluster,
                                   const std::function<Status(Node&)>& body);

}  // namespace leeway
