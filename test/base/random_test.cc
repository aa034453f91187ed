#include "base/random.h"

#include <catch2/catch.hpp>
#include <set>
#include <vector>

using namespace leeway;

// The known answers published with the generator (Random123's kat_vectors).
TEST_CASE("philox 4x32-10 gives its published answers") {
  using Block = std::array<std::uint32_t, 4>;
  REQUIRE(philox({0, 0, 0, 0}, {0, 0}) == Block{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
  REQUIRE(philox({~0u, ~0u, ~0u, ~0u}, {~0u, ~0u}) ==
          Block{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
  REQUIRE(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}) ==
          Block{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
}

TEST_CASE("the same seed and stream give the same numbers, another stream others") {
  Random a(7, 1), b(7, 1), c(7, 2);
  for (int i = 0; i < 100; ++i) REQUIRE(a() == b());
  REQUIRE(Random(7, 1).at(5) != c.at(5));
}

TEST_CASE("numbers can be drawn by position") {
  Random walked(3);
  for (int i = 0; i < 10; ++i) walked();
  REQUIRE(walked() == Random(3).at(10));
}

TEST_CASE("below stays below its bound and reaches every value") {
  Random random(11);
  std::set<std::uint64_t> seen;
  for (int i = 0; i < 1000; ++i) seen.insert(random.below(7));
  REQUIRE(seen == std::set<std::uint64_t>{0, 1, 2, 3, 4, 5, 6});
}

TEST_CASE("unit is in [0, 1) with a mean near a half") {
  Random random(5);
  double sum = 0;
  for (int i = 0; i < 10'000; ++i) {
    const double value = random.unit();
    REQUIRE(value >= 0.0);
    REQUIRE(value < 1.0);
    sum += value;
  }
  REQUIRE(sum / 10'000 == Approx(0.5).margin(0.02));
}
