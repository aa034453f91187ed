#include "leeway/runtime/parallel.h"

#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>
#include <vector>

#include "test/support/clusters.h"

using namespace leeway;

TEST_CASE("the chunks cover the range once, on any number of threads") {
  for (const unsigned threads : {1u, 2u, 3u}) {
    ComputeThreads pool(threads);
    std::vector<std::atomic<int>> visits(1000);
    pool.for_chunks(visits.size(), 7, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) ++visits[i];
    });
    for (const auto& count : visits) REQUIRE(count == 1);
  }
}

TEST_CASE("an empty range runs nothing") {
  ComputeThreads pool(2);
  pool.for_chunks(0, 1, [](std::size_t, std::size_t) { FAIL("called"); });
}

// Each object becomes one more than the greatest of its two neighbours on the ring of all objects, up to
// a limit: every node sweeps with three threads that fetch, block and store, until all agree.
TEST_CASE("compute threads fetch and store on one node at the same time") {
  constexpr std::uint32_t kNodes = 4, kObjects = 60;
  constexpr std::uint64_t kLimit = 50;
  NodeOptions options;
  options.policy = parse_policy("rcp").value();
  std::atomic<int> wrong{0};
  testing::run_loopback({.nodes = kNodes}, options, [&](Node& node) {
    SpaceOptions space;
    space.local_objects = kObjects;
    space.remote_objects = kObjects * kNodes;
    auto dsm = Dsm<std::uint64_t>::open(node, space).value();
    const auto object =
        [&](std::uint32_t place) {  // dealt round the nodes: every neighbour is remote
          return dsm.resolve({NodeId(place % kNodes), LocalIndex(place / kNodes)}).value();
        };
    constexpr std::uint32_t kAll = kNodes * kObjects;
    ComputeThreads pool(3);
    bool done = false;
    while (!done) {
      std::atomic<bool> changed{false};
      pool.for_chunks(kObjects, 5, [&](std::size_t begin, std::size_t end) {
        for (std::size_t local = begin; local < end; ++local) {
          const auto place = static_cast<std::uint32_t>(local) * kNodes + node.self().value();
          const std::uint64_t left = dsm.fetch(object((place + kAll - 1) % kAll));
          const std::uint64_t right = dsm.fetch(object((place + 1) % kAll));
          const std::uint64_t next = std::min(kLimit, std::max(left, right) + 1);
          const Handle own(static_cast<std::uint32_t>(local));
          if (dsm.fetch(own) >= next) continue;
          dsm.store(own, next);
          changed = true;
        }
      });
      done = node.converged(changed);
    }
    for (std::uint32_t place = 0; place < kAll; ++place) {
      if (dsm.fetch(object(place)) != kLimit) ++wrong;
    }
    node.barrier();
  });
  REQUIRE(wrong == 0);
}
