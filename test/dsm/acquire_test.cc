// Barriers that make stores visible, relaxed barriers, fences and fetches that insist.
#include <array>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "base/format.h"
#include "base/random.h"
#include "leeway/dsm.h"
#include "test/support/clusters.h"

using namespace leeway;

namespace {

using testing::run_sim;

const std::vector<std::string> kModes = {"scp",      "scp+rw", "scp+pb", "stale-0", "stale-1",
                                         "stale-50", "rcp-1",  "rcp",    "rcp+push"};

NodeOptions mode(const std::string& name, bool collocation = true) {
  NodeOptions options;
  options.policy = parse_policy(name).value();
  options.policy.optimizations.collocation = collocation;
  return options;
}

SimOptions cluster(const std::string& net, std::uint32_t nodes, std::uint64_t seed) {
  SimOptions sim;
  sim.nodes = nodes;
  sim.seed = seed;
  sim.profile = parse_profile(net).value();
  return sim;
}

Dsm<std::uint64_t> open_objects(Node& node, std::uint32_t each, std::uint32_t cache = 0,
                                const char* name = "objects") {
  SpaceOptions options;
  options.name = name;
  options.local_objects = each;
  options.remote_objects = each * node.node_count();
  options.cache_capacity = cache;
  return Dsm<std::uint64_t>::open(node, options).value();
}

void finish(const SimReport& report) {
  INFO(report.detail);
  REQUIRE(report.outcome == SimOutcome::Finished);
}

/// Conway's game of life on a torus, rows divided between the nodes.
class Life {
 public:
  static constexpr std::uint32_t kSide = 12;
  using Board = std::array<std::array<std::uint8_t, kSide>, kSide>;

  explicit Life(std::uint64_t seed) {
    Random random(seed, 1);
    for (auto& row : board_) {
      for (auto& cell : row) cell = random.chance(0.4) ? 1 : 0;
    }
  }
  [[nodiscard]] const Board& board() const { return board_; }

  template <class Cell>
  static std::uint8_t next(std::uint32_t row, std::uint32_t column, Cell&& cell) {
    std::uint32_t alive = 0;
    for (std::uint32_t down = kSide - 1; down <= kSide + 1; ++down) {
      for (std::uint32_t right = kSide - 1; right <= kSide + 1; ++right) {
        if (down == kSide && right == kSide) continue;
        alive += cell((row + down) % kSide, (column + right) % kSide);
      }
    }
    return alive == 3 || (alive == 2 && cell(row, column) == 1) ? 1 : 0;
  }

  void step() {
    Board after{};
    for (std::uint32_t row = 0; row < kSide; ++row) {
      for (std::uint32_t column = 0; column < kSide; ++column)
        after[row][column] =
            next(row, column, [&](std::uint32_t r, std::uint32_t c) { return board_[r][c]; });
    }
    board_ = after;
  }

 private:
  Board board_{};
};

/// The game on the shared memory: fetch, barrier, store, barrier.
void play_life(Node& node, std::uint64_t seed, std::uint32_t generations) {
  constexpr std::uint32_t kSide = Life::kSide;
  Life oracle(seed);
  const std::uint32_t rows = kSide / node.node_count();
  const std::uint32_t first = rows * node.self().value();
  SpaceOptions options;
  options.local_objects = rows * kSide;
  options.remote_objects = kSide * kSide;
  auto cells = Dsm<std::uint8_t>::open(node, options).value();
  for (std::uint32_t i = 0; i < rows * kSide; ++i)
    cells.set_initial(LocalIndex(i), oracle.board()[first + i / kSide][i % kSide]);
  node.barrier();
  const auto fetch = [&](std::uint32_t row, std::uint32_t column) {
    return cells.fetch(ObjectId(NodeId(row / rows), LocalIndex(row % rows * kSide + column)));
  };
  for (std::uint32_t generation = 0; generation < generations; ++generation) {
    std::vector<std::uint8_t> after;
    for (std::uint32_t i = 0; i < rows * kSide; ++i)
      after.push_back(Life::next(first + i / kSide, i % kSide, fetch));
    node.barrier();
    for (std::uint32_t i = 0; i < rows * kSide; ++i) {
      if (cells.fetch(Handle(i)) != after[i]) cells.store(Handle(i), after[i]);
    }
    node.barrier();
    oracle.step();
    for (std::uint32_t i = 0; i < rows * kSide; ++i)
      REQUIRE(after[i] == oracle.board()[first + i / kSide][i % kSide]);
  }
}

}  // namespace

