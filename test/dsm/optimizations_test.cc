// The four optimizations of ASPIRE §4.3: each can be switched off, and its savings can be counted.
#include <catch2/catch.hpp>
#include <vector>

#include "leeway/dsm.h"
#include "test/support/clusters.h"

using namespace leeway;
using testing::run_sim;

namespace {

constexpr std::uint32_t kObjects = 100;
constexpr std::uint64_t kWrites = 3;

struct Counted {
  std::uint64_t frames = 0;
  std::uint64_t messages = 0;
  std::uint64_t invalidations = 0;
  std::uint64_t blocked = 0;
  std::uint64_t wrong = 0;
};

/// Node 1 reads a hundred objects, node 0 stores to each three times before it announces any store,
/// and after quiescence node 1 reads them again. The work is the same for all switches; counts are
/// sums over both nodes.
Counted read_write_read(const Optimizations& optimizations) {
  NodeOptions options;
  options.policy = parse_policy("rcp").value();
  options.policy.optimizations = optimizations;
  Counted counted;
  const SimReport report = run_sim({}, options, [&](Node& node) {
    SpaceOptions space;
    space.local_objects = node.self() == NodeId(0) ? kObjects : 0;
    space.remote_objects = kObjects;
    auto dsm = Dsm<std::uint64_t>::open(node, space).value();
    std::vector<Handle> handles;
    for (std::uint32_t i = 0; i < kObjects; ++i) {
      handles.push_back(dsm.resolve({NodeId(0), LocalIndex(i)}).value());
    }
    node.quiesce();
    const auto read_all = [&](std::uint64_t expected, bool check) {
      if (node.self() != NodeId(1)) return;
      for (const Handle handle : handles) {
        if (dsm.fetch(handle) != expected && check) ++counted.wrong;
      }
    };
    read_all(0, true);
    node.barrier();
    if (node.self() == NodeId(0)) {
      for (std::uint64_t round = 1; round <= kWrites; ++round) {
        for (const Handle handle : handles) dsm.store(handle, round);
      }
    }
    node.quiesce();
    read_all(0, false);  // stale; requests refreshes
    node.quiesce();
    read_all(kWrites, true);
    node.barrier();
    counted.frames += node.stats().transport.frames_sent;
    counted.messages += node.stats().messages_sent;
    counted.invalidations += dsm.stats().directory.invalidations;
    counted.blocked += node.stats().blocked_fetches;
  });
  REQUIRE(report.outcome == SimOutcome::Finished);
  REQUIRE(counted.wrong == 0);
  return counted;
}

}  // namespace

TEST_CASE("aggregation saves frames and messages") {
  Optimizations off;
  off.aggregation = false;
  const Counted with = read_write_read({});
  const Counted without = read_write_read(off);
  // Each of the hundred reads is a blocking miss, so it needs a separate frame with and without
  // aggregation.
  CHECK(without.frames >= with.frames + 2 * kObjects);
  CHECK(without.messages >= with.messages + 2 * kObjects);
}

TEST_CASE("flattening makes many writes of an object one invalidation") {
  Optimizations off;
  off.flattening = false;
  CHECK(read_write_read({}).invalidations == kObjects);
  CHECK(read_write_read(off).invalidations == kWrites * kObjects);
}

TEST_CASE("with replication no fetch blocks") {
  Optimizations on;
  on.replication = true;
  CHECK(read_write_read({}).blocked == kObjects);
  const Counted with = read_write_read(on);
  CHECK(with.blocked == 0);
  CHECK(with.frames < read_write_read({}).frames);
}

// The writer of node 0's objects is node 1. That is impossible with collocation; without it every
// store is a message.
TEST_CASE(
    "without work collocation a node may store to remote objects, in every mode, by messages") {
  for (const char* mode : {"scp", "scp+rw", "scp+pb", "stale-3", "rcp", "rcp+push"}) {
    INFO(mode);
    NodeOptions options;
    options.policy = parse_policy(mode).value();
    options.policy.optimizations.collocation = false;
    std::uint64_t wrong = 0, writes = 0;
    const SimReport report = run_sim({.nodes = 3}, options, [&](Node& node) {
      SpaceOptions space;
      space.local_objects = node.self() == NodeId(0) ? 10 : 0;
      space.remote_objects = 10;
      auto dsm = Dsm<std::uint64_t>::open(node, space).value();
      std::vector<Handle> handles;
      for (std::uint32_t i = 0; i < 10; ++i) {
        handles.push_back(dsm.resolve({NodeId(0), LocalIndex(i)}).value());
      }
      for (std::uint64_t round = 1; round <= 5; ++round) {
        for (std::uint32_t i = 0; i < 10 && node.self() == NodeId(1); ++i) {
          dsm.store(handles[i], round * 100 + i);
          if (dsm.fetch(handles[i]) != round * 100 + i)
            ++wrong;  // a local write is visible immediately
        }
        for (int pass = 0; pass < 2; ++pass) {
          node.quiesce();
          for (const Handle handle : handles) (void)dsm.fetch(handle);
          if (!node.options().policy.refresh) continue;
          node.quiesce();
        }
        const bool bounded_only = std::string_view(mode) == "stale-3";
        for (std::uint32_t i = 0; i < 10; ++i) {
          const std::uint64_t value = dsm.fetch(handles[i]);
          const std::uint64_t oldest = bounded_only && round > 3 ? (round - 3) * 100 + i : 0;
          if (bounded_only ? value < oldest : value != round * 100 + i) ++wrong;
        }
        node.barrier();
      }
      if (node.self() == NodeId(0)) writes = dsm.stats().directory.writes;
    });
    REQUIRE(report.outcome == SimOutcome::Finished);
    CHECK(wrong == 0);
    CHECK(writes == 50);
  }
}
