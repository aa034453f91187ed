// Starts the processes of a job over libfabric, here or on other machines, lets them find each other, and
// stays until the last has ended. What `leeway launch` does.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "leeway/base/clock.h"
#include "leeway/base/result.h"

namespace leeway {

struct LaunchOptions {
  std::uint32_t nodes = 1;
  std::vector<std::string> hosts;  ///< dealt round; empty: all on this machine
  std::string launcher = "ssh";    ///< started as: LAUNCHER HOST SHELL-COMMAND
  std::string provider;            ///< libfabric's name; empty: tcp;ofi_rxm
  std::string address;             ///< where the rendezvous listens; empty: chosen by the hosts
  Duration verdict = std::chrono::seconds(10);
  std::vector<std::string> command;
};

/// One host a line, or a host and how many nodes it takes; '#' begins a comment.
Result<std::vector<std::string>> read_hosts(const std::string& path);

/// Blocks until every process has ended; gives the exit code for the launcher: 0 if all ended with 0, else
/// that of the first that failed. Not thread-safe; handles SIGINT, SIGTERM and the hang signal meanwhile.
Result<int> launch(const LaunchOptions& options);

}  // namespace leeway
