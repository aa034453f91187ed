#include "base/ids.h"

#include <catch2/catch.hpp>
#include <type_traits>
#include <unordered_set>

#include "base/format.h"

using namespace leeway;

static_assert(!std::is_convertible_v<int, NodeId>);
static_assert(!std::is_convertible_v<NodeId, PartId>);
static_assert(sizeof(VertexId) == 4 && std::is_trivially_copyable_v<VertexId>);

TEST_CASE("ids order, hash and print as their number") {
  REQUIRE(NodeId(1) < NodeId(2));
  REQUIRE(NodeId(1).next() == NodeId(2));
  REQUIRE(std::unordered_set<NodeId>{NodeId(1), NodeId(1)}.size() == 1);
  REQUIRE(leeway::format("{}", VertexId(42)) == "42");
  REQUIRE(NodeId::none() != NodeId(0));
}

TEST_CASE("counts and bytes are written for people") {
  REQUIRE(format_count(0) == "0");
  REQUIRE(format_count(1234567) == "1,234,567");
  REQUIRE(format_bytes(512) == "512 B");
  REQUIRE(format_bytes(1536) == "1.5 KiB");
}
