#include <catch2/catch.hpp>
#include <numeric>

#include "base/archive.h"
#include "base/bytes.h"
#include "base/random.h"
#include "leeway/piece.h"
#include "runtime/piece/ownership.h"
#include "runtime/piece/worker_state.h"
#include "test/piece/piece_support.h"
#include "test/support/check_catcher.h"

using namespace leeway;
using namespace leeway::piece;

namespace {

PieceLayout line(std::uint32_t pieces, std::uint32_t workers) {
  std::vector<NodeId> homes;
  std::vector<std::vector<PieceId>> needs(pieces);
  for (std::uint32_t i = 0; i < pieces; ++i) {
    homes.emplace_back(i * workers / pieces);
    if (i > 0) needs[i].emplace_back(i - 1);
  }
  return {std::move(homes), needs};
}

PieceArrival arrival(std::uint32_t piece, std::uint32_t tick) {
  return {PieceId(piece), TickId(tick), {}};
}

}  // namespace

TEST_CASE("equal partitions cover space once, and pieces cover a partition once") {
  const Box space{.left = -3, .bottom = 1, .right = 9, .top = 7};
  for (const std::uint32_t count : {1u, 2u, 5u, 12u, 16u}) {
    const PieceGrid grid = piece_grid(space.width() / space.height(), 2, count);
    CHECK(grid.parts.columns * grid.parts.rows == 2);
    CHECK(grid.within.columns * grid.within.rows == count);
    const std::vector<Box> pieces = cut_box(space, grid.whole());
    CHECK(pieces.size() == 2 * count);
    double area = 0;
    for (const Box& piece : pieces) area += piece.width() * piece.height();
    CHECK(area == Approx(72));
  }
}

TEST_CASE("every point is in one piece, and the pieces it may affect are neighbours") {
  const auto pieces = SpacePieces::make({0, 0, 100, 60}, 6, 9, 7.5).value();
  CHECK(pieces.layout().count() == 54);
  Random random(4);
  for (int i = 0; i < 2000; ++i) {
    const double x = random.unit() * 100;
    const double y = random.unit() * 60;
    const PieceId home = pieces.at(x, y);
    CHECK(pieces.near(home, x, y, 1e-9));
    const auto around = pieces.layout().around(home);
    for (PieceId other(0); other.value() < 54; other = other.next()) {
      const bool related = std::find(around.begin(), around.end(), other) != around.end();
      if (pieces.near(other, x, y, 7.5)) CHECK(related);
    }
  }
}

TEST_CASE("dependencies are symmetric, and distance counts pieces to the boundary") {
  const PieceLayout layout = line(8, 2);
  CHECK(layout.around(PieceId(3)).size() == 3);
  const auto distance = boundary_distances(layout, layout.homes(), NodeId(0));
  CHECK(std::vector(distance.begin(), distance.begin() + 4) ==
        std::vector<std::uint32_t>{3, 2, 1, 0});
}

TEST_CASE("pieces run by earliest tick, then by distance to the boundary, then by number") {
  ReadyQueue ready({}, TickId(100));
  ready.push(arrival(1, 1), 0);
  ready.push(arrival(2, 0), 200);
  ready.push(arrival(3, 0), 1);
  ready.push(arrival(4, 0), 1);
  std::vector<std::uint32_t> order;
  while (!ready.empty()) order.push_back(ready.pop().piece.value());
  CHECK(order == std::vector<std::uint32_t>{3, 4, 2, 1});
}

TEST_CASE("without a scheduler pieces run in order of arrival") {
  ReadyQueue ready({.scheduler = false}, TickId(100));
  for (const std::uint32_t tick : {2u, 0u, 1u}) ready.push(arrival(tick, tick), 9 - tick);
  std::vector<std::uint32_t> order;
  while (!ready.empty()) order.push_back(ready.pop().piece.value());
  CHECK(order == std::vector<std::uint32_t>{2, 0, 1});
}

TEST_CASE("pieces behind the gate wait for it") {
  ReadyQueue ready({}, TickId(1));
  ready.push(arrival(0, 1), 0);
  CHECK(ready.empty());
  ready.move_gate(TickId(2));
  CHECK(ready.pop().tick == TickId(1));
}

TEST_CASE("a barrier opens when the last needed piece has arrived, and names missing pieces") {
  const PieceLayout layout = line(3, 1);
  SynchronizationTable table(layout);
  CHECK(table.note(PieceId(1), TickId(4), PieceId(2)));
  CHECK(table.note(PieceId(1), TickId(4), PieceId(1)));
  CHECK_FALSE(table.barrier(PieceId(1), TickId(4)));
  CHECK(table.missing(PieceId(1), TickId(4)) == std::vector{PieceId(0)});
  CHECK(table.note(PieceId(1), TickId(4), PieceId(0)));
  CHECK(table.barrier(PieceId(1), TickId(4)));
  CHECK_FALSE(table.barrier(PieceId(1), TickId(5)));
}

