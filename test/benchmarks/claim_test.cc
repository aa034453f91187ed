#include "benchmarks/replay/figure.h"

#include <catch2/catch.hpp>

using namespace leeway::replay;

using Series = std::vector<double>;
using Histogram = std::vector<std::uint64_t>;

TEST_CASE("better means below at every point, and a tie is not better") {
  CHECK(below_everywhere(Series{1, 2, 3}, Series{2, 3, 4}));
  CHECK_FALSE(below_everywhere(Series{1, 3, 3}, Series{2, 3, 4}));
  CHECK_FALSE(below_everywhere(Series{1, 2, 5}, Series{2, 3, 4}));
}

TEST_CASE("a series rises or falls only if it does so at every step") {
  CHECK(rises(Series{1, 1.1, 1.2}));
  CHECK_FALSE(rises(Series{1, 1.1, 1.1}));
  CHECK_FALSE(rises(Series{1, 3, 2}));
  CHECK(falls(Series{3, 2, 1}));
  CHECK_FALSE(falls(Series{3, 3, 1}));
}

TEST_CASE("drastic growth rises throughout and ends at 1.5 times the start or more") {
  CHECK(rises_drastically(Series{2, 2.5, 3}));
  CHECK_FALSE(rises_drastically(Series{2, 2.5, 2.99}));
  CHECK_FALSE(rises_drastically(Series{2, 3.5, 3.2}));
}

TEST_CASE("similar means within a fifth, above or below, at every point") {
  CHECK(similar(Series{0.8, 1.0, 1.2}, Series{1, 1, 1}));
  CHECK_FALSE(similar(Series{1.0, 1.21}, Series{1, 1}));
  CHECK_FALSE(similar(Series{0.79, 1.0}, Series{1, 1}));
}

TEST_CASE("a constant series does not vary") {
  CHECK_FALSE(varies(Histogram{4, 4, 4}));
  CHECK(varies(Histogram{4, 4, 5}));
  CHECK(varies(Histogram{5, 4, 5}));
}

TEST_CASE("shares of a histogram count values up to a bound, and values far above it") {
  const Histogram copies = {50, 30, 0, 0, 10, 0, 6, 0, 0, 0, 4, 0, 0};
  CHECK(greatest(copies) == 10);
  CHECK(share_at_most(copies, 1) == Approx(0.8));
  CHECK(share_at_most(copies, 100) == Approx(1.0));
  CHECK(share_very_stale(copies) == Approx(0.10));  // above 5: half of 10
  CHECK_FALSE(mostly_low(copies));
  CHECK(mostly_low(Histogram{51, 30, 0, 0, 10, 0, 6, 0, 0, 0, 3}));
}

TEST_CASE("nothing is very stale where nothing is above the low bound") {
  CHECK(share_very_stale(Histogram{1, 0, 0, 0, 99}) == 0);
  CHECK(mostly_low(Histogram{0, 100}));
}

TEST_CASE("most means more than half") {
  CHECK_FALSE(mostly_low(Histogram{50, 0, 0, 0, 0, 50}));
  CHECK_FALSE(mostly_low(Histogram{0, 0, 0, 0, 0, 0}));
}

TEST_CASE("a claim reports whether it holds") {
  CHECK(verdict({"", "", "", true}) == "agree");
  CHECK(verdict({"", "", "", false}) == "disagree");
}
