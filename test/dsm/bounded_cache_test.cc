// A bounded cache: which copies are evicted, which reads count as uses, and what is stored about an
// evicted object. If all copies are being refreshed when another object is needed, a place is
// found, no read value goes back to an older one, and every home knows the sharers of its objects.
#include <catch2/catch.hpp>
#include <cstdlib>
#include <vector>

#include "base/random.h"
#include "leeway/dsm.h"
#include "protocol/cache.h"
#include "test/support/clusters.h"

using namespace leeway;
using testing::run_sim;

namespace {

constexpr std::uint32_t kPlaces = kLeastCacheCapacity;
constexpr std::uint32_t kObjects = 64;

/// Node 0 is a home that answers slowly, node 1 reads through a small cache, node 2 is a home that
/// answers fast.
struct Cast {
  Node& node;
  Dsm<std::uint64_t> dsm;

  [[nodiscard]] Handle of(std::uint32_t home, std::uint32_t index) {
    return dsm.resolve({NodeId(home), LocalIndex(index)}).value();
  }
  void store_all(std::uint64_t value) {
    for (std::uint32_t i = 0; i < dsm.local_count(); ++i) dsm.store(Handle(i), value + i);
  }
  /// Reads every object until its copy is current.
  void expect_fresh(std::uint64_t value) {
    node.quiesce();
    for (std::uint32_t i = 0; i < kObjects && node.self() == NodeId(1); ++i) {
      for (const std::uint32_t home : {0u, 2u}) {
        (void)dsm.fetch(of(home, i));
        std::uint64_t got = dsm.fetch(of(home, i));
        for (int turn = 0; turn < 100 && got != value + i; ++turn) {
          node.transport().charge({.vertices = 1000});
          node.progress();
          got = dsm.fetch(of(home, i));
        }
        REQUIRE(got == value + i);
      }
    }
    node.quiesce();
  }
};

void play(const char* mode, Optimizations optimizations, const std::function<void(Cast&)>& reader) {
  NodeOptions options;
  options.policy = parse_policy(mode).value();
  options.policy.optimizations = optimizations;
  options.service = Service::Inline;  // node 0 sends no answers while it computes
  const SimReport report = run_sim({.nodes = 3}, options, [&](Node& node) {
    SpaceOptions space;
    space.local_objects = node.self() == NodeId(1) ? 0 : kObjects;
    space.remote_objects = 2 * kObjects;
    space.cache_capacity = kPlaces;
    Cast cast{node, Dsm<std::uint64_t>::open(node, space).value()};
    cast.store_all(100);
    node.barrier();
    if (node.self() == NodeId(1)) {
      for (std::uint32_t i = 0; i < kPlaces; ++i) REQUIRE(cast.dsm.fetch(cast.of(0, i)) == 100 + i);
    }
    node.relaxed_barrier();
    if (node.self() == NodeId(0)) cast.store_all(200);
    node.relaxed_barrier();
    if (node.self() == NodeId(0)) node.transport().charge({.vertices = 1'000'000});
    if (node.self() == NodeId(1)) reader(cast);
    node.barrier();
    if (node.self() == NodeId(2)) cast.store_all(200);
    cast.expect_fresh(200);
    cast.store_all(300);
    cast.expect_fresh(300);  // every home still has node 1 as a sharer
  });
  INFO(report.detail);
  REQUIRE(report.outcome == SimOutcome::Finished);
}

}  // namespace

TEST_CASE("a miss finds a place while every copy is being refreshed") {
  for (const bool flattening : {true, false}) {
    play("rcp", {.flattening = flattening}, [](Cast& cast) {
      for (std::uint32_t i = 0; i < kPlaces; ++i) {
        const std::uint64_t got = cast.dsm.fetch(cast.of(0, i));
        REQUIRE((got == 100 + i || got == 200 + i));
      }
      for (std::uint32_t i = 0; i < kObjects; ++i)
        REQUIRE(cast.dsm.fetch(cast.of(2, i)) == 100 + i);
    });
  }
}

TEST_CASE("a miss finds a place while a thread waits for each copy") {
  for (const bool flattening : {true, false}) {
    play("stale-0", {.flattening = flattening}, [](Cast& cast) {
      std::uint32_t left = kPlaces;
      for (std::uint32_t i = 0; i < kPlaces; ++i) {
        cast.node.transport().spawn("reader", [&, i] {
          REQUIRE(cast.dsm.fetch(cast.of(0, i)) == 200 + i);
          --left;
          cast.node.transport().wake();
        });
      }
      cast.node.transport().charge({.vertices = 100});  // gives the threads time to begin
      for (std::uint32_t i = 0; i < kObjects; ++i)
        REQUIRE(cast.dsm.fetch(cast.of(2, i)) == 100 + i);
      cast.node.wait_until([&] { return left == 0; });
    });
  }
}

