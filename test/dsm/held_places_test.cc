// Lock-free readers of a bounded cache: one place that is reused for another object, in every
// interleaving of the atomic operations. Also the hit rates of the eviction policies.
#include "dsm/copy_marks.h"

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <list>
#include <memory>
#include <vector>

#include "base/random.h"
#include "leeway/dsm.h"
#include "test/support/buffered_threads.h"
#include "test/support/clusters.h"

using namespace leeway;
using testing::BufferedRef;
using testing::Exploration;
using testing::explore;
using testing::run_sim;
using testing::Scenario;

namespace {

enum class Fault { None, KeepsGeneration, LooksOnce, DoesNotLookAgain, PutsValueFirst };

/// Two copies that share one place: the shipped code, or a faulty version of it.
template <Fault kFault>
class Held {
  using Number = BufferedRef<std::uint32_t>;
  using Shipped = BasicHeldPlaces<BufferedRef>;

 public:
  std::optional<Shipped::Look> look(MetIndex met) {
    if constexpr (kFault == Fault::None || kFault == Fault::PutsValueFirst ||
                  kFault == Fault::DoesNotLookAgain) {
      return shipped_.look(met);
    } else {
      const std::uint32_t held = Number(places_[met.index()]).load(std::memory_order_acquire);
      if (held == 0) return std::nullopt;
      const Shipped::Look look{held - 1, Number(generation_).load(std::memory_order_acquire)};
      if (kFault != Fault::LooksOnce &&
          Number(places_[met.index()]).load(std::memory_order_acquire) != held)
        return std::nullopt;
      return look;
    }
  }
  bool still(const Shipped::Look& look) {
    if constexpr (kFault == Fault::DoesNotLookAgain) return true;
    if constexpr (kFault == Fault::None || kFault == Fault::PutsValueFirst) {
      return shipped_.still(look);
    } else {
      return Number(generation_).load(std::memory_order_relaxed) == look.generation;
    }
  }
  void give(MetIndex met) {
    shipped_.give(met, 0);
    Number(places_[met.index()]).store(1, std::memory_order_release);
  }
  void take(MetIndex met) {
    if constexpr (kFault == Fault::None || kFault == Fault::PutsValueFirst ||
                  kFault == Fault::DoesNotLookAgain) {
      shipped_.take(met, 0);
    } else {
      Number(places_[met.index()]).store(0, std::memory_order_release);
      if (kFault == Fault::KeepsGeneration) return;
      const std::uint32_t generation = Number(generation_).load(std::memory_order_relaxed);
      Number(generation_).store(generation + 1, std::memory_order_release);
    }
  }
  static constexpr bool kPutsValueFirst = kFault == Fault::PutsValueFirst;

 private:
  Shipped shipped_ = Shipped::make(2, 1).value();
  std::array<std::uint32_t, 2> places_{};  // used by some faulty versions
  std::uint32_t generation_ = 0;
};

template <class Held>
struct Cache {
  using Word = BufferedRef<std::uint64_t>;

  Held held;
  std::uint64_t value = 0;

