#include "leeway/runtime/cluster.h"

#include <memory>

#include "leeway/runtime/own_job.h"

namespace leeway {

namespace {

class NodeResident final : public NodeProgram {
 public:
  NodeResident(Transport& transport, const NodeOptions& options,
               const std::function<Status(Node&)>& body, std::vector<NodeStats>& stats)
      : node_(transport, options), body_(body), stats_(stats) {}

  Status run() override { return body_(node_); }
  void finish() override {
    node_.close();
    stats_[node_.self().index()] = node_.stats();
  }
  [[nodiscard]] std::string evidence() override { return node_.evidence(); }

 private:
  Node node_;
  const std::function<Status(Node&)>& body_;
  std::vector<NodeStats>& stats_;
};

}  // namespace

Result<ClusterOutcome> run_cluster(const ClusterOptions& cluster,
                                   const std::function<Status(Node&)>& body) {
  LEEWAY_ASSIGN(const ClusterOptions options, settle_cluster(cluster));
  const NodeOptions node{.policy = options.policy, .service = service_of(options)};
  ClusterOutcome outcome;
  outcome.nodes.resize(options.nodes);
  LEEWAY_ASSIGN(const NodeProgramsOutcome ran,
                run_node_programs(options, [&](Transport& transport) {
                  return std::make_unique<NodeResident>(transport, node, body, outcome.nodes);
                }));
  outcome.events = ran.events;
  outcome.digest = ran.digest;
  return outcome;
}

}  // namespace leeway
