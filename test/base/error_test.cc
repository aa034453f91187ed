#include "leeway/result.h"

#include <catch2/catch.hpp>
#include <cerrno>

using namespace leeway;

TEST_CASE("an error message has place, problem and remedy, and omits empty ones") {
  REQUIRE(input_error("g.txt:3", "no number 'x'", "write digits").to_string() ==
          "g.txt:3: no number 'x'; write digits");
  REQUIRE(input_error("", "no graph", "").to_string() == "no graph");
}

TEST_CASE("each kind of error has its exit code") {
  REQUIRE(input_error("", "", "").exit_code() == 2);
  REQUIRE(environment_error("", "", "").exit_code() == 3);
  REQUIRE(Error{ErrorKind::Peer, "", "", ""}.exit_code() == 4);
}

TEST_CASE("a system error carries the system's reason") {
  REQUIRE_THAT(system_error("/x", "open", ENOENT, "check the path").to_string(),
               Catch::Contains("/x: cannot open: No such file"));
}

namespace {
Result<int> half(int value) {
  if (value % 2 != 0) return fail(input_error("half", "odd", "give an even number"));
  return value / 2;
}
Result<int> quarter(int value) {
  LEEWAY_ASSIGN(const int once, half(value));
  LEEWAY_ASSIGN(const int twice, half(once));
  return twice;
}
Status is_even(int value) {
  LEEWAY_TRY(half(value));
  return {};
}
}  // namespace

TEST_CASE("LEEWAY_ASSIGN and LEEWAY_TRY pass a value on and an error up") {
  REQUIRE(quarter(8).value() == 2);
  REQUIRE(quarter(6).error().what == "odd");
  REQUIRE(is_even(2));
  REQUIRE_FALSE(is_even(3));
}
