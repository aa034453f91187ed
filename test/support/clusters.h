// Small clusters for tests: the same body on every node, over threads or in the virtual cluster.
#pragma once

#include <catch2/catch.hpp>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "leeway/dsm.h"
#include "transport/loopback.h"
#include "transport/sim.h"

namespace leeway::testing {

/// Runs `body` on every node of a loopback cluster, each in a separate thread, and closes the
/// nodes.
inline void run_loopback(const LoopbackOptions& network, const NodeOptions& options,
                         const std::function<void(Node&)>& body) {
  LoopbackNetwork cluster(network);
  std::vector<std::thread> threads;
  for (std::uint32_t i = 0; i < network.nodes; ++i) {
    threads.emplace_back([&, i] {
      Node node(cluster.node(NodeId(i)), options);
      body(node);
      node.close();
    });
  }
  for (auto& thread : threads) thread.join();
}

/// Runs `body` on every node of a virtual cluster.
[[nodiscard]] inline SimReport run_sim(const SimOptions& sim, const NodeOptions& options,
                                       const std::function<void(Node&)>& body) {
  SimCluster cluster(sim);
  std::vector<std::unique_ptr<Node>> nodes;
  for (std::uint32_t i = 0; i < sim.nodes; ++i) {
    nodes.push_back(std::make_unique<Node>(cluster.node(NodeId(i)), options));
  }
  return cluster.run([&](NodeId id) {
    body(*nodes[id.index()]);
    nodes[id.index()]->close();
  });
}

/// Like run_sim, and checks that the body ends on every node.
inline void finish_sim(const SimOptions& sim, const NodeOptions& options,
                       const std::function<void(Node&)>& body) {
  const SimReport report = run_sim(sim, options, body);
  INFO(report.detail);
  REQUIRE(report.outcome == SimOutcome::Finished);
}

}  // namespace leeway::testing
