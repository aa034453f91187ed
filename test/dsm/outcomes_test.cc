// Guarantees for a program's fetches: which of ASPIRE's four outcomes each fetch has, and which
// objects a bounded cache holds.
#include <algorithm>
#include <catch2/catch.hpp>
#include <list>
#include <vector>

#include "base/random.h"
#include "leeway/dsm.h"
#include "test/support/clusters.h"

using namespace leeway;
using testing::finish_sim;
using testing::run_sim;

namespace {

NodeOptions mode(const char* name) {
  NodeOptions options;
  options.policy = parse_policy(name).value();
  return options;
}

SpaceOptions objects_at_node_0(const Node& node, std::uint32_t count) {
  SpaceOptions options;
  options.local_objects = node.self() == NodeId(0) ? count : 0;
  options.remote_objects = count;
  return options;
}

std::vector<std::uint64_t> four(const AccessCounts& counts) {
  return {counts.current_hits, counts.stale_hits, counts.stale_misses, counts.cache_misses};
}

/// When all nodes have arrived, node 0 stores `times` times; at the second barrier all nodes have
/// the invalidations.
void write(Node& node, Dsm<std::uint64_t>& dsm, int times) {
  node.relaxed_barrier();
  for (int i = 0; i < times && node.self() == NodeId(0); ++i) {
    dsm.store(Handle(0), dsm.fetch(Handle(0)) + 1);
    node.progress();
  }
  node.relaxed_barrier();
}

}  // namespace

TEST_CASE("each of the four outcomes is counted, exactly") {
  for (const bool by_view : {false, true}) {
    const SimReport report = run_sim({}, mode("stale-2"), [&](Node& node) {
      auto dsm = Dsm<std::uint64_t>::open(node, objects_at_node_0(node, 1)).value();
      const Handle handle = dsm.resolve({NodeId(0), LocalIndex(0)}).value();
      const auto fetch = [&] { return by_view ? dsm.view().fetch(handle) : dsm.fetch(handle); };
      const auto expect = [&](std::uint64_t value, std::vector<std::uint64_t> counts) {
        if (node.self() != NodeId(1)) return;
        REQUIRE(fetch() == value);
        REQUIRE(four(dsm.stats().accesses) == counts);
      };
      expect(0, {0, 0, 0, 1});
      expect(0, {1, 0, 0, 1});
      write(node, dsm, 1);
      expect(0, {1, 1, 0, 1});
      write(node, dsm, 1);
      expect(0, {1, 2, 0, 1});
      write(node, dsm, 1);
      expect(3, {1, 2, 1, 1});
      expect(3, {2, 2, 1, 1});
      if (node.self() == NodeId(1)) {
        const auto ages = dsm.stats().accesses.stale_by_age;
        REQUIRE(ages[1] == 1);
        REQUIRE(ages[2] == 1);
        REQUIRE(node.stats().blocked_fetches == 2);
      }
      node.relaxed_barrier();
    });
    REQUIRE(report.outcome == SimOutcome::Finished);
  }
}

TEST_CASE("fetches of local objects are not counted as any of the four outcomes") {
  finish_sim({}, mode("rcp"), [](Node& node) {
    auto dsm = Dsm<std::uint64_t>::open(node, objects_at_node_0(node, 1)).value();
    if (node.self() == NodeId(0)) {
      for (int i = 0; i < 10; ++i) (void)dsm.fetch(Handle(0));
      REQUIRE(dsm.stats().accesses.remote() == 0);
    }
    node.relaxed_barrier();
  });
}

TEST_CASE("a prefetch by ids is one frame, and later fetches hit") {
  constexpr std::uint32_t kObjects = 50;
  finish_sim({}, mode("rcp"), [](Node& node) {
    auto dsm = Dsm<std::uint64_t>::open(node, objects_at_node_0(node, kObjects)).value();
    for (std::uint32_t i = 0; i < dsm.local_count(); ++i) dsm.store(Handle(i), i * 3);
    node.relaxed_barrier();
    std::vector<ObjectId> ids;
    for (std::uint32_t i = 0; i < kObjects; ++i) ids.push_back({NodeId(0), LocalIndex(i)});
    if (node.self() == NodeId(1)) {
      const std::uint64_t frames = node.transport().stats().frames_sent;
      dsm.prefetch(ids);
      REQUIRE(node.transport().stats().frames_sent == frames + 1);
      dsm.prefetch(ids);  // all are in flight: sends no further requests
      REQUIRE(node.transport().stats().frames_sent == frames + 1);
      std::vector<Handle> handles;
      for (const ObjectId id : ids) handles.push_back(dsm.resolve(id).value());
      dsm.space().wait_for_reads(handles);
      for (std::uint32_t i = 0; i < kObjects; ++i) REQUIRE(dsm.fetch(ids[i]) == i * 3);
      REQUIRE(four(dsm.stats().accesses) == std::vector<std::uint64_t>{kObjects, 0, 0, 0});
      REQUIRE(node.stats().blocked_fetches == 0);
    }
    node.relaxed_barrier();
  });
}

TEST_CASE("a bounded cache keeps exactly the most recently used objects") {
  constexpr std::uint32_t kObjects = 64;
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    const std::uint32_t capacity = kLeastCacheCapacity + static_cast<std::uint32_t>(seed % 20);
    INFO("seed " << seed << ", capacity " << capacity);
    finish_sim({}, mode("rcp"), [&](Node& node) {
      SpaceOptions options = objects_at_node_0(node, kObjects);
      options.cache_capacity = capacity;
      auto dsm = Dsm<std::uint64_t>::open(node, options).value();
      for (std::uint32_t i = 0; i < dsm.local_count(); ++i) dsm.store(Handle(i), i + 100);
      node.relaxed_barrier();
      if (node.self() == NodeId(1)) {
        Random random(seed);
        std::list<std::uint32_t> recent;  // the model: most recent first
        std::uint64_t hits = 0, misses = 0;
        for (int step = 0; step < 600; ++step) {
          // A random walk that returns, so that hits and misses are both frequent.
          const auto object = static_cast<std::uint32_t>(
              (static_cast<std::uint64_t>(step) / 9 + random.below(capacity + 6)) % kObjects);
          const auto at = std::find(recent.begin(), recent.end(), object);
          (at == recent.end() ? misses : hits) += 1;
          if (at != recent.end()) recent.erase(at);
          recent.push_front(object);
          if (recent.size() > capacity) recent.pop_back();
          REQUIRE(dsm.fetch(ObjectId(NodeId(0), LocalIndex(object))) == object + 100);
          REQUIRE(four(dsm.stats().accesses) == std::vector<std::uint64_t>{hits, 0, 0, misses});
        }
        REQUIRE(misses > capacity);
        REQUIRE(dsm.stats().cache.evictions == misses - capacity);
      }
      node.relaxed_barrier();
    });
  }
}
