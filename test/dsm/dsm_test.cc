#include "leeway/dsm.h"

#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>
#include <string>
#include <thread>
#include <vector>

#include "test/support/clusters.h"

using namespace leeway;
using testing::run_loopback;
using testing::run_sim;

namespace {

NodeOptions mode(const std::string& name) {
  NodeOptions options;
  options.policy = parse_policy(name).value();
  return options;
}

/// Every node stores; after quiescence every node reads every object.
void all_nodes_read_all_objects(Node& node) {
  SpaceOptions options;
  options.local_objects = 100;
  options.remote_objects = 1000;
  auto dsm = Dsm<double>::open(node, options).value();
  for (std::uint32_t round = 0; round < 5; ++round) {
    for (std::uint32_t i = 0; i < 100; ++i) {
      dsm.store(Handle(i), node.self().value() * 1000.0 + i + round * 0.25);
    }
    node.quiesce();
    // A stale copy may be used once; the use requests a refresh, which has arrived after
    // quiescence.
    for (int pass = 0; pass < 2; ++pass) {
      for (std::uint32_t home = 0; home < node.node_count(); ++home) {
        for (std::uint32_t i = 0; i < 100; ++i)
          (void)dsm.fetch(ObjectId(NodeId(home), LocalIndex(i)));
      }
      node.quiesce();
    }
    int wrong = 0;
    for (std::uint32_t home = 0; home < node.node_count(); ++home) {
      for (std::uint32_t i = 0; i < 100; ++i) {
        const double value = dsm.fetch(ObjectId(NodeId(home), LocalIndex(i)));
        wrong += value != home * 1000.0 + i + round * 0.25 ? 1 : 0;
      }
    }
    if (wrong > 0) throw std::runtime_error("wrong values: " + std::to_string(wrong));
    node.barrier();
  }
}

}  // namespace

TEST_CASE("all nodes read all stores, in every mode, on loopback") {
  for (const char* name : {"scp", "scp+rw", "scp+pb", "rcp", "rcp+push"}) {
    INFO(name);
    for (const std::uint32_t nodes : {1u, 2u, 4u}) {
      run_loopback({.nodes = nodes}, mode(name), all_nodes_read_all_objects);
    }
  }
}

TEST_CASE("all nodes read all stores, in every mode, in the virtual cluster") {
  for (const char* name : {"scp", "scp+rw", "scp+pb", "rcp", "rcp+push"}) {
    for (const char* profile : {"ideal", "infiniband", "ec2"}) {
      INFO(name << " on " << profile);
      SimOptions sim;
      sim.nodes = 5;
      sim.profile = parse_profile(profile).value();
      const SimReport report = run_sim(sim, mode(name), all_nodes_read_all_objects);
      INFO(report.detail);
      REQUIRE(report.outcome == SimOutcome::Finished);
    }
  }
}

// Objects form a ring that is distributed round-robin over the nodes, so each read of a neighbour
// is remote. Three threads per node sweep, block and store concurrently, some of them through
// views.
TEST_CASE("three threads on each of four nodes fetch and store until all agree") {
  constexpr std::uint32_t kNodes = 4, kThreads = 3, kObjects = 30, kAll = kNodes * kObjects;
  constexpr std::uint64_t kLimit = 20;
  for (const char* name : {"rcp", "rcp+push", "scp"}) {
    INFO(name);
    std::atomic<int> wrong{0};
    run_loopback({.nodes = kNodes}, mode(name), [&](Node& node) {
      SpaceOptions options;
      options.local_objects = kObjects;
      options.remote_objects = kAll;
      auto dsm = Dsm<std::uint64_t>::open(node, options).value();
      const auto object = [&](std::uint32_t place) {
        return dsm.resolve({NodeId(place % kNodes), LocalIndex(place / kNodes)}).value();
      };
      bool done = false;
      while (!done) {
        std::atomic<bool> changed{false};
        std::vector<std::thread> threads;
        for (std::uint32_t thread = 0; thread < kThreads; ++thread) {
          threads.emplace_back([&, thread] {
            auto view = dsm.view();
            for (std::uint32_t local = thread; local < kObjects; local += kThreads) {
              const std::uint32_t place = local * kNodes + node.self().value();
              const std::uint64_t left = view.fetch(object((place + kAll - 1) % kAll));
              const std::uint64_t right = dsm.fetch(object((place + 1) % kAll));
              const std::uint64_t next = std::min(kLimit, std::max(left, right) + 1);
              if (view.fetch(Handle(local)) >= next) continue;
              view.store(Handle(local), next);
              changed = true;
            }
          });
        }
        for (auto& thread : threads) thread.join();
        done = node.converged(changed);
      }
      for (std::uint32_t place = 0; place < kAll; ++place) {
        if (dsm.fetch(object(place)) != kLimit) ++wrong;
      }
      node.barrier();
    });
    CHECK(wrong == 0);
  }
}
