// A bounded cache that knows in which order its program reads (Eviction::Known): which copy it evicts, and that it misses as
// rarely as the best cache of its size.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <map>
#include <numeric>
#include <set>
#include <vector>

#include "base/random.h"
#include "dsm/bounded_copies.h"
#include "leeway/dsm.h"
#include "test/support/clusters.h"

using namespace leeway;
using testing::finish_sim;

namespace {

/// An order of reads that is repeated: the object that is read at each position.
struct CyclicReads {
  std::vector<std::uint32_t> objects;

  /// The first position from `from` on at which the object is read, counting on after the last one.
  [[nodiscard]] std::uint64_t next(std::uint32_t object, std::uint64_t from) const {
    while (objects[from % objects.size()] != object) ++from;
    return from;
  }
  [[nodiscard]] std::uint32_t position_of_next(std::uint32_t object, std::uint64_t from) const {
    return static_cast<std::uint32_t>(next(object, from) % objects.size());
  }
};

CyclicReads drawn_reads(Random& random, std::uint32_t objects) {
  CyclicReads reads;
  reads.objects.resize(objects);
  std::iota(reads.objects.begin(), reads.objects.end(), 0u);
  for (std::uint32_t more = static_cast<std::uint32_t>(random.below(2 * objects)); more > 0; --more)
    reads.objects.push_back(static_cast<std::uint32_t>(random.below(objects)));
  for (std::size_t i = reads.objects.size(); i > 1; --i)
    std::swap(reads.objects[i - 1], reads.objects[random.below(i)]);
  return reads;
}

/// The misses of a cache that evicts what is read last from now (Belady, 1966).
std::uint64_t best_misses(const CyclicReads& reads, std::uint64_t count, std::size_t capacity) {
  std::set<std::uint32_t> held;
  std::uint64_t misses = 0;
  for (std::uint64_t now = 0; now < count; ++now) {
    const std::uint32_t object = reads.objects[now % reads.objects.size()];
    if (held.contains(object)) continue;
    ++misses;
    if (held.size() == capacity) {
      held.erase(*std::max_element(held.begin(), held.end(), [&](std::uint32_t a, std::uint32_t b) {
        return reads.next(a, now) < reads.next(b, now);
      }));
    }
    held.insert(object);
  }
  return misses;
}

}  // namespace

TEST_CASE("the place that is read last from now") {
  Random random(5);
  for (int round = 0; round < 200; ++round) {
    const auto places = static_cast<std::uint32_t>(1 + random.below(20));
    const auto positions = static_cast<std::uint32_t>(1 + random.below(200));
    NextReads order(places, positions);
    std::map<std::uint32_t, std::uint32_t> model;  // position by place
    for (int step = 0; step < 200; ++step) {
      const auto place = static_cast<std::uint32_t>(random.below(places));
      if (random.chance(0.3) && model.contains(place)) {
        order.remove(place);
        model.erase(place);
      } else {
        model[place] = static_cast<std::uint32_t>(random.below(positions + 1));
        order.put(place, model[place]);
      }
      REQUIRE(order.contains(place) == model.contains(place));
      if (model.empty()) continue;
      const auto now = static_cast<std::uint32_t>(random.below(positions));
      const auto distance = [&](std::uint32_t at) {
        if (at == positions) return 2 * positions;
        return at >= now ? at - now : at + positions - now;
      };
      std::uint32_t most = 0;
      for (const auto& [each, at] : model) most = std::max(most, distance(at));
      REQUIRE(distance(model.at(order.last(now))) == most);
    }
  }
}

TEST_CASE("a cache that knows its reads misses as rarely as possible") {
  constexpr std::uint32_t kObjects = 48;
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    Random random(seed);
    const CyclicReads reads = drawn_reads(random, kObjects);
    const auto capacity = kLeastCacheCapacity + static_cast<std::uint32_t>(random.below(30));
    const std::uint64_t count = 6 * reads.objects.size();
    INFO("seed " << seed << ", capacity " << capacity);
    NodeOptions how;
    how.policy = parse_policy("rcp").value();
    finish_sim({.nodes = 2}, how, [&](Node& node) {
      SpaceOptions options;
      options.local_objects = node.self() == NodeId(0) ? kObjects : 0;
      options.remote_objects = kObjects;
      options.cache_capacity = capacity;
      options.eviction = Eviction::Known;
      options.read_positions = static_cast<std::uint32_t>(reads.objects.size());
      auto dsm = Dsm<std::uint64_t>::open(node, options).value();
      for (std::uint32_t i = 0; i < dsm.local_count(); ++i) dsm.store(Handle(i), i + 100);
      node.relaxed_barrier();
      if (node.self() == NodeId(1)) {
        std::vector<NextRead> first;
        for (std::uint32_t i = 0; i < kObjects; ++i) {
          first.push_back(
              {dsm.resolve({NodeId(0), LocalIndex(i)}).value(), reads.position_of_next(i, 0)});
        }
        std::uint32_t at = 0;
        dsm.space().announce(first, {}, at);
        for (std::uint64_t now = 0; now < count; ++now) {
          const std::uint32_t object = reads.objects[at];
          REQUIRE(dsm.fetch(first[object].object) == object + 100);
          const NextRead next{first[object].object, reads.position_of_next(object, now + 1)};
          const std::uint32_t from = at;
          at = static_cast<std::uint32_t>((now + 1) % reads.objects.size());
          dsm.space().announce({&next, 1}, from, at);
        }
        dsm.space().announce({}, at, {});
        REQUIRE(dsm.stats().accesses.cache_misses == best_misses(reads, count, capacity));
      }
      node.relaxed_barrier();
    });
  }
}
