// How this process becomes one node of a job of processes, and how it leaves: over MPI under mpiexec or
// srun, over libfabric under `leeway launch`. `loopback` and `sim` need no joining: there the nodes live
// inside one process.
//
// Join once, early, from the main thread; the Job outlives every Node built on its transport.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "leeway/result.h"
#include "transport/transport.h"

namespace leeway {

enum class Fabric { Auto, Loopback, Sim, Mpi, Ofi };

/// "auto", "loopback", "sim", "mpi" or "ofi".
Result<Fabric> parse_fabric(std::string_view name);
[[nodiscard]] std::string_view fabric_name(Fabric fabric);

/// What Auto means for a process with this environment (as ::environ): Ofi under `leeway launch`, Mpi
/// under a launcher that MPICH understands, Loopback for a process of its own. An Input error if a
/// launcher started several processes that could never find each other.
Result<Fabric> detect_fabric(const char* const* environment);

struct JobOptions {
  Fabric fabric = Fabric::Auto;
  /// For `ofi`: libfabric's name of the provider; empty: what the launcher said, else "tcp;ofi_rxm".
  std::string provider;
  /// For `mpi`: the Fortran handle (MPI_Comm_c2f) of a communicator whose processes become the nodes. MPI
  /// stays the caller's: it was initialised before and is finalised after. Empty: the whole job.
  std::optional<int> communicator;
  /// Silence after which a peer counts as dead, where its end was not seen at once.
  Duration verdict = std::chrono::seconds(10);
  /// Bytes one node may have on the way to another before `send` says Full.
  std::uint64_t window_bytes = std::uint64_t{2} << 20U;
};

/// This process's place in its job. Thread-safe unless said otherwise.
class Job {
 public:
  virtual ~Job() = default;

  [[nodiscard]] virtual Transport& transport() = 0;
  [[nodiscard]] NodeId self() { return transport().self(); }
  [[nodiscard]] std::uint32_t node_count() { return transport().node_count(); }
  [[nodiscard]] virtual Fabric fabric() const = 0;
  /// How many nodes of the job share this machine, this one included.
  [[nodiscard]] virtual std::uint32_t nodes_on_this_host() const = 0;

  /// What this node would say if asked what it waits for: asked when the job's hang signal arrives at any
  /// node, and for the last line when a peer dies. Called by a thread of the job's own. Give an empty
  /// function before what it looks at is gone.
  virtual void set_evidence(std::function<std::string()> evidence) = 0;

  /// Frames that the transport has handed on and that are not for whoever polls it now: the next poll hands them
  /// on again, before all that has come since. For who ends one run of several over the job.
  virtual void put_back(std::vector<std::pair<NodeId, Frame>> frames) = 0;

  /// Collective: whether a step went well on all nodes. Blocks until all have said how it went for them, or
  /// until one has failed and the others had a moment to fail, too; moves messages meanwhile. Where any has
  /// failed, all get an error that names a node and why - a node that has one of its own gets that, others
  /// the lowest node's - and all the same kind, the lowest node's, so that all end with one exit code. The
  /// job is over then: later calls give the same error, and a node that is anywhere else ends by itself,
  /// naming it in its last line. So a failure needs no place where others await it.
  [[nodiscard]] virtual Status agree(Status status) = 0;

  /// Collective, last: returns when every node has called it and nothing of this node is under way. A
  /// Peer error if a node died instead.
  virtual Status leave() = 0;
  /// Ends the process at once with `code`, in a way that its launcher takes for a regular end. Flushes
  /// what was printed; runs no destructors. Not for a job over a user's communicator: there the caller
  /// finalises MPI and returns from main.
  [[noreturn]] void exit(int code);
};

/// Mpi, Ofi, or Auto where that means one of them; Loopback and Sim are an Input error. A process that
/// nobody launched becomes a job of one. Blocks until every process of the job has joined.
Result<std::unique_ptr<Job>> join_job(const JobOptions& options);

}  // namespace leeway
