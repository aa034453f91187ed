// Stores and values of contiguous ranges of objects, which both machines handle together. For every
// order in which a sharer inserts objects, every selection that it reads, and every division of
// stores into ranges, each copy is notified of each store, and its value is that of its version.
#include <algorithm>
#include <catch2/catch.hpp>
#include <numeric>
#include <vector>

#include "base/random.h"
#include "test/support/machines.h"

using namespace leeway;
using testing::HandWired;
using testing::policy_of;

namespace {

constexpr std::uint32_t kObjects = 300;
constexpr std::uint32_t kNodes = 4;

std::uint64_t value_of(std::uint32_t object, Version version) {
  return version.value() * kObjects + object;
}

class SomeRead final : public ReadMarks {
 public:
  [[nodiscard]] bool unread(SlotIndex slot) const override { return slot.value() % 5 == 0; }
};

Policy draw_policy(Random& random) {
  const char* const modes[] = {"rcp", "rcp-1", "rcp+push", "rcp+push", "stale-2", "scp+rw"};
  Policy policy = policy_of(modes[random.below(std::size(modes))]);
  if (random.chance(0.3)) policy.updates = Updates::Always;
  return policy;
}

/// A home (node 0) and three sharers.
class Neighbours {
 public:
  explicit Neighbours(std::uint64_t seed)
      : random_(seed),
        policy_(draw_policy(random_)),
        machines_(kNodes, policy_, random_.chance(0.5) ? &marks_ : nullptr, kObjects),
        slots_(kNodes) {
    for (std::uint32_t object = 0; object < kObjects; ++object) set(object);
    const double share = random_.chance(0.5) ? 1 : 0.7;
    for (std::uint32_t node = 1; node < kNodes; ++node) {
      std::vector<std::uint32_t> objects(kObjects);
      std::iota(objects.begin(), objects.end(), 0);
      if (random_.chance(0.2)) std::swap(objects[0], objects[random_.below(kObjects)]);
      for (const std::uint32_t object : objects) {
        if (random_.chance(share)) meet(node, object);
      }
    }
    REQUIRE(machines_.settle());
  }

  void take_step() {
    const std::uint64_t dice = random_.below(10);
    if (dice < 4) return store_stretch();
    if (dice < 5) return store_one();
    if (dice < 6) return machines_.flush(0);
    if (dice < 7) return deliver_some();
    if (dice < 8) return read_stretch();
    if (dice < 9) return evict_some();
    REQUIRE(machines_.settle());
  }

  /// Checks every copy; once nothing is in flight, each must know of every store.
  void check(bool settled) {
    for (std::uint32_t node = 1; node < kNodes; ++node) {
      for (const auto& [object, slot] : slots_[node]) {
        const Cache& cache = machines_.cache(node);
        if (cache.held(slot) == kNoVersion) continue;
        CAPTURE(node, object, policy_.name);
        REQUIRE(machines_.copy(node, slot) == value_of(object, cache.held(slot)));
        REQUIRE(cache.known(slot) <= version(object));
        if (settled) REQUIRE(cache.known(slot) == version(object));
      }
    }
  }
  void end() {
    REQUIRE(machines_.settle());
    check(true);
  }

 private:
  Version version(std::uint32_t object) {
    return machines_.directory(0).version(LocalIndex(object));
  }
  void set(std::uint32_t object, std::uint64_t stores = 0) {
    machines_.value(0, object) = value_of(object, Version(version(object).value() + stores));
  }
  void meet(std::uint32_t node, std::uint32_t object) {
    const SlotIndex slot = machines_.meet(node, 0, object);
    slots_[node].emplace_back(object, slot);
    if (random_.chance(0.9)) machines_.cache(node).prefetch(slot);
  }

