// Pieces that change workers without barriers: their location, predicted loads, and the choice of
// the worker that gives.
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

TEST_CASE("a piece is at its initial worker until it is given away, and returns when it is taken") {
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

TEST_CASE("newer messages about a piece's location are used, older ones ignored") {
  const PieceLayout layout = four_on_two();
  Holdings mine(layout, NodeId(1));
  mine.note_owner(PieceId(0), NodeId(1), TickId(5));
  mine.note_owner(PieceId(0), NodeId(0), TickId(3));
  CHECK(mine.owner(PieceId(0)) == NodeId(1));
  mine.note_owner(kPiece, NodeId(0), TickId(9));  // this piece is here
  CHECK(mine.owner(kPiece) == NodeId(1));
}

TEST_CASE("a worker is beyond a tick when its last piece is") {
  const PieceLayout layout = four_on_two();
  Holdings mine(layout, NodeId(1));
  mine.advance(kPiece, TickId(1));
  CHECK_FALSE(mine.beyond(TickId(0)));
  mine.give(PieceId(3), NodeId(0), TickId(1));
  CHECK(mine.beyond(TickId(0)));
  CHECK_FALSE(mine.beyond(TickId(1)));
}

TEST_CASE("a report contains finished ticks once, and the current tick every time") {
  const PieceLayout layout = four_on_two();
  Holdings mine(layout, NodeId(1));
  mine.spend(kPiece, TickId(0), 50);
  mine.spend(kPiece, TickId(1), 7);  // ahead of the current tick
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

TEST_CASE("work queued for a piece that leaves is removed, other work is not") {
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

TEST_CASE("steady loads are predicted by the newest value, varying loads by the mean") {
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

TEST_CASE("only a worker that falls behind gives pieces away") {
  const PieceLayout layout = four_on_two();
  const PieceOptions options{.ticks = 100};
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
  CHECK(even.moves(now).empty());  // only one of two workers has reported
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

/// Ends with the first tick in which little changes. Never run in these tests.
class Settling final : public ErasedProgram {
 public:
  [[nodiscard]] const PieceLayout& layout() const override { return layout_; }
  [[nodiscard]] std::unique_ptr<Task> load(PieceId) const override { return nullptr; }
  [[nodiscard]] std::unique_ptr<Task> task(PieceId, TickId) const override { return nullptr; }
  [[nodiscard]] bool may_terminate() const override { return true; }
  [[nodiscard]] bool termination(TickId, double change) const override { return change < 1; }

 private:
  PieceLayout layout_ = four_on_two();
};

std::vector<std::uint32_t> verdicts(Master& master, std::uint32_t tick,
                                    const std::vector<PieceId>& pieces, double change) {
  std::vector<std::uint32_t> ticks;
  CHECK(master.take_tally(NodeId(1), TickId(tick), static_cast<std::uint32_t>(pieces.size()),
                          pieces, change));
  while (const auto verdict = master.next_verdict()) ticks.push_back(verdict->tick.value());
  return ticks;
}

const std::vector<PieceId> kAll = {PieceId(0), PieceId(1), PieceId(2), PieceId(3)};
const std::vector<PieceId> kMost = {PieceId(0), PieceId(1), PieceId(3)};
const std::vector<PieceId> kOther = {PieceId(2)};

}  // namespace

TEST_CASE("a late report of a worker without pieces is judged before the ticks after it") {
  const Settling program;
  const PieceOptions options{.ticks = 100};
  Master master(program, options, 2);
  CHECK(verdicts(master, 0, kAll, 9) == std::vector<std::uint32_t>{0});
  // Worker 1 has given its last piece away after tick 1, and its report of that tick is late.
  CHECK(verdicts(master, 1, kMost, 0.5).empty());
  CHECK(verdicts(master, 2, kAll, 0.4).empty());
  CHECK(verdicts(master, 3, kAll, 0.3).empty());
  // That was the last tick; later reports do not count.
  CHECK(verdicts(master, 1, kOther, 0.5) == std::vector<std::uint32_t>{1});
  CHECK(master.take_run().terminated);
  CHECK(master.take_run().ticks == 2);
}

TEST_CASE("ticks reported late are judged one after another") {
  const Settling program;
  const PieceOptions options{.ticks = 100};
  Master master(program, options, 2);
  CHECK(verdicts(master, 1, kAll, 9).empty());
  CHECK(verdicts(master, 0, kMost, 9).empty());
  CHECK(verdicts(master, 0, kOther, 9) == std::vector<std::uint32_t>{0, 1});
}

TEST_CASE("the master refuses a second report of a tick and of values") {
  const Settling program;
  const PieceOptions options{.ticks = 100};
  Master master(program, options, 2);
  // Without moving pieces a worker reports all its pieces at once; it must not stand for the other one.
  CHECK(master.take_tally(NodeId(1), TickId(0), 2, {}, 9));
  CHECK_FALSE(master.take_tally(NodeId(1), TickId(0), 2, {}, 9));
  CHECK_FALSE(master.next_verdict());
  CHECK(master.take_tally(NodeId(0), TickId(0), 2, {}, 9));
  CHECK(master.next_verdict());
  CHECK_FALSE(master.take_tally(NodeId(0), TickId(0), 2, {}, 9));  // it has a verdict
  CHECK(verdicts(master, 1, kMost, 9).empty());
  CHECK_FALSE(master.take_tally(NodeId(0), TickId(1), 1, std::span(kMost).first(1), 9));

  CHECK(master.take_values(TickId(100), PieceId(2), {}));
  CHECK_FALSE(master.take_values(TickId(100), PieceId(2), {}));
}