TEST_CASE("a node reads its own stores to remote objects through a small cache") {
  constexpr std::uint32_t kRounds = 40;
  NodeOptions options;
  options.policy = parse_policy("rcp").value();
  options.policy.optimizations.collocation = false;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SimOptions sim{.nodes = 3, .seed = seed};
    sim.profile = parse_profile("ec2").value();
    const SimReport report = run_sim(sim, options, [&](Node& node) {
      SpaceOptions space;
      space.local_objects = node.self() == NodeId(1) ? 0 : kObjects;
      space.remote_objects = 2 * kObjects;
      space.cache_capacity = kPlaces;
      auto dsm = Dsm<std::uint64_t>::open(node, space).value();
      node.barrier();
      if (node.self() == NodeId(1)) {
        Random random(seed);
        std::vector<std::uint64_t> last(2 * kObjects, 0);
        for (std::uint32_t step = 0; step < kRounds * kObjects; ++step) {
          const auto which = static_cast<std::uint32_t>(random.below(2 * kObjects));
          const Handle handle = dsm.resolve({NodeId(which % 2 * 2), LocalIndex(which / 2)}).value();
          if (random.chance(0.5))
            dsm.store(handle, last[which] = step + 1);
          else if (random.chance(0.5))
            dsm.prefetch(std::span(&handle, 1));
          REQUIRE(dsm.fetch(handle) == last[which]);
        }
      }
      node.barrier();
    });
    INFO("seed " << seed << ": " << report.detail);
    REQUIRE(report.outcome == SimOutcome::Finished);
  }
}

TEST_CASE("a push does not count as a use of the copy") {
  NodeOptions options;
  options.policy = parse_policy("scp+pb").value();
  const SimReport report = run_sim({.nodes = 2}, options, [](Node& node) {
    SpaceOptions space;
    space.local_objects = node.self() == NodeId(0) ? kObjects : 0;
    space.remote_objects = kObjects;
    space.cache_capacity = kPlaces;
    auto dsm = Dsm<std::uint64_t>::open(node, space).value();
    const auto fetch = [&](std::uint32_t i) {
      return dsm.fetch(ObjectId(NodeId(0), LocalIndex(i)));
    };
    if (node.self() == NodeId(1)) {
      for (std::uint32_t i = 0; i < kPlaces; ++i) (void)fetch(i);
    }
    node.barrier();
    for (std::uint64_t turn = 1; turn <= 5 && node.self() == NodeId(0); ++turn)
      dsm.store(Handle(0), turn);
    node.barrier();
    if (node.self() == NodeId(1)) {
      REQUIRE(dsm.stats().cache.pushes > 0);
      (void)fetch(kPlaces);  // evicts the pushed copy, which is least recently read
      const std::uint64_t misses = dsm.stats().accesses.cache_misses;
      for (std::uint32_t i = 1; i <= kPlaces; ++i) (void)fetch(i);
      REQUIRE(dsm.stats().accesses.cache_misses == misses);
      REQUIRE(fetch(0) == 5);
      REQUIRE(dsm.stats().accesses.cache_misses == misses + 1);
    }
    node.barrier();
  });
  INFO(report.detail);
  REQUIRE(report.outcome == SimOutcome::Finished);
}

TEST_CASE("the answer to a refresh does not restore an evicted copy") {
  play("rcp", {}, [](Cast& cast) {
    REQUIRE(cast.dsm.fetch(cast.of(0, 0)) ==
            100);  // stale: requests a refresh from node 0, which is slow
    for (std::uint32_t i = 0; i < kPlaces; ++i) (void)cast.dsm.fetch(cast.of(2, i));
    cast.node.transport().charge({.vertices = 3'000'000});
    cast.node.progress();
    const std::uint64_t misses = cast.dsm.stats().accesses.cache_misses;
    for (std::uint32_t i = 0; i < kPlaces; ++i)
      REQUIRE(cast.dsm.fetch(cast.of(2, i)) == 100 + i);  // all are still cached
    REQUIRE(cast.dsm.stats().accesses.cache_misses == misses);
  });
}

