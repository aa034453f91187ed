// A forwarding transport must forward the end of a node, too. In the virtual cluster this ends the
// activities of the node, but not the process that simulates all nodes.
#include "transport/transport.h"

#include <catch2/catch.hpp>

#include "transport/sim.h"

using namespace leeway;

namespace {

class Downs final : public FrameSink {
 public:
  void on_frame(NodeId, std::span<const std::byte>) override {}
  void on_peer_down(NodeId) override { ++count; }
  int count = 0;
};

}  // namespace

TEST_CASE("a node that ends itself through a forwarding transport ends alone") {
  SimOptions options;
  options.faults.crashes = {{NodeId(1), Instant(std::chrono::milliseconds(3))}};
  SimCluster cluster(options);
  bool continued = false;
  const SimReport report = cluster.run([&](NodeId id) {
    ForwardingTransport me(cluster.node(id));
    Downs downs;
    while (downs.count == 0) {
      const std::uint64_t ticket = me.ticket();
      if (me.poll(downs, 1) == 0) me.wait(ticket, std::nullopt);
    }
    me.end_node(environment_error("node 0", "node 1 is gone", ""));
    continued = true;
  });
  CHECK(report.outcome == SimOutcome::NodeLost);
  CHECK_FALSE(continued);
}
