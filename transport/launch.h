// Launching processes: the addresses of this machine, this process's relation to MPICH's launcher, and `leeway launch`, which
// starts the processes of a job over libfabric.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/ids.h"
#include "base/process.h"
#include "base/result.h"

namespace leeway {

/// "address:port,…" of every interface, the loopback last, in at most `most_bytes` bytes.
[[nodiscard]] std::string own_addresses(std::uint16_t port, std::size_t most_bytes);
[[nodiscard]] std::string host_name();

/// Sends PMI's "finalize" to the launcher, which then ignores how this process ends: MPICH's launcher (Hydra) treats a process
/// that ends before MPI_Finalize as crashed and kills its siblings immediately. Call it when nothing more is needed from the
/// launcher. False if there is no launcher or it did not answer.
bool part_from_launcher();

/// Forks: the process that the launcher started stays as a guardian that only waits, and the caller
/// continues as its child. If the child is killed after `part_from_launcher`, the guardian exits
/// with a code instead of a signal, so the sibling processes live long enough to report which
/// process died. If the launcher kills the guardian, the child receives SIGTERM. Requires a single
/// thread and no state that a fork would break. False if that is impossible or disabled
/// (LEEWAYJOB_GUARDIAN=0); then nothing has changed.
bool stand_under_guardian();

/// Resource limits of this machine that bound the number of processes `leeway launch` may start.
struct LaunchRoom {
  Room memory, processes, descriptors;
};
[[nodiscard]] LaunchRoom launch_room();

/// An Input error, naming the number of processes that fit and the limit, if a job of `nodes`
/// processes, `here` of them on this machine, does not fit. Counts only the processes themselves;
/// `leeway plan` estimates the memory of their graphs.
Status admit_processes(std::uint32_t nodes, std::uint32_t here, const LaunchRoom& room);

/// Options of `launch`.
struct LaunchOptions {
  std::uint32_t nodes = 1;
  std::vector<std::string> hosts;  ///< assigned round-robin; empty: all nodes on this machine
  std::string launcher = "ssh";    ///< runs LAUNCHER HOST SHELL-COMMAND
  std::string provider;            ///< libfabric's name; empty: tcp;ofi_rxm
  /// The rendezvous listens here; empty: 127.0.0.1 if all hosts are local, else all interfaces.
  std::string address;
  Duration verdict = std::chrono::seconds(10);
  /// Encrypt frames between processes; the control network is always encrypted.
  bool encrypt = false;
  std::vector<std::string> command;
  /// How many processes that are killed or removed from the job are each replaced by a new one,
  /// while the others continue (Job::rejoin). Programs that cannot continue end, and so does the job.
  std::uint32_t replacements = 0;
  /// File name for a copy of the graph that processes which replace others can load faster; empty: none. The caller
  /// removes the file.
  std::string graph_copy;
  /// Called before each replacement; returns the host for it, as in `hosts`.
  std::function<std::string(NodeId lost, const std::string& why)> replace;
};

/// Reads a file with one host a line, optionally followed by its number of nodes; '#' begins a
/// comment.
Result<std::vector<std::string>> read_hosts(const std::string& path);

struct LaunchEnd {
  int code = 0;  ///< exit code: 0 if all processes ended with 0, else that of the first that failed
  /// Node that was killed or removed from the job, else the first that failed.
  std::optional<NodeId> lost;
  std::string why;             ///< "was ended by SIGKILL"
  std::uint32_t replaced = 0;  ///< processes that were replaced
};

/// Starts the processes of a job over libfabric, here or on other machines, runs their rendezvous,
/// and blocks until all have ended. Not thread-safe; handles SIGINT, SIGTERM and the hang signal
/// from now on.
Result<LaunchEnd> launch(const LaunchOptions& options);
/// The signal that requested the end of `launch`; 0: none.
[[nodiscard]] int launch_end_signal();

}  // namespace leeway
