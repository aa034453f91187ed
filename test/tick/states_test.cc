// The predefined queries and states.
#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <set>
#include <thread>

#include "base/box.h"
#include "base/random.h"
#include "runtime/tick/field.h"
#include "runtime/tick/table.h"

using namespace leeway;
using namespace leeway::tick;

namespace {

struct Dot {
  std::uint32_t id = 0;
  std::uint32_t unused = 0;
  double x = 0, y = 0;
};
using Dots = Table<Dot, Box>;

std::vector<Dot> some_dots(std::uint32_t count, double side, std::uint64_t seed) {
  Random random(seed);
  std::vector<Dot> dots;
  for (std::uint32_t i = 0; i < count; ++i)
    dots.push_back({i, 0, (random.unit() - 0.5) * side, (random.unit() - 0.5) * side});
  return dots;
}

/// The number of boxes that contain a place.
std::size_t holders(const std::vector<Box>& boxes, Point place) {
  std::size_t count = 0;
  for (const Box& box : boxes) count += box.holds(place) ? 1 : 0;
  return count;
}

}  // namespace

TEST_CASE("grids and quadtrees of any number of boxes tile the plane") {
  const auto dots = some_dots(500, 100, 3);
  std::vector<Point> places;
  for (const Dot& dot : dots) places.push_back({dot.x, dot.y});
  for (const std::uint32_t count : {1u, 2u, 3u, 5u, 7u, 16u, 50u, 97u}) {
    const auto grid = grid_boxes({-50, -50, 50, 50}, count);
    const auto tree = quadtree_boxes(places, count);
    REQUIRE(grid.size() == count);
    REQUIRE(tree.size() == count);
    for (const Point place : places) {
      REQUIRE(holders(grid, {place.x * 3, place.y * 3}) == 1);  // far outside the area, too
      REQUIRE(holders(tree, {place.x * 3, place.y * 3}) == 1);
    }
    std::size_t most = 0;
    for (const Box& leaf : tree) {
      std::size_t held = 0;
      for (const Point place : places) held += leaf.holds(place) ? 1 : 0;
      most = std::max(most, held);
    }
    CHECK(most <= 500 / count + 8);
  }
}

TEST_CASE("a quadtree without points, or with equal points, has the requested number of leaves") {
  CHECK(quadtree_boxes({}, 9).size() == 9);
  const std::vector<Point> same(100, Point{2, 2});
  const auto leaves = quadtree_boxes(same, 6);
  CHECK(leaves.size() == 6);
  CHECK(holders(leaves, {2, 2}) == 1);
}

TEST_CASE("boxes grow and shrink, and empty boxes stay empty") {
  const Box box{0, 0, 4, 2};
  CHECK(box.grown(1) == Box{-1, -1, 5, 3});
  CHECK(box.shrunk(1).empty());
  CHECK(box.shrunk(1).grown(5).empty());
  CHECK(Box::everywhere().shrunk(10) == Box::everywhere());
  CHECK(box.disjoint({4, 0, 5, 5}));
  CHECK_FALSE(box.disjoint({3.9, 1.9, 5, 5}));
  CHECK_FALSE(box.holds({std::nan(""), 1}));
}

TEST_CASE(
    "ranges tile a matrix, and a difference has the cells of one range without those of the "
    "other") {
  const IndexRange matrix{0, 0, 23, 17};
  for (const std::uint32_t count : {1u, 2u, 6u, 13u, 50u, 500u}) {
    std::uint64_t cells = 0;
    const auto ranges = grid_ranges(matrix, count);
    for (const IndexRange& range : ranges) cells += range.cells();
    CHECK(ranges.size() == count);
    CHECK(cells == matrix.cells());
  }
  Random random(1);
  for (int i = 0; i < 300; ++i) {
    const auto bound = [&] { return static_cast<std::int64_t>(random.below(12)); };
    const IndexRange whole{bound(), bound(), bound(), bound()};
    const IndexRange hole{bound(), bound(), bound(), bound()};
    std::vector<IndexRange> pieces;
    append_difference(whole, hole, pieces);
    for (std::int64_t row = 0; row < 12; ++row) {
      for (std::int64_t column = 0; column < 12; ++column) {
        const auto in = std::count_if(pieces.begin(), pieces.end(), [&](const IndexRange& piece) {
          return piece.contains({column, row});
        });
        const bool expected = whole.contains({column, row}) && !hole.contains({column, row});
        REQUIRE(in == (expected ? 1 : 0));
      }
    }
  }
}

TEST_CASE("of two equally good shapes the one along the rows is chosen") {
  const auto halves = grid_ranges({0, 0, 100, 100}, 2);
  CHECK(halves[0] == IndexRange{0, 0, 100, 50});
  CHECK(halves[1] == IndexRange{0, 50, 100, 100});
  CHECK(grid_ranges({0, 0, 200, 100}, 2)[0] == IndexRange{0, 0, 100, 100});
}

TEST_CASE("ranges shrink at the borders to other blocks, not at the boundary of the matrix") {
  const IndexRange matrix{0, 0, 10, 10};
  CHECK(matrix.shrunk(1, matrix) == matrix);
  CHECK(IndexRange{0, 0, 5, 10}.shrunk(1, matrix) == IndexRange{0, 0, 4, 10});
  CHECK(IndexRange{4, 4, 5, 5}.shrunk(1, matrix).empty());
  CHECK(IndexRange{0, 0, 5, 10}.grown(2, matrix) == IndexRange{0, 0, 7, 10});
}

