// This machine's names towards others. Thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/ids.h"
#include "base/process.h"
#include "leeway/result.h"

namespace leeway {

/// "address:port,…" of every interface, the loopback last, in at most so many bytes.
[[nodiscard]] std::string own_addresses(std::uint16_t port, std::size_t most_bytes);
[[nodiscard]] std::string host_name();

// What started this process, read from its environment, and how to leave it in peace. MPICH's own launcher
// (Hydra) takes a process that ends before MPI_Finalize for a crash and kills its siblings at once; these
// are the words that keep it calm without calling MPI_Finalize.
struct LaunchInfo {
  bool rendezvous = false;      ///< started by `leeway launch`
  bool pmi = false;             ///< started by a launcher MPICH understands
  std::uint32_t processes = 1;  ///< how many the launcher says there are
  std::string foreign;  ///< a launcher whose processes cannot find each other here; empty: none
};

/// From variables as in ::environ.
[[nodiscard]] LaunchInfo read_launch(const char* const* environment);
/// The value of a variable; empty if it is not set.
[[nodiscard]] std::string_view variable(const char* const* environment, std::string_view name);
/// The Input error for processes that believe to be alone and are not.
[[nodiscard]] Error stranded(const LaunchInfo& launch);

/// Tells the launcher that this process is done with it, so that from now on its end is its own affair.
/// Everything the launcher was needed for must be over. False if there is no launcher or it did not answer.
bool part_from_launcher();

/// Puts this process under a guardian: the launcher's child stays behind as a parent that does nothing but
/// wait, and the caller goes on as its child. A process that is killed once it has parted from the launcher ends, for
/// that, with an exit code instead of a signal, so its siblings live long enough to say who died; and if the launcher
/// kills the guardian, the child is told by SIGTERM. Requires: one thread, nothing that a fork would harm.
/// False if that is impossible or not wanted (LEEWAYJOB_GUARDIAN=0); then nothing has changed.
bool stand_under_guardian();

// How many processes `leeway launch` may start here before the machine has no room for more.
struct LaunchRoom {
  Room memory, processes, descriptors;
};
[[nodiscard]] LaunchRoom launch_room();

/// An Input error, with the number that fits and what sets it, if a job of `nodes` processes of which `here`
/// run on this machine does not. What they load comes on top: that is `leeway plan`'s to tell.
Status admit_processes(std::uint32_t nodes, std::uint32_t here, const LaunchRoom& room);

// Starts the processes of a job over libfabric, here or on other machines, lets them find each other, and
// stays until the last has ended. What `leeway launch` does.
struct LaunchOptions {
  std::uint32_t nodes = 1;
  std::vector<std::string> hosts;  ///< dealt round; empty: all on this machine
  std::string launcher = "ssh";    ///< started as: LAUNCHER HOST SHELL-COMMAND
  std::string provider;            ///< libfabric's name; empty: tcp;ofi_rxm
  std::string address;             ///< where the rendezvous listens; empty: chosen by the hosts
  Duration verdict = std::chrono::seconds(10);
  bool encrypt = false;  ///< frames between the processes; the control network always is
  std::vector<std::string> command;
};

/// One host a line, or a host and how many nodes it takes; '#' begins a comment.
Result<std::vector<std::string>> read_hosts(const std::string& path);

struct LaunchEnd {
  int code = 0;  ///< for the launcher: 0 if all ended with 0, else that of the first that failed
  std::optional<NodeId> lost;  ///< who was ended by a signal or given up; else who failed first
  std::string why;             ///< "was ended by SIGKILL"
};

/// Blocks until every process has ended. Not thread-safe; handles SIGINT, SIGTERM and the hang signal from now on.
Result<LaunchEnd> launch(const LaunchOptions& options);
/// The signal that has told launches to end; 0: none.
[[nodiscard]] int launch_told();

}  // namespace leeway
