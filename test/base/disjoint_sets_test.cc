// Joined sets against labels found by walking, and what is skipped when lists are sampled.
#include "leeway/base/disjoint_sets.h"

#include <catch2/catch.hpp>
#include <utility>
#include <vector>

#include "leeway/base/random.h"

using namespace leeway;

namespace {

using Lists = std::vector<std::vector<std::uint32_t>>;

/// Lists one after the other, from number `first` on.
struct Flat {
  explicit Flat(const Lists& lists, std::uint32_t first = 0, std::uint32_t count = ~0U) {
    for (std::uint32_t v = first; v < lists.size() && v - first < count; ++v) {
      targets.insert(targets.end(), lists[v].begin(), lists[v].end());
      offsets.push_back(targets.size());
    }
    view = {.first = first,
            .count = static_cast<std::uint32_t>(offsets.size() - 1),
            .offsets = offsets.data(),
            .targets = targets.data()};
  }
  std::vector<std::uint64_t> offsets{0};
  std::vector<std::uint32_t> targets;
  NeighbourLists<std::uint32_t> view;
};

/// The smallest number that can be walked to.
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

}  // namespace

TEST_CASE("sampled sets are those that can be walked, with any part of the numbers copies") {
  for (std::uint64_t seed = 0; seed < 20'000; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    const auto count = static_cast<std::uint32_t>(1 + random.below(30));
    const auto listed = static_cast<std::uint32_t>(random.below(count + 1));
    Lists lists(count);
    for (std::uint64_t arc = random.below(count * 3); arc > 0; --arc) {
      const auto a = static_cast<std::uint32_t>(random.below(count));
      const auto b = static_cast<std::uint32_t>(random.below(count));
      if (a >= listed && b >= listed) continue;  // between two copies no arc is known
      lists[a].push_back(b);
      lists[b].push_back(a);
    }
    const Flat own(lists, 0, listed);
    const Flat copies(lists, listed);
    DisjointSets sets(count);
    join_sampled(sets, own.view, copies.view);
    sets.flatten();
    REQUIRE(sets.take() == walked(lists));
  }
}

TEST_CASE(
    "a copy joined to the largest set stays joined when that set's root is joined to a smaller "
    "one") {
  // 1 … 5 are the largest set after two neighbours each. The third neighbour of its root, 1, is the copy 7,
  // and 6, whose third neighbour is 5, comes after it and makes 0 the root.
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
  const Flat own(lists, 0, 7);
  const Flat copies(lists, 7);
  DisjointSets sets(8);
  join_sampled(sets, own.view, copies.view);
  sets.flatten();
  CHECK(sets.take() == std::vector<std::uint32_t>(8, 0));
}

TEST_CASE("arcs that stand in one list only are joined one by one") {
  const Lists lists{{}, {0}, {1}, {}, {3}};
  const Flat flat(lists);
  DisjointSets sets(5);
  join_all(sets, flat.view);
  sets.flatten();
  CHECK(sets.take() == std::vector<std::uint32_t>{0, 0, 0, 3, 3});
}