TEST_CASE("the game of life is right in every mode on every network") {
  for (const std::string& name : kModes) {
    for (const char* net : {"ideal", "infiniband", "ec2", "custom:latency_us=5,jitter_us=2000"}) {
      INFO(name << " on " << net);
      finish(run_sim(cluster(net, 4, 3), mode(name), [](Node& node) { play_life(node, 7, 8); }));
    }
  }
}

TEST_CASE("after a barrier every read returns what any node stored before it") {
  constexpr std::uint32_t kEach = 24;
  for (const std::string& name : kModes) {
    for (const bool collocation : {true, false}) {
      for (const std::uint32_t cache : {0U, kLeastCacheCapacity}) {
        INFO(name << (collocation ? "" : ", without collocation") << ", cache " << cache);
        finish(run_sim(cluster("ec2", 5, 11), mode(name, collocation), [&](Node& node) {
          auto dsm = open_objects(node, kEach, cache);
          const std::uint32_t nodes = node.node_count();
          const auto id = [&](std::uint32_t i) {
            return ObjectId(NodeId(i / kEach), LocalIndex(i % kEach));
          };
          // Without collocation the next node stores to an object.
          const auto writes = [&](std::uint32_t i) {
            return (i / kEach + (collocation ? 0 : 1)) % nodes == node.self().value();
          };
          node.barrier();
          for (std::uint64_t round = 1; round <= 6; ++round) {
            for (std::uint32_t i = 0; i < kEach * nodes; ++i) {
              if (writes(i) && (i + round) % 3 != 0) dsm.store(dsm.resolve(id(i)).value(), round);
            }
            node.barrier();
            for (std::uint32_t i = 0; i < kEach * nodes; ++i) {
              const std::uint64_t newest = (i + round) % 3 != 0 ? round : round - 1;
              REQUIRE(dsm.fetch(id(i)) == newest);
            }
            node.barrier();
          }
        }));
      }
    }
  }
}

TEST_CASE("a barrier needs one wave of messages and no more where nothing was stored") {
  finish(run_sim(cluster("infiniband", 9, 1), mode("rcp"), [](Node& node) {
    auto dsm = open_objects(node, 4);
    const std::uint64_t before = node.stats().collectives;
    node.barrier();
    dsm.fence();
    node.relaxed_barrier();
    REQUIRE(node.stats().collectives == before + 3);
  }));
}

namespace {

/// One object a node. `object`, of node 0, is stored once more after both nodes have read it, and node 1 knows that.
Dsm<std::uint64_t> open_with_stale_copy(Node& node, ObjectId object) {
  auto dsm = open_objects(node, 1);
  (void)dsm.fetch(object);
  node.relaxed_barrier();
  if (node.self() == NodeId(0)) dsm.store(Handle(0), 1);
  node.quiesce();
  return dsm;
}

}  // namespace

TEST_CASE("a relaxed barrier leaves copies as old as the mode allows, and a barrier does not") {
  for (const bool relaxed : {true, false}) {
    finish(run_sim(cluster("ideal", 2, 1), mode("stale-5"), [&](Node& node) {
      const ObjectId object(NodeId(0), LocalIndex(0));
      auto dsm = open_with_stale_copy(node, object);
      if (relaxed) {
        node.relaxed_barrier();
      } else {
        node.barrier();
      }
      if (node.self() == NodeId(1)) {
        REQUIRE(dsm.fetch(object) == (relaxed ? 0U : 1U));
        REQUIRE(dsm.stats().accesses.stale_hits == (relaxed ? 1U : 0U));
        REQUIRE(dsm.stats().accesses.stale_misses == (relaxed ? 0U : 1U));
      }
      node.barrier();
    }));
  }
}

