// A reader that waits for changes is notified of changes to copies that a small cache has evicted,
// and of no others.
#include <algorithm>
#include <catch2/catch.hpp>
#include <vector>

#include "leeway/dsm.h"
#include "test/support/clusters.h"

using namespace leeway;
using testing::run_sim;

namespace {

constexpr std::uint32_t kPlaces = kLeastCacheCapacity;
constexpr std::uint32_t kObjects = 3 * kPlaces;

/// Node 1 reads objects of node 0 through a small cache and collects change notifications.
struct Reader {
  Node& node;
  Dsm<std::uint64_t> dsm;

  std::uint64_t fetch(std::uint32_t object) {
    return dsm.fetch(ObjectId(NodeId(0), LocalIndex(object)));
  }
  [[nodiscard]] bool holds(std::uint32_t object) {
    return dsm.space().age(met(object)) != Space::kUnusable;
  }
  /// The objects reported as changed since the last call, in ascending order.
  std::vector<std::uint32_t> changed() {
    std::vector<MetIndex> taken;
    dsm.space().take_changed([&](MetIndex met) { taken.push_back(met); });
    std::vector<std::uint32_t> objects;
    for (std::uint32_t i = 0; i < kObjects; ++i) {
      if (std::find(taken.begin(), taken.end(), met(i)) != taken.end()) objects.push_back(i);
    }
    return objects;
  }

 private:
  MetIndex met(std::uint32_t object) {
    return MetIndex(dsm.resolve({NodeId(0), LocalIndex(object)}).value().value() -
                    dsm.local_count());
  }
};

/// Node 0 stores 1 to object 0 between the two steps of node 1.
template <class First, class Second>
void play(const char* mode, Eviction eviction, const First& before, const Second& after) {
  NodeOptions options;
  options.policy = parse_policy(mode).value();
  options.service = Service::Inline;
  const SimReport report = run_sim({.nodes = 2}, options, [&](Node& node) {
    SpaceOptions space;
    space.local_objects = node.self() == NodeId(0) ? kObjects : 0;
    space.remote_objects = kObjects;
    space.cache_capacity = kPlaces;
    space.eviction = eviction;
    space.note_changes = true;
    space.invalidate_evicted = true;
    Reader reader{node, Dsm<std::uint64_t>::open(node, space).value()};
    node.relaxed_barrier();
    if (node.self() == NodeId(1)) before(reader);
    node.relaxed_barrier();
    if (node.self() == NodeId(0)) reader.dsm.store(Handle(0), 1);
    node.relaxed_barrier();
    if (node.self() == NodeId(1)) after(reader);
    node.relaxed_barrier();
  });
  INFO(report.detail);
  REQUIRE(report.outcome == SimOutcome::Finished);
}

void read_all_but_the_first(Reader& reader) {
  for (std::uint32_t i = 1; i < kObjects; ++i) REQUIRE(reader.fetch(i) == 0);
}

}  // namespace

TEST_CASE("a change of an object is reported after its copy was evicted") {
  for (const char* mode : {"scp", "scp+pb", "stale-0", "rcp", "rcp+push"}) {
    for (const Eviction eviction : {Eviction::Lru, Eviction::Clock}) {
      INFO(mode);
      play(
          mode, eviction,
          [](Reader& reader) {
            REQUIRE(reader.fetch(0) == 0);
            read_all_but_the_first(reader);
            REQUIRE_FALSE(reader.holds(0));
            (void)reader.changed();
          },
          [](Reader& reader) {
            REQUIRE_FALSE(reader.holds(0));
            REQUIRE(reader.changed() == std::vector<std::uint32_t>{0});
            REQUIRE(reader.fetch(0) == 1);
            REQUIRE(reader.changed().empty());
          });
    }
  }
}

TEST_CASE("an evicted copy that is fetched again unchanged is not reported") {
  for (const char* mode : {"scp", "rcp", "rcp+push"}) {
    play(
        mode, Eviction::Lru,
        [](Reader& reader) {
          REQUIRE(reader.fetch(0) == 0);
          read_all_but_the_first(reader);
          (void)reader.changed();
          for (std::uint32_t turn = 0; turn < 3; ++turn) {
            REQUIRE(reader.fetch(0) == 0);
            read_all_but_the_first(reader);
          }
          REQUIRE(reader.changed().empty());
        },
        [](Reader&) {});
  }
}

TEST_CASE("an evicted stale copy is reported as changed to its reader") {
  play(
      "stale-3", Eviction::Lru, [](Reader& reader) { REQUIRE(reader.fetch(0) == 0); },
      [](Reader& reader) {
        REQUIRE(reader.fetch(0) == 0);  // stale, and no refresh was requested
        REQUIRE(reader.holds(0));
        (void)reader.changed();
        for (std::uint32_t i = 1; i <= kPlaces; ++i) (void)reader.fetch(i);
        REQUIRE_FALSE(reader.holds(0));
        const auto changed = reader.changed();
        REQUIRE(std::find(changed.begin(), changed.end(), 0) != changed.end());
        REQUIRE(reader.fetch(0) == 1);
      });
}
