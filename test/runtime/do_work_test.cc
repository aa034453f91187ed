// Algorithm 1 with explicit fetch and store, like the paper's programs.
#include "leeway/dsm.h"

#include <catch2/catch.hpp>
#include <cmath>

#include "test/support/clusters.h"

using namespace leeway;

namespace {

constexpr std::uint32_t kEach = 4;
constexpr double kEpsilon = 1e-10;

/// A rod whose ends are kept at 0 and 1: each cell becomes the mean of its neighbours. Cells are
/// assigned round-robin, so every neighbour is remote.
void warm_a_rod(Node& node) {
  const std::uint32_t nodes = node.node_count();
  const std::uint32_t cells = kEach * nodes;
  SpaceOptions space;
  space.local_objects = kEach;
  space.remote_objects = cells;
  auto dsm = Dsm<double>::open(node, space).value();
  const auto cell = [&](std::uint32_t place) {
    return ObjectId(NodeId(place % nodes), LocalIndex(place / nodes));
  };
  for (std::uint32_t i = 0; i < kEach; ++i) dsm.store(Handle(i), 0);
  node.barrier();
  const std::uint32_t iterations = do_work(node, kEach, kEpsilon, [&](std::uint32_t curr) {
    const std::uint32_t place = curr * nodes + node.self().value();
    const double old = DSM_FETCH(dsm, Handle(curr));
    const double left = place == 0 ? 0 : DSM_FETCH(dsm, cell(place - 1));
    const double right = place + 1 == cells ? 1 : DSM_FETCH(dsm, cell(place + 1));
    const double now = (left + right) / 2;
    if (std::abs(now - old) > kEpsilon) DSM_STORE(dsm, Handle(curr), now);
    return std::abs(now - old);
  });
  CHECK(iterations > 1);
  for (std::uint32_t i = 0; i < kEach; ++i) {
    const std::uint32_t place = i * nodes + node.self().value();
    CHECK(dsm.fetch(Handle(i)) == Approx((place + 1.0) / (cells + 1.0)).epsilon(1e-6));
  }
  node.barrier();
}

}  // namespace

TEST_CASE("do_work ends at the fixed point, in every mode") {
  for (const char* mode : {"scp", "scp+rw", "stale-2", "rcp", "rcp+push"}) {
    INFO(mode);
    SimOptions sim;
    sim.nodes = 3;
    sim.profile = parse_profile("infiniband").value();
    NodeOptions options;
    options.policy = parse_policy(mode).value();
    const SimReport report = testing::run_sim(sim, options, warm_a_rod);
    REQUIRE(report.outcome == SimOutcome::Finished);
  }
}
