#include "protocol/collective.h"

#include <catch2/catch.hpp>

using namespace leeway;

namespace {

constexpr Ending kGoOn = Ending::Continue;
constexpr Ending kOver = Ending::Converged;

}  // namespace

TEST_CASE(
    "the computation ends if no node votes to continue, no stale value was used and no message was "
    "in flight") {
  Termination end;
  REQUIRE(end.decide({0, 0, 10, 10}) ==
          kGoOn);  // the first iteration has no predecessor to compare with
  REQUIRE(end.decide({0, 0, 10, 10}) == kOver);
}

TEST_CASE("one vote to continue continues") {
  Termination end;
  (void)end.decide({0, 0, 10, 10});
  REQUIRE(end.decide({1, 0, 10, 10}) == kGoOn);
  REQUIRE(end.decide({0, 0, 10, 10}) == kOver);
}

TEST_CASE("one stale value used continues (ASPIRE §4.2)") {
  Termination end;
  (void)end.decide({0, 0, 10, 10});
  REQUIRE(end.decide({0, 1, 10, 10}) == kGoOn);
  REQUIRE(end.decide({0, 0, 10, 10}) == kOver);
}

TEST_CASE("equal counts of sent and handled messages must hold over two iterations") {
  Termination end;
  (void)end.decide({0, 0, 10, 8});
  // Two messages were in flight during this iteration, although all are handled at its end.
  REQUIRE(end.decide({0, 0, 10, 10}) == kGoOn);
  REQUIRE(end.decide({0, 0, 10, 10}) == kOver);
}

TEST_CASE(
    "a message sent in the last iteration continues, even if it was handled in that iteration") {
  Termination end;
  (void)end.decide({0, 0, 10, 10});
  REQUIRE(end.decide({0, 0, 11, 11}) == kGoOn);
  REQUIRE(end.decide({0, 0, 11, 11}) == kOver);
}

TEST_CASE("equal totals give equal verdicts on every node") {
  Termination one;
  Termination other;
  const IterationTotals rows[] = {{2, 5, 9, 7}, {0, 1, 12, 12}, {0, 0, 12, 12}, {0, 0, 12, 12}};
  for (const auto& row : rows) REQUIRE(one.decide(row) == other.decide(row));
}
