// Job: this process as one node of a job of several processes, over MPI (started by mpiexec or
// srun) or libfabric (started by `leeway launch`). The fabrics `loopback` and `sim` run all nodes
// in one process and need no Job.
//
// Call join_job once, early, from the main thread. The Job must outlive every Node built on its
// transport.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "transport/cluster_model.h"
#include "transport/transport.h"

namespace leeway {

[[nodiscard]] std::string_view fabric_name(Fabric fabric);

/// The fabric that Auto selects for a process with this environment (as ::environ): Ofi under
/// `leeway launch`, Mpi under a launcher that MPICH supports, else Loopback. An Input error if an
/// unsupported launcher started several processes, which could not find each other.
Result<Fabric> detect_fabric(const char* const* environment);

struct JobOptions {
  Fabric fabric = Fabric::Auto;
  /// For `ofi`: libfabric's name of the provider; empty: the launcher's choice, else "tcp;ofi_rxm".
  std::string provider;
  /// For `mpi`: the Fortran handle (MPI_Comm_c2f) of a communicator whose processes become the
  /// nodes. The caller initialises MPI before and finalises it afterwards. Empty: all processes of
  /// the job.
  std::optional<int> communicator;
  /// Silence after which a peer counts as dead, if its end is not detected earlier.
  Duration verdict = std::chrono::seconds(10);
  /// Bytes that one node may have in flight to another before `send` returns Full.
  std::uint64_t window_bytes = std::uint64_t{2} << 20U;
};

/// This process as one node of its job. Thread-safe unless stated otherwise.
class Job {
 public:
  virtual ~Job() = default;

  [[nodiscard]] virtual Transport& transport() = 0;
  [[nodiscard]] NodeId self() { return transport().self(); }
  [[nodiscard]] std::uint32_t node_count() { return transport().node_count(); }
  [[nodiscard]] virtual Fabric fabric() const = 0;
  /// Number of nodes of the job on this machine, including this one.
  [[nodiscard]] virtual std::uint32_t nodes_on_this_host() const = 0;

  /// Sets the function that describes what this node waits for. A thread of the job calls it when
  /// the hang signal arrives at any node, and for the last line of output when a peer dies. Reset
  /// it to an empty function before the objects that it reads are destroyed.
  virtual void set_evidence(std::function<std::string()> evidence) = 0;

  /// Returns frames that were polled but belong to a later run over the same job. The next poll
  /// delivers them again, before all frames that arrived since.
  virtual void put_back(std::vector<std::pair<NodeId, Frame>> frames) = 0;

  /// The number of collective steps (runtime/cluster/group.h) that this process has taken in the job; the next endpoint
  /// continues from it. 0 again after `rejoin`. Not thread-safe.
  [[nodiscard]] std::uint32_t steps() const { return steps_; }
  void set_steps(std::uint32_t steps) { steps_ = steps; }

  /// Collective: whether a step succeeded on all nodes. Blocks until all nodes have reported, or
  /// until one has failed and the others had a short time to report failures too; keeps receiving
  /// messages meanwhile. If any node failed, all nodes get an error: a node with a failure of its
  /// own gets that one, the others get that of the lowest failed node. All errors have the kind of
  /// the lowest failed node, so that all processes end with one exit code. The job is then over:
  /// later calls return the same error, and a node that is elsewhere ends its process with a last
  /// line that names the failed node. So a failure can be reported at any place.
  [[nodiscard]] virtual Status agree(Status status) = 0;

  // Replacing a lost process, while all others continue (runtime/cluster/recovery.h). Only in a job of
  // `leeway launch --spares`, and only while `set_recoverable(true)` applies.

  /// This process was started in place of a lost one and has not met the others yet: it takes
  /// no part in the collective steps of the job's start, which the others have behind them, and
  /// `agree` returns its own status.
  [[nodiscard]] virtual bool is_replacement() const { return false; }
  /// From now on the loss of a node does not end this process: `agree`, Endpoint and run_cluster report it as an
  /// error of kind Peer, and the caller calls `rejoin`. Without effect if the launcher replaces no process.
  virtual void set_recoverable(bool recoverable) { (void)recoverable; }
  /// Whether the launcher replaces lost processes.
  [[nodiscard]] virtual bool replaces_lost() const { return false; }
  [[nodiscard]] virtual bool recoverable() const { return false; }
  /// Whether a node is lost and this process may `rejoin`.
  [[nodiscard]] virtual bool lost_a_node() { return false; }
  /// Collective among the processes that are left, which call it after the loss of a node: joins
  /// the launcher's rendezvous again and blocks until every process, with those that replace lost
  /// ones, has done so. The transport is then a new one, without the frames of the old one.
  virtual Status rejoin();
  /// This process takes part in the collective steps of the others: it no longer counts as a replacement.
  virtual void note_rejoined() {}
  /// How many times the processes have joined again; 0: no process was lost.
  [[nodiscard]] virtual std::uint32_t generation() const { return 0; }

  /// The recoverable runs of this process. Changed by runtime/cluster/recovery.cc; used on the main thread.
  struct RunPosition {
    std::uint32_t run = 0;  ///< recoverable runs that this process has begun
    bool within = false;    ///< one of them is going on
    /// The run in which all processes continue after the last loss; 0: none was lost.
    std::uint32_t target = 0;
    std::string resume;  ///< the snapshot from which they continue; empty: from the run's beginning
    /// Newest snapshot in the folder before the run `base_of`; snapshots up to it belong to earlier runs.
    std::uint64_t base = 0;
    std::uint32_t base_of = 0;
    std::optional<Instant> lost_at;  ///< a loss was noticed then, and no engine has computed since
    Duration recovering{};  ///< from the notice of a loss until an engine computed again, in all
  };
  [[nodiscard]] RunPosition& position() { return position_; }

  /// Collective, last call: returns when every node has called it and all frames of this node have
  /// been sent. A Peer error if a node died instead.
  virtual Status leave() = 0;
  /// Ends the process at once with `code`, so that the launcher treats it as a regular end. Flushes
  /// the output; runs no destructors. Not for a job over a user's communicator, where the caller
  /// finalises MPI and returns from main.
  [[noreturn]] void exit(int code);

 private:
  std::uint32_t steps_ = 0;
  RunPosition position_;
};

/// `options.fabric` must be Mpi, Ofi, or Auto that selects one of them; Loopback and Sim are an
/// Input error. A process without a launcher becomes a job of one. Blocks until every process of
/// the job has joined.
Result<std::unique_ptr<Job>> join_job(const JobOptions& options);

}  // namespace leeway
