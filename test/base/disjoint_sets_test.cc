// Joined sets compared with labels found by search, with and without sampling of lists.
#include "base/disjoint_sets.h"

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <thread>
#include <utility>
#include <vector>

#include "base/random.h"

using namespace leeway;

namespace {

using Lists = std::vector<std::vector<std::uint32_t>>;

/// The adjacency lists of the first `count` numbers in sequence. `sorts`: copies are last in each list.
struct Flat {
  explicit Flat(const Lists& lists, std::uint32_t count, bool sorts = false) {
    for (std::uint32_t v = 0; v < count; ++v) {
      const auto is_own = [count](std::uint32_t target) { return target < count; };
      std::vector<std::uint32_t> list = lists[v];
      const auto middle = std::stable_partition(list.begin(), list.end(), is_own);
      own.push_back(static_cast<std::uint32_t>(middle - list.begin()));
      if (!sorts) list = lists[v];
      targets.insert(targets.end(), list.begin(), list.end());
      offsets.push_back(targets.size());
    }
    view = {.count = count,
            .offsets = offsets.data(),
            .targets = targets.data(),
            .own = sorts ? own.data() : nullptr};
  }
  std::vector<std::uint32_t> own;
  std::vector<std::uint64_t> offsets{0};
  std::vector<std::uint32_t> targets;
  NeighbourLists<std::uint32_t> view;
};

/// The smallest reachable number.
std::vector<std::uint32_t> walked(const Lists& lists) {
  constexpr std::uint32_t kNone = ~0U;
  std::vector<std::uint32_t> label(lists.size(), kNone);
  for (std::uint32_t first = 0; first < lists.size(); ++first) {
    if (label[first] != kNone) continue;
    std::vector<std::uint32_t> open{first};
    label[first] = first;
    while (!open.empty()) {
      const std::uint32_t v = open.back();
      open.pop_back();
      for (const std::uint32_t next : lists[v]) {
        if (label[next] != kNone) continue;
        label[next] = first;
        open.push_back(next);
      }
    }
  }
  return label;
}

/// Three threads, each with a third of the numbers.
struct ThreeThreads {
  static constexpr bool kShared = true;
  template <class Body>
  void operator()(std::uint32_t count, const Body& body) const {
    constexpr std::uint32_t kThreads = 3;
    std::array<std::thread, kThreads> threads;
    for (std::uint32_t i = 0; i < kThreads; ++i)
      threads[i] = std::thread([&, i] {
        body(count / kThreads * i, i + 1 < kThreads ? count / kThreads * (i + 1) : count);
      });
    for (std::thread& thread : threads) thread.join();
  }
};

/// Arcs between two copies are unknown, so there are none.
Lists random_lists(Random& random, std::uint32_t count, std::uint32_t listed, std::uint64_t arcs) {
  Lists lists(count);
  for (; arcs > 0; --arcs) {
    const auto a = static_cast<std::uint32_t>(random.below(count));
    const auto b = static_cast<std::uint32_t>(random.below(count));
    if (a >= listed && b >= listed) continue;
    lists[a].push_back(b);
    lists[b].push_back(a);
  }
  return lists;
}

}  // namespace

TEST_CASE("sampled sets equal the reachable ones, for any share of copies") {
  for (std::uint64_t seed = 0; seed < 20'000; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    const auto count = static_cast<std::uint32_t>(1 + random.below(30));
    const auto listed = static_cast<std::uint32_t>(random.below(count + 1));
    const Lists lists = random_lists(random, count, listed, random.below(count * 3));
    const Flat own(lists, listed, seed % 2 == 0);
    DisjointSets sets(count);
    join_sampled(sets, own.view, Copies{listed, count - listed});
    sets.flatten();
    REQUIRE(sets.take() == walked(lists));
  }
}

TEST_CASE("sets joined by concurrent threads equal the reachable ones") {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    // Long paths and many joins at the same roots: about as many arcs as numbers, and a few hubs.
    const auto count = static_cast<std::uint32_t>(1 + random.below(20'000));
    const auto listed = static_cast<std::uint32_t>(count - random.below(count / 2 + 1));
    Lists lists = random_lists(random, count, listed, count / 2 + random.below(count));
    for (std::uint32_t v = 0; v < listed && seed % 3 == 0; v += 2) {
      lists[v].push_back(v % 7 % count);
      lists[v % 7 % count].push_back(v);
    }
    const Flat own(lists, listed, seed % 2 == 0);
    DisjointSets sets(count);
    const ThreeThreads loop;
    join_sampled(sets, own.view, Copies{listed, count - listed}, loop);
    sets.flatten(loop);
    REQUIRE(sets.take() == walked(lists));
  }
}

TEST_CASE(
    "a copy joined to the largest set stays joined when that set's root is joined to a smaller "
    "one") {
  // 1 … 5 are the largest set after two neighbours each. The third neighbour of its root 1 is the
  // copy 7. Then 6, whose third neighbour is 5, makes 0 the root.
  Lists lists(8);
  const auto join = [&](std::uint32_t a, std::uint32_t b) {
    lists[a].push_back(b);
    lists[b].push_back(a);
  };
  for (const auto& [a, b] : {std::pair(1U, 2U),
                             {2U, 3U},
                             {3U, 4U},
                             {4U, 5U},
                             {5U, 1U},
                             {0U, 6U},
                             {0U, 6U},
                             {6U, 5U},
                             {1U, 7U}})
    join(a, b);
  const Flat own(lists, 7);
  DisjointSets sets(8);
  join_sampled(sets, own.view, Copies{7, 1});
  sets.flatten();
  CHECK(sets.take() == std::vector<std::uint32_t>(8, 0));
}

TEST_CASE("arcs that are in one list only are joined one by one") {
  const Lists lists{{}, {0}, {1}, {}, {3}};
  const Flat flat(lists, 5);
  DisjointSets sets(5);
  join_all(sets, flat.view);
  sets.flatten();
  CHECK(sets.take() == std::vector<std::uint32_t>{0, 0, 0, 3, 3});
}