TEST_CASE("more reading threads than half of the places, and than all places") {
  for (const std::string mode : {"scp", "scp+rw", "stale-1", "rcp", "rcp+push"}) {
    for (const std::uint32_t threads : {kPlaces / 2 + 1, kPlaces, 3 * kPlaces}) {
      INFO(mode << ", " << threads << " threads");
      NodeOptions options;
      options.policy = parse_policy(mode).value();
      const SimReport report = run_sim({.nodes = 3, .seed = threads}, options, [&](Node& node) {
        SpaceOptions space;
        space.local_objects = node.self() == NodeId(1) ? 0 : kObjects;
        space.remote_objects = 2 * kObjects;
        space.cache_capacity = kPlaces;
        auto dsm = Dsm<std::uint64_t>::open(node, space).value();
        for (std::uint32_t i = 0; i < dsm.local_count(); ++i) dsm.store(Handle(i), 1000 * i);
        node.barrier();
        std::uint32_t left = node.self() == NodeId(1) ? threads : 0;
        for (std::uint32_t thread = 0; thread < left; ++thread) {
          node.transport().spawn("reader", [&, thread] {
            Random random(thread);
            for (int step = 0; step < 50; ++step) {
              const auto which = static_cast<std::uint32_t>(random.below(2 * kObjects));
              const ObjectId id{NodeId(which % 2 * 2), LocalIndex(which / 2)};
              const std::uint64_t got = dsm.fetch(id);
              REQUIRE(got / 1000 == which / 2);
            }
            --left;
            node.transport().wake();
          });
        }
        for (std::uint64_t turn = 1; turn <= 20; ++turn) {
          for (std::uint32_t i = 0; i < dsm.local_count(); ++i)
            dsm.store(Handle(i), 1000 * i + turn);
          node.transport().charge({.vertices = 1000});
        }
        node.wait_until([&] { return left == 0; });
        node.barrier();
      });
      INFO(report.detail);
      REQUIRE(report.outcome == SimOutcome::Finished);
    }
  }
}

TEST_CASE("an evicted object costs only its id, at the reader and at its home") {
  constexpr std::uint32_t kMany = 40'000;
  NodeOptions options;
  options.policy = parse_policy("rcp").value();
  const SimReport report = run_sim({.nodes = 2}, options, [](Node& node) {
    SpaceOptions space;
    space.local_objects = node.self() == NodeId(0) ? kMany : 0;
    space.remote_objects = kMany;
    space.cache_capacity = kPlaces;
    auto dsm = Dsm<std::uint64_t>::open(node, space).value();
    for (std::uint32_t i = 0; i < dsm.local_count(); ++i) dsm.set_initial(LocalIndex(i), i);
    node.barrier();
    const std::size_t before = dsm.stats().bytes;
    if (node.self() == NodeId(1)) {
      for (std::uint32_t turn = 0; turn < 2; ++turn) {
        for (std::uint32_t i = 0; i < kMany; i += 1 + turn)
          REQUIRE(dsm.fetch(ObjectId(NodeId(0), LocalIndex(i))) == i);
      }
      REQUIRE(dsm.space().cache().slot_count() <= 2 * kPlaces + 1);
      REQUIRE(dsm.space().cache().bytes() < 8192);
    }
    node.barrier();
    constexpr std::size_t kName = 2 * (sizeof(ObjectId) + 2 * sizeof(std::uint32_t));
    const std::size_t table = std::size_t{4} << 20;  // the index by id grows in steps of huge pages
    REQUIRE(dsm.stats().bytes <= before + kMany * kName + table);
    if (node.self() == NodeId(0)) REQUIRE(dsm.stats().bytes < before + 8192);
  });
  INFO(report.detail);
  REQUIRE(report.outcome == SimOutcome::Finished);
}

TEST_CASE("slots reused for other objects never return their values, in every mode") {
  for (const std::string mode : {"scp", "scp+pb", "stale-2", "rcp", "rcp+push"}) {
    for (std::uint64_t seed = 1; seed <= 8; ++seed) {
      NodeOptions options;
      options.policy = parse_policy(mode).value();
      options.policy.optimizations.flattening = seed % 2 == 0;
      SimOptions sim{.nodes = 3, .seed = seed};
      sim.profile = parse_profile("ec2").value();
      const SimReport report = run_sim(sim, options, [&](Node& node) {
        constexpr std::uint32_t kEach = 300;
        SpaceOptions space;
        space.local_objects = kEach;
        space.remote_objects = 2 * kEach;
        space.cache_capacity = kPlaces;
        auto dsm = Dsm<std::uint64_t>::open(node, space).value();
        for (std::uint32_t i = 0; i < kEach; ++i) dsm.store(Handle(i), i * 1000);
        node.barrier();
        Random random(seed * 3 + node.self().value());
        std::vector<std::uint64_t> seen(3 * kEach, 0);
        std::uint64_t written = 0;
        for (int step = 0; step < 1500; ++step) {
          const auto object = static_cast<std::uint32_t>(random.below(kEach));
          const auto home = static_cast<std::uint32_t>(random.below(3));
          if (home == node.self().value()) {
            if (written < 900) dsm.store(Handle(object), object * 1000 + ++written);
            continue;
          }
          const ObjectId id{NodeId(home), LocalIndex(object)};
          if (random.chance(0.2)) dsm.prefetch(std::span(&id, 1));
          const std::uint64_t got = dsm.fetch(id);
          REQUIRE(got / 1000 == object);
          REQUIRE(got % 1000 >= seen[home * kEach + object]);
          seen[home * kEach + object] = got % 1000;
        }
        node.barrier();
      });
      INFO(mode << ", seed " << seed << ": " << report.detail);
      REQUIRE(report.outcome == SimOutcome::Finished);
    }
  }
}
