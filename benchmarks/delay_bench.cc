// What a slow network costs a computation that never waits for it. Two nodes on loopback, each with one
// thread that computes on its own objects from the other's; every frame takes a millisecond longer, or
// does not. Under rcp a copy that is out of date is used, and refreshed behind the computation's back;
// under scp each is waited for.

#include <algorithm>
#include <cstdio>
#include <thread>
#include <vector>

#include "base/format.h"
#include "benchmarks/stopwatch.h"
#include "leeway/dsm.h"
#include "transport/loopback.h"

namespace {

using namespace leeway;

constexpr std::uint32_t kObjects = 48;  // a node
constexpr int kIterations = 12;
constexpr int kRounds = 5;
constexpr int kSteps = 60'000;  // of arithmetic an object, about a fifth of a millisecond

double compute(double value) {
  for (int i = 0; i < kSteps; ++i) value = value * 0.999999 + 1e-6;
  return value;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

struct Way {
  const char* mode;
  const char* network;
  std::vector<double> times;  // of iterations, in ms
  std::uint64_t refreshes = 0;
  std::uint64_t fetches_that_waited = 0;
};

/// One run: adds the times of node 0's iterations.
void run(Way& way) {
  LoopbackNetwork network({.nodes = 2, .profile = parse_profile(way.network).value()});
  const auto body = [&](NodeId self) {
    Node node(network.node(self), {.policy = parse_policy(way.mode).value()});
    SpaceOptions options;
    options.local_objects = kObjects;
    options.remote_objects = kObjects;
    auto dsm = Dsm<double>::open(node, options).value();
    std::vector<Handle> others;
    for (std::uint32_t i = 0; i < kObjects; ++i) {
      dsm.store(Handle(i), 1.0);
      const ObjectId id(NodeId(1 - self.value()), LocalIndex(i));
      others.push_back(dsm.resolve(id).value());
    }
    node.barrier();
    dsm.replicate(others);
    node.barrier();
    const SteadyClock clock;
    for (int iteration = 0; iteration < kIterations; ++iteration) {
      const Instant start = clock.now();
      for (std::uint32_t i = 0; i < kObjects; ++i) {
        dsm.store(Handle(i), compute(dsm.fetch(others[i])));
      }
      if (self == NodeId(0)) way.times.push_back(seconds(clock.now() - start) * 1e3);
    }
    if (self == NodeId(0)) {
      way.refreshes += dsm.stats().cache.refreshes;
      way.fetches_that_waited += node.stats().blocked_fetches;
    }
    node.close();
  };
  std::thread other(body, NodeId(1));
  body(NodeId(0));
  other.join();
}

}  // namespace

int main() {
  constexpr const char* kSlow = "custom:latency_us=1000";
  std::vector<Way> ways = {
      {"rcp", "ideal", {}}, {"rcp", kSlow, {}}, {"scp", "ideal", {}}, {"scp", kSlow, {}}};
  for (int round = 0; round < kRounds; ++round) {
    for (Way& way : ways) run(way);
  }
  for (const Way& way : ways) {
    std::puts(
        format("{:4} {:24} {:8.2f} ms an iteration, {:5.1f} refreshes and {:5.1f} waits in each",
               way.mode, way.network, median(way.times),
               static_cast<double>(way.refreshes) / (kRounds * kIterations),
               static_cast<double>(way.fetches_that_waited) / (kRounds * kIterations))
            .c_str());
  }
  const double rcp = median(ways[1].times) / median(ways[0].times) - 1;
  // Under scp an object costs a way there and back for its fetch, and one for the acknowledgement of its store.
  const double trips = (median(ways[3].times) - median(ways[2].times)) / (kObjects * 2.0);
  std::puts(format("a millisecond more slows an iteration under rcp by {:.1f} % (goal 10, {})",
                   rcp * 100, rcp < 0.10 ? "met" : "MISSED")
                .c_str());
  std::puts(
      format(
          "and under scp by {:.2f} round trips an object (its fetch, its store's acknowledgement)",
          trips)
          .c_str());
  std::puts(format("{{\"bench\":\"delay\",\"machine\":\"{}\",\"rcp_slowdown\":{:.4f},"
                   "\"scp_round_trips_an_object\":{:.3f}}}",
                   bench::machine(), rcp, trips)
                .c_str());
  return 0;
}
