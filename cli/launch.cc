// `leeway launch`: a job of processes over libfabric, whose lost nodes are replaced if there are spares.
#include "leeway/transport/launch.h"

#include <algorithm>
#include <cstdio>
#include <optional>
#include <utility>
#include <vector>

#include "leeway/base/format.h"
#include "leeway/cli/command.h"
#include "leeway/cli/restarts.h"

namespace leeway::cli {

namespace {

/// Which hosts nodes are started on, and which stand by.
class Hosts {
 public:
  /// `named`: in the file's order; empty: all nodes are on this machine. The first `nodes` of them take one each, and if
  /// they are fewer they are dealt round.
  Hosts(const std::vector<std::string>& named, std::uint32_t nodes) {
    for (std::size_t i = 0; i < nodes && !named.empty(); ++i)
      used_.push_back(named[i % named.size()]);
    if (named.size() > nodes) standing_by_.assign(named.begin() + nodes, named.end());
  }

  [[nodiscard]] const std::vector<std::string>& used() const { return used_; }

  /// Moves what is on the host of `lost` to those that stand by, if any do.
  void replace(NodeId lost) {
    if (standing_by_.empty()) return;
    const std::string gone = used_[lost.index()];
    std::string by;
    for (std::string& host : used_) {
      if (host != gone) continue;
      if (!standing_by_.empty()) {
        by = standing_by_.front();
        standing_by_.erase(standing_by_.begin());
      }
      host = by;
    }
    std::fprintf(stderr, "leeway launch: %s takes over from %s\n", by.c_str(), gone.c_str());
  }

 private:
  std::vector<std::string> used_, standing_by_;
};

/// Goes on without what it loses, so often as there are spares.
Result<int> launch_with_spares(LaunchOptions launched, Hosts hosts, std::uint32_t spares) {
  const std::string folder = snapshot_folder_in(launched.command);
  if (folder.empty()) {
    return fail(input_error("--spares",
                            "the command takes no snapshots, so there is nothing to go on from",
                            "give it --snapshot FOLDER, as leeway run takes it"));
  }
  const std::vector<std::string> command = launched.command;
  Restarts restarts(
      {.who = "launch", .folder = folder, .most = spares, .pause = 0, .stopped = launch_told});
  std::optional<NodeId> lost;
  return restarts.run([&](bool resumes) -> Result<JobEnd> {
    if (lost) hosts.replace(*lost);
    launched.command = command;
    if (resumes) launched.command.insert(launched.command.end(), {"--resume", folder});
    launched.hosts = hosts.used();
    LEEWAY_ASSIGN(const LaunchEnd end, launch(launched));
    if (!end.lost) return JobEnd{end.code, format("ended with exit code {}", end.code)};
    lost = end.lost;
    return JobEnd{end.code, format("lost node {}, which {},", *end.lost, end.why)};
  });
}

}  // namespace

Result<int> run_launch(const Invocation& invocation) {
  const Options& options = invocation.options;
  LaunchOptions launch_options;
  launch_options.nodes = options.nodes.value_or(1);
  launch_options.launcher = options.launcher;
  launch_options.provider = options.provider;
  launch_options.address = options.rendezvous;
  launch_options.verdict = Duration(static_cast<Duration::rep>(options.verdict_s * 1e9));
  launch_options.encrypt = options.encrypt;
  launch_options.command = invocation.arguments;
  std::vector<std::string> named;
  if (!options.hosts.empty()) {
    LEEWAY_ASSIGN(named, read_hosts(options.hosts));
  }
  const Said* const launcher = find_said(options, "launcher");
  if (options.hosts.empty() && launcher != nullptr && !launcher->shared) {
    return fail(input_error("--launcher", "all processes are started on this machine, without one",
                            "name other machines by --hosts"));
  }
  Hosts hosts(named, launch_options.nodes);
  launch_options.hosts = hosts.used();
  name_own_program(launch_options.command);
  if (options.spares > 0)
    return launch_with_spares(std::move(launch_options), std::move(hosts), options.spares);
  LEEWAY_ASSIGN(const LaunchEnd end, launch(launch_options));
  return end.code;
}

}  // namespace leeway::cli
