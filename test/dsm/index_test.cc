// The two structures that readers traverse without a lock: the queue of indices to drain, and the
// table from ids to slots.
#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>
#include <map>
#include <set>
#include <thread>
#include <vector>

#include "base/random.h"
#include "dsm/copy_marks.h"
#include "dsm/id_index.h"

using namespace leeway;

namespace {

std::vector<std::uint32_t> drained(IndexQueue& queue) {
  std::vector<std::uint32_t> indices;
  queue.drain([&](std::uint32_t index) { indices.push_back(index); });
  return indices;
}

}  // namespace

TEST_CASE("a drained queue returns each added index once, in order") {
  for (const std::uint32_t universe : {1u, 63u, 64u, 65u, 4096u, 4097u, 300'000u}) {
    auto queue = IndexQueue::make(universe).value();
    REQUIRE(drained(queue).empty());
    Random random(universe);
    for (int round = 0; round < 20; ++round) {
      std::set<std::uint32_t> expected;
      for (int i = 0; i < 50; ++i) {
        const auto index = static_cast<std::uint32_t>(random.below(universe));
        REQUIRE(queue.add(index) == expected.insert(index).second);
      }
      REQUIRE(drained(queue) == std::vector(expected.begin(), expected.end()));
      REQUIRE(drained(queue).empty());
    }
  }
}

TEST_CASE("an empty queue can be drained") {
  auto queue = IndexQueue::make(0).value();
  CHECK(drained(queue).empty());
}

TEST_CASE("no index added by three threads is lost by concurrent drains") {
  constexpr std::uint32_t kUniverse = 10'000;
  auto queue = IndexQueue::make(kUniverse).value();
  std::vector<std::atomic<std::uint32_t>> added(kUniverse);
  std::vector<std::uint32_t> taken(kUniverse, 0);
  std::atomic<int> adding{3};
  std::vector<std::thread> threads;
  for (std::uint64_t thread = 0; thread < 3; ++thread) {
    threads.emplace_back([&, thread] {
      Random random(7, thread);
      for (int i = 0; i < 200'000; ++i) {
        const auto index = static_cast<std::uint32_t>(random.below(kUniverse));
        if (queue.add(index)) added[index].fetch_add(1);
      }
      --adding;
    });
  }
  const auto count = [&](std::uint32_t index) { ++taken[index]; };
  while (adding > 0) queue.drain(count);
  queue.drain(count);
  for (auto& thread : threads) thread.join();
  queue.drain(count);
  // The number of successful adds of an index must equal the number of times it was drained.
  std::uint32_t wrong = 0;
  for (std::uint32_t i = 0; i < kUniverse; ++i) wrong += added[i].load() != taken[i] ? 1 : 0;
  CHECK(wrong == 0);
}

TEST_CASE("ids map to their slots once inserted, and to none before") {
  IdIndex index(3);
  std::map<std::uint64_t, MetIndex> model;
  Random random(5);
  for (std::uint32_t slot = 0; slot < 3000; ++slot) {
    const ObjectId id(NodeId(static_cast<std::uint32_t>(random.below(3))),
                      LocalIndex(static_cast<std::uint32_t>(random.below(1'000'000))));
    const auto known = model.find(id.value());
    REQUIRE(index.find(id).has_value() == (known != model.end()));
    if (known != model.end()) continue;
    REQUIRE(index.insert(id, MetIndex(slot)));
    model.emplace(id.value(), MetIndex(slot));
    REQUIRE(index.find(id) == MetIndex(slot));
  }
  for (std::uint32_t home = 0; home < 3; ++home) {
    REQUIRE_FALSE(index.find({NodeId(home), LocalIndex(~std::uint32_t{0})}).has_value());
  }
}

TEST_CASE("ids are found without a lock while the table grows") {
  constexpr std::uint32_t kIds = 300'000;
  IdIndex index(1);
  std::atomic<std::uint32_t> inserted{0};
  std::atomic<int> wrong{0};
  std::vector<std::thread> readers;
  for (std::uint64_t reader = 0; reader < 2; ++reader) {
    readers.emplace_back([&, reader] {
      Random random(3, reader);
      while (inserted.load() < kIds) {
        const std::uint32_t known = inserted.load();
        const auto at = static_cast<std::uint32_t>(random.below(kIds));
        const auto slot = index.find({NodeId(0), LocalIndex(at)});
        if (at < known && slot != MetIndex(at)) ++wrong;
        if (slot && *slot != MetIndex(at)) ++wrong;
      }
    });
  }
  for (std::uint32_t i = 0; i < kIds; ++i) {
    REQUIRE(index.insert({NodeId(0), LocalIndex(i)}, MetIndex(i)));
    inserted = i + 1;
  }
  for (auto& reader : readers) reader.join();
  CHECK(wrong == 0);
}
