// Numbers of some vertices of a large graph, and lists made from arcs in any order.
#include "runtime/graph/vertex_set.h"

#include <algorithm>
#include <bit>
#include <catch2/catch.hpp>
#include <random>
#include <set>
#include <tuple>
#include <vector>

#include "datasets/csr.h"

using namespace leeway;

TEST_CASE("a vertex set has its members, each with its rank") {
  // With few entries in a large graph it is a table, else bits.
  const std::uint64_t vertices = GENERATE(1, 63, 64, 65, 5000, 4'000'000'000);
  const std::uint64_t added = GENERATE(0, 1, 300, 20'000);
  std::mt19937_64 random(vertices + added);
  std::set<std::uint32_t> expected;
  VertexSet set(vertices, added);
  for (std::uint64_t i = 0; i < added; ++i) {
    const auto v = static_cast<std::uint32_t>(random() % vertices);
    set.add(VertexId(v));
    expected.insert(v);
  }
  set.settle();
  CHECK(set.count() == expected.size());
  std::uint32_t rank = 0;
  for (const std::uint32_t v : expected) {
    REQUIRE(set.has(VertexId(v)));
    REQUIRE(set.rank(VertexId(v)) == rank++);
  }
  for (int i = 0; i < 100; ++i) {
    const auto v = static_cast<std::uint32_t>(random());
    CHECK(set.has(VertexId(v)) == expected.contains(v));
  }
  std::vector<std::uint32_t> listed;
  set.for_each([&](VertexId v) { listed.push_back(v.value()); });
  CHECK(std::ranges::equal(listed, expected));
}

TEST_CASE("bits are counted as by the library") {
  std::mt19937_64 random(1);
  for (const std::uint64_t bits : {std::uint64_t{0}, ~std::uint64_t{0}, std::uint64_t{1} << 63U})
    CHECK(count_bits(bits) == static_cast<std::uint32_t>(std::popcount(bits)));
  for (int i = 0; i < 1000; ++i) {
    const std::uint64_t bits = random() & random();
    CHECK(count_bits(bits) == static_cast<std::uint32_t>(std::popcount(bits)));
  }
}

TEST_CASE("reversed lists have the same entries, and rows ascend") {
  const bool weighted = GENERATE(false, true);
  constexpr std::uint32_t kRows = 50;
  constexpr std::uint32_t kColumns = 30;
  using Entry = std::tuple<std::uint32_t, std::uint32_t, double>;
  std::mt19937_64 random(7);
  std::vector<Entry> entries;
  for (int i = 0; i < 400; ++i)
    entries.emplace_back(random() % kRows, random() % kColumns,
                         weighted ? static_cast<double>(i) : 0);
  const auto lists = collect(kRows, weighted, [&](auto&& use) {
                       for (const auto& [row, target, weight] : entries) use(row, target, weight);
                     }).value();
  CHECK(lists.rows() == kRows);
  CHECK(lists.weighted() == weighted);
  std::multiset<Entry> listed;
  lists.for_each(0, kRows, [&](std::uint32_t target, std::uint32_t row, double weight) {
    listed.emplace(row, target, weight);
  });
  CHECK(listed == std::multiset<Entry>(entries.begin(), entries.end()));
  const auto turned = reversed(lists, kColumns).value();
  std::multiset<Entry> back;
  for (std::uint32_t column = 0; column < kColumns; ++column) {
    CHECK(std::ranges::is_sorted(turned.row(column)));
    CHECK(turned.row_weights(column).size() == (weighted ? turned.row(column).size() : 0));
  }
  turned.for_each(0, kColumns, [&](std::uint32_t row, std::uint32_t column, double weight) {
    back.emplace(row, column, weight);
  });
  CHECK(back == listed);
}
