#include "transport/membership.h"

#include <catch2/catch.hpp>
#include <vector>

using namespace leeway;

namespace {

std::vector<NodeId> nodes(std::initializer_list<std::uint32_t> numbers) {
  std::vector<NodeId> all;
  for (const std::uint32_t number : numbers) all.emplace_back(number);
  return all;
}

std::vector<NodeId> who_goes(const Inquiry& inquiry) {
  std::vector<NodeId> all;
  for (const auto& verdict : inquiry.verdicts()) all.push_back(verdict.node);
  return all;
}

}  // namespace

TEST_CASE("a single accusation removes no node") {
  Inquiry inquiry(3);
  inquiry.suspect(NodeId(0), NodeId(2));
  CHECK(who_goes(inquiry).empty());
  for (std::uint32_t i = 0; i < 3; ++i) inquiry.answer(NodeId(i), {});
  CHECK(who_goes(inquiry).empty());
}

TEST_CASE("of two nodes that cannot reach each other only, one is removed, with a reason") {
  Inquiry inquiry(4);
  inquiry.suspect(NodeId(2), NodeId(1));
  inquiry.suspect(NodeId(1), NodeId(2));
  inquiry.answer(NodeId(0), {});
  inquiry.answer(NodeId(1), nodes({2}));
  inquiry.answer(NodeId(2), nodes({1}));
  inquiry.answer(NodeId(3), {});
  const auto verdicts = inquiry.verdicts();
  REQUIRE(verdicts.size() == 1);
  CHECK(verdicts[0].node == NodeId(2));
  CHECK(verdicts[0].why == "it and node 1 can no longer reach each other");
}

TEST_CASE("a node that reaches no other is removed, and none that it accuses") {
  const std::uint32_t bad = GENERATE(0U, 1U, 3U);
  Inquiry inquiry(4);
  std::vector<NodeId> others;
  for (std::uint32_t i = 0; i < 4; ++i) {
    if (i == bad) continue;
    inquiry.suspect(NodeId(bad), NodeId(i));
    inquiry.answer(NodeId(i), nodes({bad}));
    others.push_back(NodeId(i));
  }
  inquiry.answer(NodeId(bad), others);
  CHECK(who_goes(inquiry) == nodes({bad}));
}

TEST_CASE("of two halves that cannot reach each other, one remains complete") {
  Inquiry inquiry(4);
  inquiry.suspect(NodeId(0), NodeId(2));
  inquiry.suspect(NodeId(3), NodeId(1));
  inquiry.suspect(NodeId(0), NodeId(3));
  inquiry.suspect(NodeId(1), NodeId(2));
  for (const std::uint32_t i : {0U, 1U}) inquiry.answer(NodeId(i), nodes({2, 3}));
  for (const std::uint32_t i : {2U, 3U}) inquiry.answer(NodeId(i), nodes({0, 1}));
  auto gone = who_goes(inquiry);
  std::sort(gone.begin(), gone.end());
  CHECK(gone == nodes({2, 3}));
}

TEST_CASE("a pair without a suspicion stays") {
  Inquiry inquiry(4);
  inquiry.suspect(NodeId(0), NodeId(1));
  inquiry.answer(NodeId(0), nodes({1}));
  inquiry.answer(NodeId(2), nodes({3}));  // node 3 may be too busy to answer in time
  CHECK(who_goes(inquiry) == nodes({1}));
}

TEST_CASE("accusations of invalid node ids and of oneself are ignored") {
  Inquiry inquiry(2);
  inquiry.suspect(NodeId(0), NodeId(7));
  inquiry.suspect(NodeId(1), NodeId(1));
  inquiry.answer(NodeId(1), nodes({1, 9}));
  CHECK(who_goes(inquiry).empty());
}
