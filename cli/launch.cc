#include "leeway/transport/launch.h"

#include <unistd.h>
#include <filesystem>

#include "leeway/cli/command.h"

namespace leeway::cli {

Result<int> run_launch(const Invocation& invocation) {
  const Options& options = invocation.options;
  LaunchOptions launch_options;
  launch_options.nodes = options.nodes.value_or(1);
  launch_options.launcher = options.launcher;
  launch_options.provider = options.provider;
  launch_options.address = options.rendezvous;
  launch_options.verdict = Duration(static_cast<Duration::rep>(options.verdict_s * 1e9));
  launch_options.command = invocation.arguments;
  if (!options.hosts.empty()) {
    LEEWAY_ASSIGN(launch_options.hosts, read_hosts(options.hosts));
  }
  // One of our own commands means this very program, wherever it was found.
  if (find_command(launch_options.command.front()) != nullptr) {
    std::error_code error;
    const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
    launch_options.command.insert(launch_options.command.begin(), error ? "leeway" : self.string());
  }
  return launch(launch_options);
}

}  // namespace leeway::cli
