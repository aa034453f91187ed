// Starts the processes of a job over libfabric, here or on other machines, lets them find each other, and
// stays until the last has ended. What `leeway launch` does.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "leeway/base/clock.h"
#include "leeway/base/ids.h"
#include "leeway/base/result.h"

namespace leeway {

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
