// Two nodes; node 0 computes for a second without accessing the shared memory. Prints how long
// reads of node 1 take during that time, whether node 0's stale copy was refreshed, and the processor
// time of both nodes while they are idle. Usage: `busy-node thread|inline|auto [MOST_PAUSE_US]`,
// alone or in a job of two processes. Node 1 pauses between two reads for at most MOST_PAUSE_US
// microseconds (default: 4,000).
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <thread>
#include <vector>

#include "base/random.h"
#include "leeway/cluster.h"
#include "leeway/dsm.h"
#include "test/support/processor_time.h"

using namespace leeway;
using testing::processor_seconds;

namespace {

constexpr Duration kComputing = std::chrono::seconds(1);
constexpr Duration kReading = std::chrono::milliseconds(800);
constexpr Duration kIdle = std::chrono::seconds(1);
constexpr std::uint32_t kObjects = 4096;
std::uint64_t most_pause_us = 4000;

/// Computes without accessing shared memory.
void compute(Duration length) {
  const SteadyClock clock;
  const Instant end = clock.now() + length;
  volatile double sum = 0;
  while (clock.now() < end) {
    for (int i = 1; i < 1000; ++i) sum = sum + 1.0 / i;
  }
}

/// The latency in milliseconds of each read of an object that is not cached, with random pauses
/// between reads.
std::vector<double> read_for(Duration length, Dsm<double>& dsm) {
  const SteadyClock clock;
  const Instant end = clock.now() + length;
  Random random(1);
  std::vector<double> took;
  for (std::uint32_t i = 0; i < kObjects && clock.now() < end; ++i) {
    std::this_thread::sleep_for(std::chrono::microseconds(random.below(most_pause_us)));
    const Instant begin = clock.now();
    (void)DSM_FETCH(dsm, ObjectId(NodeId(0), LocalIndex(i)));
    took.push_back(1e3 * seconds(clock.now() - begin));
  }
  return took;
}

Status run_node(Node& node) {
  const bool computes = node.self() == NodeId(0);
  SpaceOptions space;
  space.local_objects = computes ? kObjects : 1;
  space.remote_objects = kObjects;
  LEEWAY_ASSIGN(auto dsm, Dsm<double>::open(node, space));
  const ObjectId other(NodeId(1), LocalIndex(0));
  node.barrier();
  if (computes) (void)DSM_FETCH(dsm, other);
  node.relaxed_barrier();
  if (!computes) DSM_STORE(dsm, Handle(0), 1.0);
  node.quiesce();  // node 0 has received the invalidation of its copy
  if (computes) {
    LEEWAY_ASSIGN(const Handle handle, dsm.resolve(other));
    (void)DSM_FETCH(dsm, handle);
    compute(kComputing);
    const bool refreshed = dsm.space().age(MetIndex(handle.value() - kObjects)) == 0;
    std::printf("refreshed %d\n", refreshed ? 1 : 0);
  } else {
    std::vector<double> took = read_for(kReading, dsm);
    std::sort(took.begin(), took.end());
    std::printf("reads %zu median_ms %.3f\n", took.size(), took[took.size() / 2]);
  }
  node.barrier();
  const double before = processor_seconds();
  std::this_thread::sleep_for(kIdle);
  std::printf("idle_ms %.1f\n", 1e3 * (processor_seconds() - before));
  std::fflush(stdout);
  node.barrier();
  return {};
}

}  // namespace

int main(int count, char** words) {
  const std::string_view service = count > 1 ? words[1] : "auto";
  if (count > 2) most_pause_us = std::strtoull(words[2], nullptr, 10);
  ClusterOptions cluster;
  cluster.nodes = 2;
  cluster.policy = parse_policy("rcp").value();
  if (service == "thread") cluster.service = Service::Background;
  if (service == "inline") cluster.service = Service::Inline;
  const auto ran = run_cluster(cluster, run_node);
  if (ran) return 0;
  std::fprintf(stderr, "%s\n", ran.error().to_string().c_str());
  return ran.error().exit_code();
}
