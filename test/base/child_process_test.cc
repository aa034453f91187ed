#include "base/process.h"

#include <unistd.h>

#include <catch2/catch.hpp>
#include <csignal>
#include <numeric>

using namespace leeway;

TEST_CASE("the result of a child process is returned, other changes are not") {
  int untouched = 1;
  const auto squares = compute_in_child<int>("squares", 1000, [&](std::span<int> values) {
    untouched = 2;
    std::iota(values.begin(), values.end(), 0);
    for (int& value : values) value *= value;
  });
  REQUIRE(squares.has_value());
  CHECK((*squares)[0] == 0);
  CHECK((*squares)[999] == 999 * 999);
  CHECK(untouched == 1);
}

TEST_CASE("an empty result is allowed") {
  const auto none = compute_in_child<int>("none", 0, [](std::span<int> values) {
    if (!values.empty()) ::_exit(1);
  });
  REQUIRE(none.has_value());
  CHECK(none->empty());
}

TEST_CASE(
    "a child process that does not return is an error that names its work and its exit status") {
  const auto killed = compute_in_child<int>("work", 1, [](std::span<int>) { ::raise(SIGKILL); });
  REQUIRE(!killed.has_value());
  CHECK(killed.error().kind == ErrorKind::Environment);
  CHECK(killed.error().to_string().find("work: its process was ended by SIGKILL") == 0);
  const auto gone = compute_in_child<int>("work", 1, [](std::span<int>) { ::_exit(7); });
  REQUIRE(!gone.has_value());
  CHECK(gone.error().what == "its process ended with code 7");
}
