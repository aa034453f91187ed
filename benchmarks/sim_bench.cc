// bench-sim: speed of the virtual cluster. Sixteen nodes with a million fetches each, once from caches and once with
// a blocking round trip per fetch; the cost of an event and of a node; and a cluster of 1,024 small nodes, each with
// its service activity.

#include <malloc.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "base/format.h"
#include "base/random.h"
#include "benchmarks/harness.h"
#include "dsm/dsm.h"
#include "dsm/node.h"
#include "transport/sim.h"

namespace {

using namespace leeway;

struct SimTimes {
  std::string name;
  SimReport report;
  double wall_seconds = 0;
  double bytes_per_node = 0;
};

std::size_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  std::size_t total = 0, resident = 0;
  file >> total >> resident;
  return resident * 4096;
}

using Body = void (*)(Node&);

SimTimes measure(const char* name, std::uint32_t nodes, const char* mode, Body body) {
  ::malloc_trim(0);  // memory freed by an earlier run must not hide this run's use
  const std::size_t before = resident_bytes();
  const Stopwatch watch;
  SimOptions sim;
  sim.nodes = nodes;
  sim.profile = parse_profile("infiniband").value();
  sim.stack_bytes = std::size_t{64} * 1024;
  NodeOptions options;
  options.policy = parse_policy(mode).value();
  SimCluster cluster(sim);
  std::vector<std::unique_ptr<Node>> all;
  for (std::uint32_t i = 0; i < nodes; ++i) {
    all.push_back(std::make_unique<Node>(cluster.node(NodeId(i)), options));
  }
  std::size_t most = 0;
  SimTimes measured;
  measured.name = name;
  measured.report = cluster.run([&](NodeId id) {
    body(*all[id.index()]);
    most = std::max(most, resident_bytes());
    all[id.index()]->close();
  });
  measured.wall_seconds = watch.elapsed_seconds();
  measured.bytes_per_node = static_cast<double>(most - std::min(most, before)) / nodes;
  return measured;
}

/// A sweep like that of a vertex program: per vertex sixteen neighbours, a quarter of them remote, and one store.
void sweep(Node& node) {
  constexpr std::uint32_t kVertices = 6'250;
  constexpr std::uint32_t kNeighbors = 16;
  constexpr int kIterations = 10;  // 10 × 6,250 × 16 = a million fetches
  SpaceOptions options;
  options.local_objects = kVertices;
  options.remote_objects = kVertices * kNeighbors;
  auto dsm = Dsm<double>::open(node, options).value();
  Random random(1, node.self().value());
  std::vector<Handle> handles;
  for (std::uint32_t i = 0; i < kVertices * kNeighbors; ++i) {
    const bool here = i % 4 != 0;
    const NodeId home =
        here ? node.self() : NodeId(static_cast<std::uint32_t>(random.below(node.node_count())));
    const LocalIndex index(static_cast<std::uint32_t>(random.below(kVertices)));
    handles.push_back(dsm.resolve(ObjectId(home, index)).value());
  }
  dsm.replicate(handles);
  node.relaxed_barrier();
  for (int iteration = 0; iteration < kIterations; ++iteration) {
    auto view = dsm.view();
    for (std::uint32_t vertex = 0; vertex < kVertices; ++vertex) {
      double sum = 0;
      for (std::uint32_t i = 0; i < kNeighbors; ++i)
        sum += view.fetch(handles[vertex * kNeighbors + i]);
      view.store(Handle(vertex), sum / kNeighbors);
      node.transport().charge(
          {.fetches = kNeighbors, .stores = 1, .edges = kNeighbors, .vertices = 1});
    }
    view.publish();
    node.relaxed_barrier();
  }
}

