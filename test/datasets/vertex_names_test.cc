#include "leeway/graph.h"

#include <array>
#include <catch2/catch.hpp>
#include <string_view>

#include "test/support/check_catcher.h"

using namespace leeway;

TEST_CASE("a sequence gives consecutive names from its first id") {
  const auto names = VertexNames::sequence(1, 3);
  REQUIRE(names.name(VertexId(0)) == "1");
  REQUIRE(names.find("3") == VertexId(2));
  REQUIRE_FALSE(names.find("0"));
  REQUIRE_FALSE(names.find("4"));
  REQUIRE_FALSE(names.find("x"));
}

TEST_CASE("sparse numbers are found by value, and unsorted ones are refused") {
  constexpr std::array<std::uint64_t, 3> kIds = {5, 70, std::uint64_t{1} << 60};
  const auto names = VertexNames::numbers(Array<std::uint64_t>::copy_of(kIds).value());
  REQUIRE(names.find("1152921504606846976") == VertexId(2));
  REQUIRE(names.name(VertexId(1)) == "70");
  REQUIRE_FALSE(names.find("6"));
  constexpr std::array<std::uint64_t, 2> kTwice = {5, 5};
  testing::CheckCatcher catcher;
  REQUIRE_THROWS_AS(VertexNames::numbers(Array<std::uint64_t>::copy_of(kTwice).value()),
                    testing::CheckFailed);
}

TEST_CASE("strings keep their order of appearance and are found through the sorted list") {
  constexpr std::array<std::uint64_t, 4> kOffsets = {0, 3, 6, 9};
  constexpr std::string_view kText = "zoeannbob";
  constexpr std::array<VertexId, 3> kSorted = {VertexId(1), VertexId(2), VertexId(0)};
  const auto names = VertexNames::strings(Array<std::uint64_t>::copy_of(kOffsets).value(),
                                          Array<char>::copy_of(kText).value(),
                                          Array<VertexId>::copy_of(kSorted).value());
  REQUIRE(names.name(VertexId(0)) == "zoe");
  REQUIRE(names.find("zoe") == VertexId(0));
  REQUIRE(names.find("bob") == VertexId(2));
  REQUIRE_FALSE(names.find("bo"));
}
