// The conformance suite: the same cases over every fabric.
//
//   conformance loopback|sim NODES [CASE] [--window KIB]   the nodes live in this process
//   conformance job [CASE] [--window KIB]                  this process is one node of a launched job
//
// CASE: part of a case's name. --window: bytes that a pair may have in flight (default: 256 KiB).
// Prints one line per failed case, and the counts.
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/format.h"
#include "dsm/node.h"
#include "test/conformance/cases.h"
#include "transport/fabric.h"
#include "transport/loopback.h"
#include "transport/sim.h"

namespace {

using namespace leeway;
using namespace leeway::conformance;

struct Asked {
  std::vector<std::string> words;  ///< positional arguments
  std::string chosen;              ///< part of the names of the cases to run
  std::uint64_t window_bytes = std::uint64_t{256} << 10U;
};

struct Tally {
  std::mutex mutex;
  int passed = 0;
  int failed = 0;
  std::string failures;
};

/// Runs all chosen cases on one node. A failed case ends the node, because its peers could not
/// continue.
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

void over_loopback(std::uint32_t nodes, const Asked& asked, Tally& tally) {
  LoopbackOptions options{.nodes = nodes};
  options.profile.window_bytes = asked.window_bytes;
  LoopbackNetwork network(options);
  std::atomic<bool> way_is_full{false};
  const Setting setting{.window_bytes = asked.window_bytes, .way_is_full = &way_is_full};
  std::vector<std::thread> threads;
  for (std::uint32_t i = 0; i < nodes; ++i) {
    threads.emplace_back(
        [&, i] { run_cases(network.node(NodeId(i)), asked.chosen, setting, tally); });
  }
  for (std::thread& thread : threads) thread.join();
}

void over_sim(std::uint32_t nodes, const Asked& asked, const std::string& profile, Tally& tally) {
  SimOptions options{.nodes = nodes};
  options.profile = parse_profile(profile).value();
  options.profile.window_bytes = asked.window_bytes;
  SimCluster cluster(options);
  const SimReport report = cluster.run([&](NodeId id) {
    run_cases(cluster.node(id), asked.chosen,
              {.window_bytes = asked.window_bytes, .virtual_time = true}, tally);
  });
  if (report.outcome == SimOutcome::Finished) return;
  ++tally.failed;
  std::printf("FAILED: the virtual cluster did not finish: %s\n", report.detail.c_str());
}

[[noreturn]] void over_job(const Asked& asked) {
  auto job = join_job({.window_bytes = asked.window_bytes});
  if (!job) {
    std::fprintf(stderr, "%s\n", job.error().to_string().c_str());
    std::exit(job.error().exit_code());
  }
  Tally tally;
  run_cases((*job)->transport(), asked.chosen, {.window_bytes = asked.window_bytes}, tally);
  if ((*job)->self() == NodeId(0))
    std::printf("%d passed, %d failed, 0 skipped\n", tally.passed, tally.failed);
  const Status left = (*job)->leave();
  if (!left) std::fprintf(stderr, "%s\n", left.error().to_string().c_str());
  (*job)->exit(left ? 0 : 1);
}

[[noreturn]] void refuse(const std::string& what) {
  std::fprintf(
      stderr,
      "%s\nusage: conformance loopback|sim NODES [CASE] [--window KIB], or conformance job "
      "[CASE] [--window KIB]\n",
      what.c_str());
  std::exit(2);
}

std::uint64_t number(const std::string& text) {
  char* end = nullptr;
  const std::uint64_t value = std::strtoull(text.c_str(), &end, 10);
  if (text.empty() || *end != '\0' || value == 0) refuse("'" + text + "' is not a number above 0");
  return value;
}

Asked parse(int count, char** values) {
  Asked asked;
  for (int i = 1; i < count; ++i) {
    if (std::string_view(values[i]) != "--window") {
      asked.words.emplace_back(values[i]);
      continue;
    }
    if (++i == count) refuse("--window needs a number of KiB");
    asked.window_bytes = number(values[i]) << 10U;
  }
  if (asked.words.empty()) refuse("no fabric is named");
  const std::string& fabric = asked.words[0];
  if (fabric != "loopback" && fabric != "sim" && fabric != "job")
    refuse("no fabric '" + fabric + "'");
  const std::size_t before = fabric == "job" ? 1 : 2;
  if (asked.words.size() < before) refuse("how many nodes?");
  if (asked.words.size() > before + 1) refuse("'" + asked.words[before + 1] + "' is too much");
  if (asked.words.size() > before) asked.chosen = asked.words[before];
  for (const Case& each : cases()) {
    if (each.name.find(asked.chosen) != std::string_view::npos) return asked;
  }
  refuse("no case has '" + asked.chosen + "' in its name");
}

}  // namespace

int main(int count, char** values) {
  const Asked asked = parse(count, values);
  if (asked.words[0] == "job") over_job(asked);
  const auto nodes = static_cast<std::uint32_t>(number(asked.words[1]));
  Tally tally;
  if (asked.words[0] == "loopback") {
    over_loopback(nodes, asked, tally);
  } else {
    for (const char* profile : {"ideal", "infiniband", "ec2"})
      over_sim(nodes, asked, profile, tally);
  }
  std::printf("%d passed, %d failed, 0 skipped\n", tally.passed, tally.failed);
  return tally.failed == 0 && tally.passed > 0 ? 0 : 1;
}