  /// Reuses the place of one copy for the other; `next` identifies the new copy.
  void replace(std::uint32_t from, std::uint32_t to, std::uint64_t next) {
    if (Held::kPutsValueFirst) Word(value).store(next, std::memory_order_release);
    held.take(MetIndex(from));
    if (!Held::kPutsValueFirst) Word(value).store(next, std::memory_order_release);
    held.give(MetIndex(to));
  }
  /// The copy's value; 0 if it is not cached.
  std::uint64_t read(std::uint32_t met) {
    const auto look = held.look(MetIndex(met));
    if (!look) return 0;
    const std::uint64_t found = Word(value).load(std::memory_order_acquire);
    return held.still(*look) ? found : 0;
  }
};

/// Copy 0 has the values 10 and 11, copy 1 has 20.
template <Fault kFault>
Exploration explore_reads() {
  return explore([] {
    const auto cache = std::make_shared<Cache<Held<kFault>>>();
    const auto seen = std::make_shared<std::array<std::uint64_t, 2>>();
    cache->value = 10;
    cache->held.give(MetIndex(0));
    Scenario scenario;
    scenario.threads.push_back([=] {
      cache->replace(0, 1, 20);
      cache->replace(1, 0, 11);
    });
    for (const std::uint32_t met : {0u, 1u})
      scenario.threads.push_back([=] { (*seen)[met] = cache->read(met); });
    scenario.holds = [=] {
      const auto [first, second] = *seen;
      return (first == 0 || first == 10 || first == 11) && (second == 0 || second == 20);
    };
    return scenario;
  });
}

/// Node 1 reads objects of node 0 in the order of `trace` through a small cache. Calls
/// `each(object, hit)` after each read; the miss counter determines `hit`.
template <class Each>
void read_through(const std::vector<std::uint32_t>& trace, std::uint32_t objects,
                  std::uint32_t places, Eviction eviction, const Each& each) {
  NodeOptions options;
  options.policy = parse_policy("rcp").value();
  const SimReport report = run_sim({.nodes = 2}, options, [&](Node& node) {
    SpaceOptions space;
    space.local_objects = node.self() == NodeId(0) ? objects : 0;
    space.remote_objects = objects;
    space.cache_capacity = places;
    space.eviction = eviction;
    auto dsm = Dsm<std::uint64_t>::open(node, space).value();
    node.barrier();
    if (node.self() == NodeId(1)) {
      auto view = dsm.view();
      for (std::size_t i = 0; i < trace.size(); ++i) {
        const ObjectId object{NodeId(0), LocalIndex(trace[i])};
        const std::uint64_t before = dsm.stats().accesses.cache_misses;
        // Alternates between the two read functions.
        (void)(i % 2 == 0 ? dsm.fetch(object) : view.fetch(object));
        each(trace[i], dsm.stats().accesses.cache_misses == before);
      }
    }
    node.barrier();
  });
  INFO(report.detail);
  REQUIRE(report.outcome == SimOutcome::Finished);
}

/// A trace in which some objects are far more frequent than others.
std::vector<std::uint32_t> skewed_trace(std::uint32_t objects, std::size_t length,
                                        std::uint64_t seed) {
  Random random(seed);
  std::vector<std::uint32_t> trace;
  for (std::size_t i = 0; i < length; ++i) {
    const double place = std::pow(random.unit(), 3) * objects;
    trace.push_back(std::min(static_cast<std::uint32_t>(place), objects - 1));
  }
  return trace;
}

/// Reference model of LRU: a list, most recent first.
class ListOfCopies {
 public:
  explicit ListOfCopies(std::size_t places) : places_(places) {}
  bool read(std::uint32_t object) {
    const auto found = std::find(copies_.begin(), copies_.end(), object);
    const bool hit = found != copies_.end();
    if (hit) copies_.erase(found);
    if (!hit && copies_.size() == places_) copies_.pop_back();
    copies_.push_front(object);
    return hit;
  }

 private:
  std::size_t places_;
  std::list<std::uint32_t> copies_;
};

}  // namespace

TEST_CASE("a lock-free read of a bounded cache never returns another object's value") {
  const Exploration all = explore_reads<Fault::None>();
  CHECK_FALSE(all.wrong());
  CHECK(all.runs > 50);
}

TEST_CASE("each faulty read returns another object's value") {
  CHECK(explore_reads<Fault::KeepsGeneration>().wrong());
  CHECK(explore_reads<Fault::LooksOnce>().wrong());
  CHECK(explore_reads<Fault::DoesNotLookAgain>().wrong());
  CHECK(explore_reads<Fault::PutsValueFirst>().wrong());
}

TEST_CASE("the exact LRU cache has the contents of a list of the last reads after every read") {
  constexpr std::uint32_t kObjects = 100;
  for (const std::uint32_t places : {kLeastCacheCapacity, 30u, 99u, 100u}) {
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      ListOfCopies expected(places);
      std::size_t wrong = 0;
      read_through(skewed_trace(kObjects, 2000, seed), kObjects, places, Eviction::Lru,
                   [&](std::uint32_t object, bool hit) {
                     if (expected.read(object) != hit) ++wrong;
                   });
      CHECK(wrong == 0);
    }
  }
}

TEST_CASE("the clock policy misses little more often than exact LRU") {
  constexpr std::uint32_t kObjects = 400;
  constexpr std::uint32_t kPlaces = 60;
  const auto trace = skewed_trace(kObjects, 10'000, 1);
  std::array<std::size_t, 2> misses{};
  for (const Eviction eviction : {Eviction::Lru, Eviction::Clock}) {
    read_through(trace, kObjects, kPlaces, eviction, [&](std::uint32_t, bool hit) {
      misses[eviction == Eviction::Clock ? 1 : 0] += hit ? 0 : 1;
    });
  }
  CHECK(static_cast<double>(misses[1]) < 1.1 * static_cast<double>(misses[0]));
}
