// Pieces that change workers without barriers: who has what, what is foretold, and who is to give.
#include <catch2/catch.hpp>

#include "runtime/piece/master.h"
#include "runtime/piece/ownership.h"
#include "runtime/piece/worker_state.h"
#include "test/piece/piece_support.h"

using namespace leeway;
using namespace leeway::piece;

namespace {

constexpr PieceId kPiece(2);

PieceLayout four_on_two() {
  const std::vector<std::vector<PieceId>> needs = {{}, {PieceId(0)}, {PieceId(1)}, {PieceId(2)}};
  return {{NodeId(0), NodeId(0), NodeId(1), NodeId(1)}, needs};
}

}  // namespace

TEST_CASE("a piece is where it was divided to until it is given, and comes back by being taken") {
  const PieceLayout layout = four_on_two();
  Holdings mine(layout, NodeId(1));
  CHECK(mine.here(kPiece));
  CHECK(mine.owner(PieceId(0)) == NodeId(0));
  mine.give(kPiece, NodeId(0), TickId(1));
  CHECK_FALSE(mine.here(kPiece));
  CHECK(mine.gone(kPiece));
  CHECK(mine.owner(kPiece) == NodeId(0));
  mine.take(kPiece, TickId(4));
  CHECK(mine.here(kPiece));
  CHECK(mine.tick(kPiece) == TickId(4));
}

TEST_CASE("newer news of who has a piece is believed, older is passed over") {
  const PieceLayout layout = four_on_two();
  Holdings mine(layout, NodeId(1));
  mine.hear(PieceId(0), NodeId(1), TickId(5));
  mine.hear(PieceId(0), NodeId(0), TickId(3));
  CHECK(mine.owner(PieceId(0)) == NodeId(1));
  mine.hear(kPiece, NodeId(0), TickId(9));  // that one is here
  CHECK(mine.owner(kPiece) == NodeId(1));
}

TEST_CASE("everything is beyond a tick when the last piece here is") {
  const PieceLayout layout = four_on_two();
  Holdings mine(layout, NodeId(1));
  mine.advance(kPiece, TickId(1));
  CHECK_FALSE(mine.beyond(TickId(0)));
  mine.give(PieceId(3), NodeId(0), TickId(1));
  CHECK(mine.beyond(TickId(0)));
  CHECK_FALSE(mine.beyond(TickId(1)));
}

TEST_CASE("a report tells of ticks that are over once, and of the one under way each time") {
  const PieceLayout layout = four_on_two();
  Holdings mine(layout, NodeId(1));
  mine.spend(kPiece, TickId(0), 50);
  mine.spend(kPiece, TickId(1), 7);  // ahead of time
  mine.advance(kPiece, TickId(1));
  auto report = mine.report();
  REQUIRE(report.size() == 1);
  CHECK(report[0].nanoseconds == 50);
  CHECK(report[0].ticks == 1);
  CHECK(report[0].under_way == 7);
  report = mine.report();
  CHECK(report[0].ticks == 0);
  CHECK(report[0].under_way == 7);
}

TEST_CASE("what waits for a piece that leaves is taken out, whatever else waits") {
  ReadyQueue ready({}, TickId(2));
  for (const std::uint32_t tick : {0u, 1u, 2u}) {
    ready.push({kPiece, TickId(tick), {}}, 0);
    ready.push({PieceId(3), TickId(tick), {}}, 0);
  }
  CHECK(ready.take_out(kPiece).size() == 3);
  CHECK(ready.pop().piece == PieceId(3));
  CHECK(ready.pop().piece == PieceId(3));
  CHECK(ready.empty());
}

TEST_CASE("of loads that last the newest is believed, of loads that come and go the mean") {
  Forecast lasting(1, 4);
  Forecast passing(1, 4);
  for (std::uint64_t round = 0; round < 60; ++round) {
    lasting.take(PieceId(0), round < 50 ? 400 : 4000, 4);
    passing.take(PieceId(0), round % 2 == 0 ? 4000 : 0, 4);
  }
  CHECK(lasting.rate(PieceId(0)) > 950);
  CHECK(passing.rate(PieceId(0)) > 400);
  CHECK(passing.rate(PieceId(0)) < 600);
}

TEST_CASE("who falls behind gives pieces away, and only then") {
  const PieceLayout layout = four_on_two();
  const Options options{.ticks = 100};
  MasterProgress even(options, layout, 2);
  MasterProgress uneven(options, layout, 2);
  const auto at = [](std::uint32_t piece, std::uint64_t nanoseconds) {
    return PieceProgress{
        .piece = PieceId(piece), .tick = TickId(4), .nanoseconds = nanoseconds, .ticks = 4};
  };
  const std::vector light = {at(0, 400), at(1, 400)};
  const std::vector same = {at(2, 400), at(3, 400)};
  const std::vector heavy = {at(2, 4000), at(3, 1200)};
  const Instant now(std::chrono::microseconds(1));
  even.take(NodeId(0), light, now);
  CHECK(even.moves(now).empty());  // one of two has told
  even.take(NodeId(1), same, now);
  CHECK(even.moves(now).empty());
  uneven.take(NodeId(0), light, now);
  uneven.take(NodeId(1), heavy, now);
  const auto moves = uneven.moves(now);
  REQUIRE(moves.size() == 1);
  CHECK(moves[0].piece == PieceId(3));
  CHECK(moves[0].from == NodeId(1));
  CHECK(moves[0].to == NodeId(0));
}

namespace {

/// Ends with the first tick in which nothing changes much. Nobody runs it here.
class Settling final : public Program {
 public:
  [[nodiscard]] const PieceLayout& layout() const override { return layout_; }
  [[nodiscard]] std::unique_ptr<Task> load(PieceId) const override { return nullptr; }
  [[nodiscard]] std::unique_ptr<Task> task(PieceId, TickId) const override { return nullptr; }
  [[nodiscard]] bool may_terminate() const override { return true; }
  [[nodiscard]] bool termination(TickId, double change) const override { return change < 1; }

 private:
  PieceLayout layout_ = four_on_two();
};

std::vector<std::uint32_t> verdicts(Master& master, std::uint32_t tick, std::uint32_t pieces,
                                    double change) {
  std::vector<std::uint32_t> ticks;
  master.take_tally(TickId(tick), pieces, change);
  while (const auto verdict = master.next_verdict()) ticks.push_back(verdict->tick.value());
  return ticks;
}

}  // namespace

TEST_CASE("a tick that an emptied worker tells of late is still judged before those after it") {
  const Settling program;
  const Options options{.ticks = 100};
  Master master(program, options, 2);
  CHECK(verdicts(master, 0, 4, 9) == std::vector<std::uint32_t>{0});
  // Worker 1 has given its last piece away after tick 1, and what it says of that tick is slow to come.
  CHECK(verdicts(master, 1, 3, 0.5).empty());
  CHECK(verdicts(master, 2, 4, 0.4).empty());
  CHECK(verdicts(master, 3, 4, 0.3).empty());
  // It was the last tick: what came after does not count.
  CHECK(verdicts(master, 1, 1, 0.5) == std::vector<std::uint32_t>{1});
  CHECK(master.take_run().terminated);
  CHECK(master.take_run().ticks == 2);
}

TEST_CASE("ticks that were told of late are judged one after the other") {
  const Settling program;
  const Options options{.ticks = 100};
  Master master(program, options, 2);
  CHECK(verdicts(master, 1, 4, 9).empty());
  CHECK(verdicts(master, 0, 2, 9).empty());
  CHECK(verdicts(master, 0, 2, 9) == std::vector<std::uint32_t>{0, 1});
}
