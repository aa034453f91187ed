#include "dsm/bounded_copies.h"

#include <rapidcheck.h>
#include <algorithm>
#include <catch2/catch.hpp>
#include <deque>

#include "test/support/check_catcher.h"

using namespace leeway;

namespace {

constexpr auto kAny = [](std::uint32_t) { return true; };

}  // namespace

TEST_CASE("the oldest place is the least recently touched one") {
  Lru order(4);
  REQUIRE(order.oldest(kAny) == Lru::kNone);
  for (const std::uint32_t place : {0u, 1u, 2u, 3u, 0u, 2u}) order.touch(place);
  REQUIRE(order.oldest(kAny) == 1);
  order.touch(1);
  REQUIRE(order.oldest(kAny) == 3);
  REQUIRE(order.oldest([](std::uint32_t place) { return place == 2; }) == 2);
  REQUIRE(order.oldest([](std::uint32_t) { return false; }) == Lru::kNone);
}

TEST_CASE("a removed place is out of the order until it is touched again") {
  Lru order(3);
  order.touch(2);
  order.touch(0);
  REQUIRE(order.contains(2));
  order.remove(2);
  REQUIRE_FALSE(order.contains(2));
  REQUIRE(order.oldest(kAny) == 0);
  order.touch(2);
  REQUIRE(order.oldest(kAny) == 0);
  order.remove(0);
  order.remove(2);
  REQUIRE(order.oldest(kAny) == Lru::kNone);
  const testing::CheckCatcher catcher;
  REQUIRE_THROWS_AS(order.remove(0), testing::CheckFailed);
}

TEST_CASE("every sequence of touches and removals gives the order of a plain list") {
  REQUIRE(rc::check("lru against a list", [] {
    constexpr std::uint32_t kPlaces = 6;
    Lru order(kPlaces);
    std::deque<std::uint32_t> list;  // oldest first
    for (const auto step : *rc::gen::container<std::vector<std::uint32_t>>(
             rc::gen::inRange<std::uint32_t>(0, 3 * kPlaces))) {
      const std::uint32_t place = step % kPlaces;
      const auto at = std::find(list.begin(), list.end(), place);
      const bool inside = at != list.end();
      RC_ASSERT(order.contains(place) == inside);
      if (inside) list.erase(at);
      if (step >= 2 * kPlaces) {
        if (inside) order.remove(place);
      } else {
        order.touch(place);
        list.push_back(place);
      }
      RC_ASSERT(order.oldest(kAny) == (list.empty() ? Lru::kNone : list.front()));
    }
  }));
}
