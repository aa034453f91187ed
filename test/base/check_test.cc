#include "base/check.h"

#include <catch2/catch.hpp>
#include <string>

#include "base/ids.h"
#include "test/support/check_catcher.h"

using namespace leeway;
using Catch::Matchers::Contains;

TEST_CASE("a check that holds does nothing and evaluates once") {
  testing::CheckCatcher catcher;
  int evaluations = 0;
  LEEWAY_CHECK(++evaluations == 1);
  REQUIRE(evaluations == 1);
}

TEST_CASE("a failed check reports its expression, both values and the place") {
  testing::CheckCatcher catcher;
  const int held = 3;
  const int known = 2;
  REQUIRE_THROWS_WITH([&] { LEEWAY_CHECK(held <= known); }(), Contains("held <= known") &&
                                                                  Contains("3 against 2") &&
                                                                  Contains("check_test.cc"));
}

TEST_CASE("ids, flags and further values appear in the report") {
  testing::CheckCatcher catcher;
  REQUIRE_THROWS_WITH([] { LEEWAY_CHECK(NodeId(4) == NodeId(5)); }(), Contains("4 against 5"));
  REQUIRE_THROWS_WITH([] { LEEWAY_CHECK(false, "slot", 17); }(), Contains("false slot 17"));
}
