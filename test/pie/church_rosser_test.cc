// Random schedules in the virtual cluster: for every network, straggler and model a program has one
// answer, and no run ends before it has it. LEEWAY_PIE_SEEDS is the number of seeds (500). A
// failure prints its seed, which LEEWAY_PIE_SEED repeats alone.
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdlib>
#include <string>

#include "base/format.h"
#include "leeway/pie.h"
#include "programs/cc/pie.h"
#include "programs/pagerank/pie.h"
#include "programs/reference/oracles.h"
#include "programs/sssp/pie.h"
#include "test/support/random_pie_runs.h"
#include "test/support/small_graphs.h"

using namespace leeway;
using namespace leeway::pie;
using leeway::testing::described;
using leeway::testing::number_from;
using leeway::testing::random_run;

namespace {

void check_seed(std::uint64_t seed) {
  Random random(seed, 99);
  const auto vertices = 2 + static_cast<std::uint32_t>(random.below(60));
  const auto edges = static_cast<std::uint32_t>(random.below(3 * vertices));
  const bool directed = random.chance(0.5);
  const Graph graph =
      leeway::testing::random_graph(seed, vertices, edges, directed, WeightKind::Integer);
  RunOptions options = random_run(random, seed);
  if (random.chance(0.3) && options.pie.workers > 1 && vertices >= 4 * options.pie.workers)
    options.partition.skew = 1 + random.unit() * 3;
  INFO("LEEWAY_PIE_SEED=" << seed << ": " << described(options));
  const VertexId source(static_cast<std::uint32_t>(random.below(vertices)));
  switch (random.below(4)) {
    case 0: {
      const auto answer = run_pie(graph, PieSssp(graph, source), options);
      INFO((answer ? std::string() : answer.error().to_string()));
      REQUIRE(answer.has_value());
      REQUIRE(answer->values == reference::shortest_distances(graph, source));
      return;
    }
    case 1: {
      const auto answer = run_pie(graph, PieBfs(graph, source), options);
      INFO((answer ? std::string() : answer.error().to_string()));
      REQUIRE(answer.has_value());
      const auto expected = reference::depths(graph, source);
      for (std::size_t v = 0; v < expected.size(); ++v)
        REQUIRE((answer->values[v] == PieBfs::kFar ? reference::kUnreached : answer->values[v]) ==
                expected[v]);
      return;
    }
    case 2: {
      const auto answer = run_pie(graph, pie::PieComponents(), options);
      INFO((answer ? std::string() : answer.error().to_string()));
      REQUIRE(answer.has_value());
      REQUIRE(answer->values == reference::components(graph));
      return;
    }
    default: {
      const pie::PiePageRank program =
          random.chance(0.5) ? pie::PiePageRank() : quick_pagerank(graph, {});
      auto answer = run_pie(graph, program, options);
      INFO((answer ? std::string() : answer.error().to_string()));
      REQUIRE(answer.has_value());
      scale_to_one(answer->values, sum_of(answer->values));
      const auto expected = reference::pagerank(graph, {});
      for (std::size_t v = 0; v < expected.size(); ++v)
        REQUIRE(std::abs(answer->values[v] - expected[v]) <= 1e-6 * expected[v]);
    }
  }
}

}  // namespace

TEST_CASE("random schedules give one answer, and never end early") {
  if (std::getenv("LEEWAY_PIE_SEED") != nullptr)
    return check_seed(number_from("LEEWAY_PIE_SEED", 1));
  const std::uint64_t seeds = number_from("LEEWAY_PIE_SEEDS", 500);
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) check_seed(seed);
}
