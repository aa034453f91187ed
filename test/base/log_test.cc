#include "base/log.h"

#include <catch2/catch.hpp>

using namespace leeway;

TEST_CASE("logging is quiet by default: warnings are printed, information is not") {
  REQUIRE(log_enabled(LogLevel::Warning));
  REQUIRE_FALSE(log_enabled(LogLevel::Info));
}

TEST_CASE("the level can be set by name and an unknown name suggests the nearest") {
  REQUIRE(parse_log_level("debug").value() == LogLevel::Debug);
  const auto wrong = parse_log_level("dbug");
  REQUIRE_FALSE(wrong);
  REQUIRE(wrong.error().remedy == "did you mean 'debug'?");
}

TEST_CASE("a level that was set is applied") {
  set_log_level(LogLevel::Off);
  REQUIRE_FALSE(log_enabled(LogLevel::Error));
  set_log_level(LogLevel::Warning);
  REQUIRE(log_enabled(LogLevel::Error));
}
