// Compute threads of oneTBB on one node: fetches that hit, fetches that block, refreshes and
// stores, all concurrently.
#include <atomic>
#include <catch2/catch.hpp>
#include <vector>

#include "leeway/dsm.h"
#include "runtime/cluster/compute_threads.h"
#include "test/support/clusters.h"

using namespace leeway;
using testing::run_loopback;

// Distances along a ring that is distributed round-robin over the nodes; they are right only if no
// store and no invalidation was lost.
TEST_CASE("oneTBB threads on every node compute distances on a ring") {
  constexpr std::uint32_t kNodes = 3, kObjects = 40, kAll = kNodes * kObjects;
  for (const char* mode : {"rcp", "scp", "stale-5", "rcp+push"}) {
    INFO(mode);
    NodeOptions options;
    options.policy = parse_policy(mode).value();
    std::atomic<int> wrong{0};
    run_loopback({.nodes = kNodes}, options, [&](Node& node) {
      SpaceOptions space;
      space.local_objects = kObjects;
      space.remote_objects = kAll;
      auto dsm = Dsm<std::uint32_t>::open(node, space).value();
      const std::uint32_t me = node.self().value();
      const auto object = [&](std::uint32_t place) {
        return dsm.resolve({NodeId(place % kNodes), LocalIndex(place / kNodes)}).value();
      };
      for (std::uint32_t i = 0; i < kObjects; ++i) {
        dsm.store(Handle(i), i == 0 && me == 0 ? 0 : kAll);
      }
      node.quiesce();
      ComputeThreads threads(3);
      bool done = false;
      while (!done) {
        std::atomic<bool> changed{false};
        threads.for_chunks(kObjects, 4, [&](std::size_t begin, std::size_t end) {
          auto view = dsm.view();
          for (std::size_t i = begin; i < end; ++i) {
            const std::uint32_t place = static_cast<std::uint32_t>(i) * kNodes + me;
            const std::uint32_t left = view.fetch(object((place + kAll - 1) % kAll));
            const std::uint32_t right = dsm.fetch(object((place + 1) % kAll));
            const std::uint32_t best = std::min(left, right) + 1;
            const Handle own(static_cast<std::uint32_t>(i));
            if (best >= view.fetch(own)) continue;
            view.store(own, best);
            changed = true;
          }
        });
        done = node.converged(changed);
      }
      for (std::uint32_t i = 0; i < kObjects; ++i) {
        const std::uint32_t place = i * kNodes + me;
        if (dsm.fetch(Handle(i)) != std::min(place, kAll - place)) ++wrong;
      }
      node.barrier();
    });
    CHECK(wrong == 0);
  }
}