/// Every fetch is of another object and blocks for a round trip.
void round_trips(Node& node) {
  constexpr std::uint32_t kFetches = 1'000'000;
  SpaceOptions options;
  options.local_objects = kFetches;
  options.remote_objects = kFetches;
  auto dsm = Dsm<double>::open(node, options).value();
  node.relaxed_barrier();
  const NodeId next((node.self().value() + 1) % node.node_count());
  double sum = 0;
  for (std::uint32_t i = 0; i < kFetches; ++i) {
    sum += dsm.fetch(dsm.resolve(ObjectId(next, LocalIndex(i))).value());
    node.transport().charge({.fetches = 1});
  }
  bench::keep(sum);
}

/// A small node of a large cluster: reads of a few peers, stores, ten barriers.
void small_node(Node& node) {
  constexpr std::uint32_t kObjects = 64;
  SpaceOptions options;
  options.local_objects = kObjects;
  options.remote_objects = kObjects;
  auto dsm = Dsm<double>::open(node, options).value();
  Random random(1, node.self().value());
  std::vector<Handle> handles;
  for (std::uint32_t i = 0; i < kObjects; ++i) {
    const NodeId home(static_cast<std::uint32_t>(random.below(node.node_count())));
    handles.push_back(dsm.resolve(ObjectId(home, LocalIndex(i))).value());
  }
  for (int iteration = 0; iteration < 10; ++iteration) {
    for (std::uint32_t i = 0; i < kObjects; ++i) {
      dsm.store(Handle(i), 1 + dsm.fetch(handles[i]));
      node.transport().charge({.fetches = 1, .stores = 1, .vertices = 1});
    }
    node.relaxed_barrier();
  }
}

bool report(const SimTimes& measured, std::uint64_t fetches, double goal_seconds) {
  const bool finished = measured.report.outcome == SimOutcome::Finished;
  const bool met = finished && bench::meets(measured.wall_seconds, goal_seconds);
  const double rate = static_cast<double>(measured.report.events) / measured.wall_seconds / 1e6;
  std::string line =
      format("{:34} {:6.2f} s, {:6.2f} M events, {:5.2f} M events/s, {:8} a node", measured.name,
             measured.wall_seconds, static_cast<double>(measured.report.events) / 1e6, rate,
             format_bytes(measured.bytes_per_node));
  if (goal_seconds > 0) line += format(" (goal {:.0f} s, {})", goal_seconds, bench::verdict(met));
  if (!finished) line += " DID NOT FINISH: " + measured.report.detail;
  std::puts(line.c_str());
  bench::print_json("sim", [&](JsonWriter& json) {
    json.member("case", measured.name).member("fetches", fetches);
    json.member("seconds", measured.wall_seconds, ".3f");
    json.member("virtual_seconds", seconds(measured.report.elapsed), ".9f");
    json.member("events", measured.report.events);
    json.member("bytes_per_node", measured.bytes_per_node, ".0f");
    json.member("digest", format("{:016x}", measured.report.digest));
  });
  return met;
}

struct SimCase {
  const char* name;
  std::uint32_t nodes;
  Body body;
  std::uint64_t fetches;
  double goal_seconds;  // 0: no goal
};

constexpr std::uint64_t kMillion = 1'000'000;
constexpr std::array kCases = {
    SimCase{"1,024 small nodes", 1024, small_node, std::uint64_t{1024} * 640, 0},
    SimCase{"16 nodes x 1M fetches, a sweep", 16, sweep, 16 * kMillion, 10},
    SimCase{"16 nodes x 1M fetches, all blocking", 16, round_trips, 16 * kMillion, 0},
};

}  // namespace

/// Argument: runs only the cases whose name contains it.
int main(int argc, char** argv) {
  bool met = true;
  for (const SimCase& each : kCases) {
    if (argc > 1 && std::string_view(each.name).find(argv[1]) == std::string_view::npos) continue;
    const SimTimes measured = measure(each.name, each.nodes, "rcp", each.body);
    met = report(measured, each.fetches, each.goal_seconds) && met;
  }
  return met ? 0 : 1;
}
