#include "protocol/policy.h"

#include <catch2/catch.hpp>

using namespace leeway;
using Catch::Matchers::Contains;

namespace {

std::string complaint(std::string_view mode) {
  const auto policy = parse_policy(mode);
  REQUIRE_FALSE(policy.has_value());
  return policy.error().to_string();
}

}  // namespace

TEST_CASE("strict modes accept no staleness and never refresh") {
  for (const char* mode : {"scp", "scp+rw", "scp+pb"}) {
    const Policy policy = parse_policy(mode).value();
    REQUIRE(policy.name == mode);
    REQUIRE(policy.threshold == 0);
    REQUIRE_FALSE(policy.refresh);
  }
  REQUIRE(parse_policy("scp")->writes == Writes::Wait);
  REQUIRE(parse_policy("scp+rw")->writes == Writes::Continue);
  REQUIRE(parse_policy("scp+pb")->writes == Writes::Wait);
  REQUIRE(parse_policy("scp")->updates == Updates::Never);
  REQUIRE(parse_policy("scp+pb")->updates == Updates::Always);
}

TEST_CASE("stale-N bounds staleness and does not refresh") {
  for (const std::uint64_t bound : {0u, 1u, 17u}) {
    const Policy policy = parse_policy("stale-" + std::to_string(bound)).value();
    REQUIRE(policy.threshold == bound);
    REQUIRE_FALSE(policy.refresh);
    REQUIRE(policy.writes == Writes::Continue);
  }
}

TEST_CASE("rcp has the paper's threshold of 100 and refreshes") {
  REQUIRE(parse_policy("rcp")->threshold == 100);
  REQUIRE(parse_policy("rcp")->refresh);
  REQUIRE(parse_policy("rcp")->updates == Updates::Never);
  REQUIRE(parse_policy("rcp-7")->threshold == 7);
  REQUIRE(parse_policy("rcp-7")->refresh);
  REQUIRE(parse_policy("rcp+push")->threshold == 100);
  REQUIRE(parse_policy("rcp+push")->updates == Updates::Adaptive);
}

TEST_CASE("an unknown mode is refused with the nearest one") {
  REQUIRE_THAT(complaint("rpc"), Contains("'rcp'"));
  REQUIRE_THAT(complaint("scp+wr"), Contains("'scp+rw'"));
  REQUIRE_THAT(complaint("rcp+pusch"), Contains("'rcp+push'"));
  REQUIRE_THAT(complaint("rcp+pusch"), Contains("unknown mode"));
  REQUIRE_THAT(complaint("stale"), Contains("stale-2"));
  for (const char* mode :
       {"", "stale-", "stale--1", "stale-1x", "stale-99999999999999999999", "rcp-", "RCP"}) {
    INFO(mode);
    REQUIRE_FALSE(complaint(mode).empty());
  }
}

TEST_CASE("every mode in the help text is accepted") {
  for (const auto& help : policy_help()) {
    std::string mode(help.mode);
    if (mode == "stale-N") mode = "stale-3";
    if (mode == "rcp-T") mode = "rcp-3";
    INFO(mode);
    REQUIRE(parse_policy(mode).has_value());
    REQUIRE_FALSE(help.meaning.empty());
  }
}
