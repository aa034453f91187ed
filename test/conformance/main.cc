// The conformance suite: the same cases over every fabric.
//
//   conformance loopback|sim NODES [CASE]     the nodes live in this process
//   conformance job [CASE]                    this process is one node of a launched job
//
// CASE: part of a case's name. Prints one line a case that failed, and the counts.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "leeway/base/format.h"
#include "leeway/transport/fabric.h"
#include "leeway/transport/loopback.h"
#include "leeway/transport/sim.h"
#include "test/conformance/cases.h"

namespace {

using namespace leeway;
using namespace leeway::conformance;

constexpr std::uint64_t kWindow = 256 * 1024;

struct Tally {
  std::mutex mutex;
  int passed = 0;
  int failed = 0;
  std::string failures;
};

/// One node's way through all chosen cases. A broken case ends the node: its peers could not go on.
void run_cases(Transport& transport, const std::string& chosen, const Setting& setting,
               Tally& tally) {
  Mailroom node(transport);
  if (transport.node_count() < 2) {
    std::printf("conformance: a cluster has at least two nodes\n");
    std::_Exit(2);
  }
  for (const Case& each : cases()) {
    if (each.name.find(chosen) == std::string_view::npos) continue;
    try {
      node.barrier();
      each.run(node, setting);
      node.barrier();
    } catch (const Broken& broken) {
      const std::lock_guard lock(tally.mutex);
      ++tally.failed;
      std::printf("FAILED on node %u: %s: %s\n", transport.self().value(),
                  std::string(each.name).c_str(), broken.what());
      std::fflush(stdout);
      std::_Exit(1);
    }
    const std::lock_guard lock(tally.mutex);
    if (transport.self() == NodeId(0)) ++tally.passed;
  }
}

void over_loopback(std::uint32_t nodes, const std::string& chosen, Tally& tally) {
  LoopbackOptions options{.nodes = nodes};
  options.profile.window_bytes = kWindow;
  LoopbackNetwork network(options);
  std::vector<std::thread> threads;
  for (std::uint32_t i = 0; i < nodes; ++i) {
    threads.emplace_back(
        [&, i] { run_cases(network.node(NodeId(i)), chosen, {.window_bytes = kWindow}, tally); });
  }
  for (std::thread& thread : threads) thread.join();
}

void over_sim(std::uint32_t nodes, const std::string& chosen, const std::string& profile,
              Tally& tally) {
  SimOptions options{.nodes = nodes};
  options.profile = parse_profile(profile).value();
  options.profile.window_bytes = kWindow;
  SimCluster cluster(options);
  const SimReport report = cluster.run([&](NodeId id) {
    run_cases(cluster.node(id), chosen, {.window_bytes = kWindow, .virtual_time = true}, tally);
  });
  if (report.outcome == SimOutcome::Finished) return;
  ++tally.failed;
  std::printf("FAILED: the virtual cluster did not finish: %s\n", report.detail.c_str());
}

[[noreturn]] void over_job(const std::string& chosen) {
  auto job = join_job({.window_bytes = kWindow});
  if (!job) {
    std::fprintf(stderr, "%s\n", job.error().to_string().c_str());
    std::exit(job.error().exit_code());
  }
  Tally tally;
  run_cases((*job)->transport(), chosen, {.window_bytes = kWindow}, tally);
  if ((*job)->self() == NodeId(0))
    std::printf("%d passed, %d failed, 0 skipped\n", tally.passed, tally.failed);
  const Status left = (*job)->leave();
  if (!left) std::fprintf(stderr, "%s\n", left.error().to_string().c_str());
  (*job)->exit(left ? 0 : 1);
}

}  // namespace

int main(int count, char** values) {
  const std::vector<std::string> arguments(values + 1, values + count);
  const std::string fabric = arguments.empty() ? "" : arguments[0];
  if (fabric == "job") over_job(arguments.size() > 1 ? arguments[1] : "");
  if ((fabric != "loopback" && fabric != "sim") || arguments.size() < 2) {
    std::fprintf(stderr,
                 "usage: conformance loopback|sim NODES [CASE], or conformance job [CASE]\n");
    return 2;
  }
  const auto nodes = static_cast<std::uint32_t>(std::strtoul(arguments[1].c_str(), nullptr, 10));
  const std::string chosen = arguments.size() > 2 ? arguments[2] : "";
  Tally tally;
  if (fabric == "loopback") {
    over_loopback(nodes, chosen, tally);
  } else {
    for (const char* profile : {"ideal", "infiniband", "ec2"})
      over_sim(nodes, chosen, profile, tally);
  }
  std::printf("%d passed, %d failed, 0 skipped\n", tally.passed, tally.failed);
  return tally.failed == 0 ? 0 : 1;
}