TEST_CASE(
    "copies that are stale when all nodes vote to end become misses, and the run ends with current "
    "values") {
  for (const RunEnd end : {RunEnd::Current, RunEnd::Quiet, RunEnd::Voted}) {
    NodeOptions options = mode("stale-5");
    options.policy.end = end;
    finish(run_sim(cluster("ideal", 2, 1), options, [&](Node& node) {
      const ObjectId object(NodeId(0), LocalIndex(0));
      auto dsm = open_with_stale_copy(node, object);
      bool over = false;
      std::uint64_t last = 0;
      while (!over) {
        last = dsm.fetch(object);
        over = node.converged(false);
      }
      // Only an end with current values sees the store.
      REQUIRE(last == (node.self() == NodeId(0) || end == RunEnd::Current ? 1U : 0U));
      if (node.self() == NodeId(1)) {
        REQUIRE(dsm.stats().accesses.stale_misses == (end == RunEnd::Current ? 1U : 0U));
        REQUIRE(dsm.stats().refreshes.count() == 0);
      }
      node.barrier();
    }));
  }
}

TEST_CASE("a mode that refreshes requests old copies at the barrier, together") {
  finish(run_sim(cluster("infiniband", 2, 1), mode("rcp"), [](Node& node) {
    constexpr std::uint32_t kEach = 100;
    auto dsm = open_objects(node, kEach);
    const auto id = [](std::uint32_t i) { return ObjectId(NodeId(0), LocalIndex(i)); };
    for (std::uint32_t i = 0; i < kEach; ++i) (void)dsm.fetch(id(i));
    node.barrier();
    for (std::uint32_t i = 0; i < kEach && node.self() == NodeId(0); ++i) dsm.store(Handle(i), 1);
    node.barrier();
    const std::uint64_t blocked = node.stats().blocked_fetches;
    for (std::uint32_t i = 0; i < kEach; ++i) REQUIRE(dsm.fetch(id(i)) == 1);
    REQUIRE(node.stats().blocked_fetches <= blocked + 3);
  }));
}

TEST_CASE("a fence makes one space current and leaves the others") {
  finish(run_sim(cluster("ideal", 2, 1), mode("stale-5"), [](Node& node) {
    auto first = open_objects(node, 1, 0, "first");
    auto second = open_objects(node, 1, 0, "second");
    const ObjectId object(NodeId(0), LocalIndex(0));
    (void)first.fetch(object);
    (void)second.fetch(object);
    node.relaxed_barrier();
    if (node.self() == NodeId(0)) {
      first.store(Handle(0), 1);
      second.store(Handle(0), 1);
    }
    first.fence();
    REQUIRE(first.fetch(object) == 1);
    if (node.self() == NodeId(1)) REQUIRE(second.fetch(object) == 0);
    second.fence();
    REQUIRE(second.fetch(object) == 1);
    node.barrier();
  }));
}

TEST_CASE("a fetch that insists returns the home's value, and an ordinary one may not") {
  for (const std::string name : {"stale-50", "rcp", "rcp+push"}) {
    for (const std::uint32_t cache : {0U, kLeastCacheCapacity}) {
      INFO(name << ", cache " << cache);
      // Invalidations take longer than the relaxed barrier, because node 0 sends nothing between batches.
      NodeOptions options = mode(name);
      finish(run_sim(cluster("infiniband", 3, 5), options, [&](Node& node) {
        auto dsm = open_objects(node, 8, cache);
        const ObjectId object(NodeId(0), LocalIndex(3));
        (void)dsm.fetch(object);
        for (std::uint64_t turn = 1; turn <= 20; ++turn) {
          node.barrier();
          if (node.self() == NodeId(0)) dsm.store(Handle(3), turn);
          node.relaxed_barrier();
          REQUIRE(dsm.fetch_current(object) == turn);
          REQUIRE(dsm.fetch(object) == turn);  // reads never go back
        }
        node.barrier();
      }));
    }
  }
}

TEST_CASE("nodes in different barriers get an error that names both") {
  std::string error;
  NodeOptions options = mode("rcp");
  options.on_failure = [&](const Error& found) { error = found.to_string(); };
  (void)run_sim(cluster("ideal", 2, 1), options, [](Node& node) {
    auto dsm = open_objects(node, 1);
    if (node.self() == NodeId(0)) {
      node.barrier();
    } else {
      dsm.fence();
    }
  });
  REQUIRE_THAT(error, Catch::Contains("barrier()") && Catch::Contains("fence()"));
}
