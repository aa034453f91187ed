// Runs of a replay on several threads.
#include <atomic>
#include <catch2/catch.hpp>
#include <stdexcept>
#include <vector>

#include "base/format.h"
#include "benchmarks/replay/laboratory.h"

using namespace leeway;
using replay::Laboratory;

TEST_CASE("every run of a replay is made once") {
  const Laboratory lab({});
  std::vector<std::atomic<int>> made(1000);
  REQUIRE(lab.each(made.size(), [&](std::size_t i) -> Status {
    ++made[i];
    return {};
  }));
  for (const auto& times : made) REQUIRE(times == 1);
  REQUIRE(lab.each(0, [](std::size_t) -> Status {
    FAIL("called without a run to make");
    return {};
  }));
}

TEST_CASE("the first failure of a run ends the replay") {
  const Laboratory lab({});
  std::atomic<int> made = 0;
  const Status outcome = lab.each(1'000'000, [&](std::size_t i) -> Status {
    ++made;
    if (i >= 10) return fail(input_error("run", format("{} fails", i), "leave it out"));
    return {};
  });
  REQUIRE(!outcome);
  REQUIRE(outcome.error().exit_code() == 2);
  REQUIRE(made < 1'000'000);
  REQUIRE_THROWS_AS(lab.each(100,
                             [](std::size_t i) -> Status {
                               if (i == 50) throw std::length_error("too long");
                               return {};
                             }),
                    std::length_error);
}

TEST_CASE("threads of a replay share graphs and divisions") {
  Laboratory lab({});
  std::vector<const Graph*> graphs(64);
  std::vector<std::shared_ptr<const Partition>> divisions(graphs.size());
  REQUIRE(lab.each(graphs.size(), [&](std::size_t i) -> Status {
    const replay::GraphRequest request{i % 2 == 0 ? "kron:6" : "grid2d:9x9"};
    LEEWAY_ASSIGN(graphs[i], lab.inputs().graph(request));
    LEEWAY_ASSIGN(divisions[i], lab.inputs().division(request, 4, BalanceBy::Arcs));
    return {};
  }));
  for (std::size_t i = 2; i < graphs.size(); ++i) {
    REQUIRE(graphs[i] == graphs[i - 2]);
    REQUIRE(divisions[i] == divisions[i - 2]);
  }
}
