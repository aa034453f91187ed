#include "protocol/termination.h"

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

TEST_CASE("a run ends when all are inactive and all sent messages were handled") {
  TerminationDetector ending(2);
  CHECK(ending.inactive(NodeId(0), {.sent = 1, .handled = 0}) ==
        TerminationDetector::DetectorStep::None);
  CHECK(ending.inactive(NodeId(1), {.sent = 0, .handled = 1}) ==
        TerminationDetector::DetectorStep::Terminate);
  CHECK(ending.answer(NodeId(0), true, {.sent = 1, .handled = 0}) ==
        TerminationDetector::DetectorStep::None);
  CHECK(ending.answer(NodeId(1), true, {.sent = 0, .handled = 1}) ==
        TerminationDetector::DetectorStep::Over);
}

TEST_CASE("a message in flight keeps the run alive although all are inactive") {
  TerminationDetector ending(2);
  CHECK(ending.inactive(NodeId(0), {.sent = 2, .handled = 0}) ==
        TerminationDetector::DetectorStep::None);
  CHECK(ending.inactive(NodeId(1), {.sent = 0, .handled = 1}) ==
        TerminationDetector::DetectorStep::None);
  CHECK(ending.inactive(NodeId(1), {.sent = 0, .handled = 2}) ==
        TerminationDetector::DetectorStep::Terminate);
}

TEST_CASE("one refusal, or one more handled message, and the run continues") {
  TerminationDetector ending(2);
  (void)ending.inactive(NodeId(0), {});
  CHECK(ending.inactive(NodeId(1), {}) == TerminationDetector::DetectorStep::Terminate);
  CHECK(ending.answer(NodeId(0), true, {}) == TerminationDetector::DetectorStep::None);
  CHECK(ending.answer(NodeId(1), false, {}) == TerminationDetector::DetectorStep::None);
  // The node that had to wait reports when it is done; then all are queried again.
  CHECK(ending.inactive(NodeId(1), {.sent = 1, .handled = 0}) ==
        TerminationDetector::DetectorStep::None);
  CHECK(ending.inactive(NodeId(0), {.sent = 0, .handled = 1}) ==
        TerminationDetector::DetectorStep::Terminate);
  CHECK(ending.attempt() == 2);
  // An answer with more handled messages than its earlier report proves nothing.
  CHECK(ending.answer(NodeId(0), true, {.sent = 1, .handled = 1}) ==
        TerminationDetector::DetectorStep::None);
  CHECK(ending.answer(NodeId(1), true, {.sent = 1, .handled = 1}) ==
        TerminationDetector::DetectorStep::Terminate);
}

TEST_CASE("a report after the end does not end the run again, until all reports are discarded") {
  TerminationDetector ending(2);
  const auto end = [&] {
    (void)ending.inactive(NodeId(0), {});
    CHECK(ending.inactive(NodeId(1), {}) == TerminationDetector::DetectorStep::Terminate);
    (void)ending.answer(NodeId(0), true, {});
    CHECK(ending.answer(NodeId(1), true, {}) == TerminationDetector::DetectorStep::Over);
  };
  end();
  CHECK(ending.inactive(NodeId(1), {}) == TerminationDetector::DetectorStep::None);
  CHECK_FALSE(ending.open());
  ending.forget();
  end();
}
