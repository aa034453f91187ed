#include "base/array.h"

#include <catch2/catch.hpp>
#include <cstdint>
#include <memory>
#include <vector>

#include "test/support/check_catcher.h"

using namespace leeway;

TEST_CASE("an array that owns its memory is zeroed and can be written") {
  auto array = Array<std::uint64_t>::make(1'000'000).value();
  REQUIRE(array.size() == 1'000'000);
  REQUIRE(array[999'999] == 0);
  array.mutable_span()[999'999] = 7;
  REQUIRE(array[999'999] == 7);
}

TEST_CASE("shrinking keeps the first elements in place") {
  auto array = Array<int>::make(100'000).value();
  array.mutable_span()[9] = 9;
  const int* before = array.data();
  array.shrink(10);
  REQUIRE(array.size() == 10);
  REQUIRE(array.data() == before);
  REQUIRE(array[9] == 9);
}

TEST_CASE("an impossible size is an error, not a crash") {
  const auto array = Array<std::uint64_t>::make(std::size_t{1} << 60);
  REQUIRE_FALSE(array);
  REQUIRE(array.error().kind == ErrorKind::Environment);
}

TEST_CASE("a view reads its owner's memory and cannot be written") {
  auto keeper = std::make_shared<std::vector<int>>(std::vector<int>{1, 2, 3});
  auto array = Array<int>::view(*keeper, keeper);
  const std::weak_ptr<std::vector<int>> watch = keeper;
  keeper.reset();
  REQUIRE(array[2] == 3);
  REQUIRE_FALSE(watch.expired());
  testing::CheckCatcher catcher;
  REQUIRE_THROWS_AS(array.mutable_span(), testing::CheckFailed);
}