  void store_stretch() {
    const auto first = static_cast<std::uint32_t>(random_.below(kObjects));
    const auto count = static_cast<std::uint32_t>(1 + random_.below(kObjects - first));
    const double share = random_.chance(0.5) ? 1 : random_.chance(0.5) ? 0.5 : 0.1;
    std::vector<LocalIndex> objects;
    std::vector<std::uint32_t> times;
    for (std::uint32_t object = first; object < first + count; ++object) {
      if (!random_.chance(share)) continue;
      objects.emplace_back(object);
      times.push_back(random_.chance(0.1) ? 3 : 1);
    }
    const bool once = random_.chance(0.5);
    for (std::size_t i = 0; i < objects.size(); ++i) set(objects[i].value(), once ? 1 : times[i]);
    machines_.directory(0).wrote(objects, once ? std::span<const std::uint32_t>() : times);
  }
  void store_one() {
    const auto object = static_cast<std::uint32_t>(random_.below(kObjects));
    set(object, 1);
    machines_.directory(0).wrote(LocalIndex(object));
  }
  /// Delivers messages of one pair, so that a store can happen between the notifications of two
  /// sharers.
  void deliver_some() {
    const auto node = static_cast<std::uint32_t>(1 + random_.below(kNodes - 1));
    machines_.flush(node);
    for (int i = 0; i < 3 && machines_.under_way(node, 0) > 0; ++i)
      REQUIRE(machines_.deliver(node, 0));
    for (int i = 0; i < 3 && machines_.under_way(0, node) > 0; ++i)
      REQUIRE(machines_.deliver(0, node));
  }
  void read_stretch() {
    const auto node = static_cast<std::uint32_t>(1 + random_.below(kNodes - 1));
    for (const auto& [object, slot] : slots_[node]) (void)machines_.cache(node).fetch(slot);
    if (random_.chance(0.1)) meet_one_late(node);
  }
  /// Inserts an object out of order.
  void meet_one_late(std::uint32_t node) {
    for (std::uint32_t object = 0; object < kObjects; ++object) {
      const bool met = std::any_of(slots_[node].begin(), slots_[node].end(),
                                   [&](const auto& each) { return each.first == object; });
      if (!met) return meet(node, object);
    }
  }
  void evict_some() {
    const auto node = static_cast<std::uint32_t>(1 + random_.below(kNodes - 1));
    for (const auto& [object, slot] : slots_[node]) {
      if (random_.chance(0.05) && machines_.cache(node).held(slot) != kNoVersion)
        machines_.cache(node).evict(slot);
    }
  }

  Random random_;
  SomeRead marks_;
  Policy policy_;
  HandWired machines_;
  std::vector<std::vector<std::pair<std::uint32_t, SlotIndex>>>
      slots_;  // the slots of each node's copies
};

}  // namespace

TEST_CASE("stores to a range reach every copy, for every set and order of copies") {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    CAPTURE(seed);
    Neighbours neighbours(seed);
    for (int step = 0; step < 30; ++step) {
      neighbours.take_step();
      neighbours.check(false);
    }
    neighbours.end();
  }
}

TEST_CASE("a sweep over the objects of a sharer is one message with one run per frame") {
  HandWired machines(2, policy_of("rcp"), nullptr, kObjects);
  std::vector<LocalIndex> all;
  for (std::uint32_t object = 0; object < kObjects; ++object) {
    machines.cache(1).prefetch(machines.meet(1, 0, object));
    all.emplace_back(object);
  }
  REQUIRE(machines.settle());
  machines.directory(0).wrote(all);
  machines.directory(0).wrote(all);
  machines.flush(0);
  REQUIRE(machines.under_way(0, 1) == 1);
  REQUIRE(machines.next_size(0, 1) < 16);
  REQUIRE(machines.settle());
  REQUIRE(machines.cache(1).staleness(SlotIndex(0)) == 2);
  REQUIRE(machines.directory(0).counts().invalidations == kObjects);
  REQUIRE(machines.directory(0).counts().writes == 2 * kObjects);
  machines.flush(0);  // nothing is sent twice
  REQUIRE(machines.under_way(0, 1) == 0);
}
