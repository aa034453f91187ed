#include "leeway/runtime/cluster.h"

#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "leeway/base/check.h"
#include "leeway/base/format.h"
#include "leeway/transport/loopback.h"
#include "leeway/transport/sim.h"

namespace leeway {

namespace {

/// The first error of several nodes.
class FirstError {
 public:
  void take(Status status) {
    if (status) return;
    const std::lock_guard locked(mutex_);
    if (!error_) error_ = std::move(status).error();
  }
  [[nodiscard]] const std::optional<Error>& error() const { return error_; }

 private:
  std::mutex mutex_;
  std::optional<Error> error_;
};

Result<ClusterOutcome> run_loopback(const ClusterOptions& options,
                                    const std::function<Status(Node&)>& body) {
  LoopbackNetwork network(
      {.nodes = options.nodes, .profile = options.network, .seed = options.seed});
  ClusterOutcome outcome;
  outcome.nodes.resize(options.nodes);
  FirstError first;
  const auto run = [&](NodeId id) {
    // Whoever computes also moves messages: another thread would only take its core away.
    Node node(network.node(id), {.policy = options.policy, .service = Service::Inline});
    first.take(body(node));
    node.close();
    outcome.nodes[id.index()] = node.stats();
  };
  {
    std::vector<std::jthread> threads;
    for (std::uint32_t i = 1; i < options.nodes; ++i) threads.emplace_back(run, NodeId(i));
    run(NodeId(0));
  }
  if (first.error()) return fail(*first.error());
  return outcome;
}

Result<ClusterOutcome> run_joined(const ClusterOptions& options,
                                  const std::function<Status(Node&)>& body) {
  LEEWAY_CHECK(options.nodes == options.job->node_count());
  ClusterOutcome outcome;
  outcome.nodes.resize(options.nodes);
  Node node(options.job->transport(), {.policy = options.policy, .service = Service::Inline});
  options.job->set_evidence([&node] { return node.evidence(); });
  const Status status = body(node);
  node.close();
  options.job->set_evidence({});
  outcome.nodes[node.self().index()] = node.stats();
  if (!status) return fail(status.error());
  return outcome;
}

Result<ClusterOutcome> run_sim(const ClusterOptions& options,
                               const std::function<Status(Node&)>& body) {
  SimOptions sim;
  sim.nodes = options.nodes;
  sim.profile = options.network;
  sim.cost = options.cost;
  sim.seed = options.seed;
  sim.time_limit = std::chrono::hours(24 * 365);
  SimCluster cluster(sim);
  std::vector<std::unique_ptr<Node>> nodes;
  for (std::uint32_t i = 0; i < sim.nodes; ++i) {
    nodes.push_back(
        std::make_unique<Node>(cluster.node(NodeId(i)), NodeOptions{.policy = options.policy}));
  }
  FirstError first;
  const SimReport report = cluster.run([&](NodeId id) {
    first.take(body(*nodes[id.index()]));
    nodes[id.index()]->close();
  });
  if (first.error()) return fail(*first.error());
  if (report.outcome != SimOutcome::Finished) {
    return fail(environment_error("virtual cluster",
                                  format("the run did not finish: {}", report.detail),
                                  "report this, with the command and the graph"));
  }
  ClusterOutcome outcome{.events = report.events, .digest = report.digest};
  for (const auto& node : nodes) outcome.nodes.push_back(node->stats());
  return outcome;
}

}  // namespace

Result<ClusterOutcome> run_cluster(const ClusterOptions& options,
                                   const std::function<Status(Node&)>& body) {
  if (options.job != nullptr) return run_joined(options, body);
  return options.fabric == Fabric::Sim ? run_sim(options, body) : run_loopback(options, body);
}

}  // namespace leeway