TEST_CASE("a piece takes the information of another one for a tick once") {
  const PieceLayout layout = line(3, 1);
  SynchronizationTable table(layout);
  CHECK(table.note(PieceId(1), TickId(0), PieceId(2)));
  CHECK_FALSE(table.note(PieceId(1), TickId(0), PieceId(2)));
  table.forget(PieceId(1), TickId(0));  // it has finished the tick
  CHECK_FALSE(table.note(PieceId(1), TickId(0), PieceId(0)));
  CHECK(table.note(PieceId(1), TickId(1), PieceId(2)));
  CHECK(table.note(PieceId(0), TickId(0), PieceId(1)));
}

TEST_CASE("rebalancing evens out loads, identically on all nodes") {
  std::vector<NodeId> owners;
  std::vector<std::uint64_t> loads;
  Random random(8);
  for (std::uint32_t i = 0; i < 400; ++i) {
    owners.emplace_back(i / 50);
    loads.push_back(i < 50 ? 900 + random.below(300) : random.below(100));
  }
  const std::vector<std::uint64_t> idle(8);
  const PieceLayout layout = line(400, 8);
  const auto now = balanced_owners(layout, owners, loads, idle);
  std::vector<std::uint64_t> sums(8);
  for (std::size_t i = 0; i < now.size(); ++i) sums[now[i].index()] += loads[i];
  const std::uint64_t total = std::accumulate(sums.begin(), sums.end(), std::uint64_t{0});
  for (const std::uint64_t sum : sums) CHECK(sum <= total / 8 * 12 / 10);
  CHECK(now == balanced_owners(layout, owners, loads, idle));
}

TEST_CASE("an even load does not move, and neither does a single heavy piece") {
  const std::vector owners = {NodeId(0), NodeId(1), NodeId(1)};
  const std::vector<std::uint64_t> idle(2);
  const PieceLayout layout = line(3, 2);
  CHECK(balanced_owners(layout, owners, std::vector<std::uint64_t>{10, 5, 5}, idle) == owners);
  CHECK(balanced_owners(layout, owners, std::vector<std::uint64_t>{1000, 0, 0}, idle) == owners);
  CHECK(balanced_owners(layout, owners, std::vector<std::uint64_t>{0, 0, 0}, idle) == owners);
}

TEST_CASE("a new map takes effect at the agreed tick, and only with a balancer") {
  const PieceLayout layout = line(4, 2);
  Ownership never(layout, NodeId(0), {.system = System::AsyTick, .ticks = 50});
  CHECK(never.known(TickId(49)));
  Ownership moves(layout, NodeId(0),
                  {.system = System::ComTick, .ticks = 50, .balance_every = 4, .balance_lag = 2});
  CHECK(moves.rounds().round_measured(TickId(3)) == 1);
  CHECK(moves.rounds().effective(1) == TickId(5));
  CHECK(moves.known(TickId(4)));
  CHECK_FALSE(moves.known(TickId(5)));
  const Ownership::Change change{PieceId(3), NodeId(0)};
  moves.learn(std::span(&change, 1));
  CHECK(moves.owner(PieceId(3), TickId(4)) == NodeId(1));
  CHECK(moves.owner(PieceId(3), TickId(5)) == NodeId(0));
  CHECK(moves.mine(TickId(8)).size() == 3);
  CHECK_FALSE(moves.known(TickId(9)));
}

TEST_CASE("skew is the maximum above the mean, and the part not spent waiting is absorbed") {
  PieceRecord record;
  record.ticks = 2;
  record.samples = {{{.asynchronous = 20, .synchronous = 10}, {.asynchronous = 10}},
                    {{.asynchronous = 10}, {.asynchronous = 25, .synchronous = 5}}};
  record.nodes.resize(2);
  for (NodeRecord& node : record.nodes) {
    node.end = Instant(Duration(50));
    node.counters.spend(Counter::ComputeTime, Duration(40));
  }
  CHECK(record.lambda_l(TickId(0)) == Approx(0.5));
  CHECK(record.asynchronous_share() == Approx(65.0 / 80));
  CHECK(record.barrier_seconds() == Approx(60e-9));
  CHECK(record.even_seconds() == Approx(40e-9));
  CHECK(record.absorbed_skew() == Approx(0.5));
  const std::vector<std::byte> bytes = archived(record.samples[1]);
  std::vector<TickSample> back;
  CHECK(load_archived(bytes, back));
  CHECK(back[1].asynchronous == 25);
  CHECK_FALSE(load_archived(std::span(bytes).first(9), back));
}

TEST_CASE("weights of a priority that do not sum to one are refused") {
  CHECK(admit_options({.alpha = 0.4, .beta = 0.6}).has_value());
  CHECK_FALSE(admit_options({.alpha = 0.4, .beta = 0.8}).has_value());
  CHECK_FALSE(admit_options({.alpha = -1, .beta = 2}).has_value());
}