TEST_CASE("a cell list finds all neighbours, always in the same order") {
  for (const double side : {5.0, 200.0, 1e7}) {
    const auto dots = some_dots(400, side, 9);
    Dots all, half;
    for (const Dot& dot : dots) all.add(dot);
    for (auto dot = dots.rbegin(); dot != dots.rend(); ++dot) {
      if (dot->x < 10) half.add(*dot);  // fewer points, in reverse order
    }
    for (const Dot& at : dots) {
      std::vector<std::uint32_t> found, again;
      const auto near = [&](const Dot& dot) { return std::hypot(dot.x - at.x, dot.y - at.y) <= 2; };
      all.cells(2).around(at.x, at.y, [&](const Dot& dot) {
        if (near(dot)) found.push_back(dot.id);
      });
      half.cells(2).around(at.x, at.y, [&](const Dot& dot) {
        if (near(dot)) again.push_back(dot.id);
      });
      std::set<std::uint32_t> expected;
      for (const Dot& dot : dots) {
        if (near(dot)) expected.insert(dot.id);
      }
      REQUIRE(std::set(found.begin(), found.end()) == expected);
      REQUIRE(found.size() == expected.size());
      if (at.x < 8) REQUIRE(found == again);
    }
  }
}

TEST_CASE("a table sends the requested rows, and refuses invalid bytes") {
  Dots table;
  table.keep_private(Box{0, 0, 100, 100});
  for (const Dot& dot : some_dots(50, 20, 4)) table.add(dot);
  table.mark_own();
  table.add({99, 0, 1, 1});
  Dots::Selection border;
  table.select_border(border);
  ByteWriter out;
  table.encode(border, Box{-5, -5, 0, 100}, out);
  Dots other;
  ByteReader in(out.span());
  REQUIRE(other.decode(in));
  REQUIRE(other.size() > 0);
  for (const Dot& dot : other.tuples()) CHECK((dot.x >= -5 && dot.x < 0 && dot.id != 99));
  ByteReader cut(out.span().first(out.size() - 1));
  CHECK_FALSE(other.decode(cut));
  table.drop_others();
  CHECK(table.size() == 50);
}

TEST_CASE("a field sends the requested cells, and accepts only cells that it holds") {
  Field field;
  field.reset({0, 0, 4, 4}, {0, 0, 6, 6});
  for (std::int64_t i = 0; i < 36; ++i) *field.at(i % 6, i / 6) = static_cast<double>(i);
  Field::Selection border;
  field.keep_private(IndexRange{1, 1, 3, 3});
  field.select_border(border);
  CHECK(border.size() == 12);
  ByteWriter out;
  field.encode(border, {2, 0, 6, 6}, out);
  Field other;
  other.reset({4, 0, 6, 6}, {2, 0, 6, 6});
  other.poison();
  ByteReader in(out.span());
  REQUIRE(other.decode(in));
  CHECK(*other.at(2, 0) == 2);
  CHECK(*other.at(3, 3) == 21);
  CHECK(std::isnan(*other.at(2, 1)));  // not sent
  Field small;
  small.reset({2, 0, 3, 3}, {2, 0, 3, 3});
  ByteReader again(out.span());
  CHECK_FALSE(small.decode(again));
}

TEST_CASE(
    "threads that ask a table for its cells at once all find every neighbour, for any sides") {
  const auto dots = some_dots(3000, 100, 5);
  Dots table;
  table.reset(Box::everywhere(), Box::everywhere());
  for (const Dot& dot : dots) table.add(dot);
  const auto count = [&](double side, std::size_t from, std::size_t to) {
    std::size_t found = 0;
    for (std::size_t i = from; i < to; ++i)
      table.cells(side).around(dots[i].x, dots[i].y, [&](const Dot& near) {
        found += std::hypot(near.x - dots[i].x, near.y - dots[i].y) <= side ? 1 : 0;
      });
    return found;
  };
  const auto expected = [&](double side) {
    std::size_t found = 0;
    for (const Dot& a : dots)
      for (const Dot& b : dots) found += std::hypot(a.x - b.x, a.y - b.y) <= side ? 1 : 0;
    return found;
  };
  const std::array<double, 2> sides = {2, 5};
  const std::array<std::size_t, 2> all = {expected(sides[0]), expected(sides[1])};
  for (int round = 0; round < 20; ++round) {
    table.reset(Box::everywhere(), Box::everywhere());
    for (const Dot& dot : dots) table.add(dot);
    std::array<std::size_t, 8> found{};
    std::vector<std::thread> threads;
    for (std::size_t t = 0; t < found.size(); ++t)
      threads.emplace_back([&, t] {
        const std::size_t part = t / 2;
        found[t] = count(sides[t % 2], dots.size() * part / 4, dots.size() * (part + 1) / 4);
      });
    for (std::thread& thread : threads) thread.join();
    for (std::size_t s = 0; s < 2; ++s)
      REQUIRE(found[s] + found[s + 2] + found[s + 4] + found[s + 6] == all[s]);
  }
}
