// Random schedules in the virtual cluster: for every network, straggler and model a program has one
// answer, and no run ends before it has it. LEEWAY_PIE_SEEDS is the number of seeds (500). A
// failure prints its seed, which LEEWAY_PIE_SEED repeats alone.
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdlib>
#include <string>

#include "base/format.h"
#include "leeway/pie.h"
#include "programs/pie/components.h"
#include "programs/pie/pagerank.h"
#include "programs/pie/paths.h"
#include "programs/reference/oracles.h"
#include "test/support/small_graphs.h"

using namespace leeway;
using namespace leeway::pie;

namespace {

std::uint64_t number_from(const char* name, std::uint64_t fallback) {
  const char* const text = std::getenv(name);
  return text == nullptr ? fallback : std::strtoull(text, nullptr, 10);
}

/// All parameters of a run except the program, drawn from a seed.
RunOptions random_run(Random& random, std::uint64_t seed) {
  RunOptions options;
  ClusterOptions& cluster = options.cluster;
  cluster.fabric = Fabric::Sim;
  cluster.seed = seed;
  cluster.nodes = 1 + static_cast<std::uint32_t>(random.below(9));
  const char* const networks[] = {
      "ideal", "ec2", "infiniband",
      "custom:latency_us=20,jitter_us=400,spike_per_million=100000,spike_us=5000"};
  cluster.network = parse_profile(networks[random.below(4)]).value();
  for (std::uint32_t node = 0; node < cluster.nodes; ++node)
    cluster.faults.slowdown_percent.push_back(100 +
                                              static_cast<std::uint32_t>(random.below(40)) * 100);
  if (random.chance(0.3)) {
    cluster.faults.pauses.push_back(
        {NodeId(static_cast<std::uint32_t>(random.below(cluster.nodes))),
         Instant(std::chrono::microseconds(random.below(500))),
         std::chrono::microseconds(1 + random.below(3000))});
  }
  options.pie.workers = 1 + static_cast<std::uint32_t>(random.below(random.chance(0.1) ? 64 : 14));
  for (std::uint32_t worker = 0; worker < options.pie.workers; ++worker)
    options.pie.nodes_of.push_back(NodeId(static_cast<std::uint32_t>(random.below(cluster.nodes))));
  Schedule& schedule = options.pie.schedule;
  schedule.model = static_cast<Scheduler>(1 + random.below(5));
  if (schedule.model == Scheduler::Ssp || random.chance(0.3))
    schedule.bound = static_cast<std::uint32_t>(random.below(4));
  schedule.gather_fraction = random.unit() * 2;
  schedule.least_target = static_cast<double>(random.below(6));
  schedule.fixed_target = random.chance(0.5);
  options.pie.most_rounds = 1'000'000;
  const PartitionMethod methods[] = {PartitionMethod::Random, PartitionMethod::Hash,
                                     PartitionMethod::Block, PartitionMethod::Metis};
  options.partition.method = methods[random.below(4)];
  if (random.chance(0.3)) options.pie.rate_window = std::chrono::microseconds(random.below(2000));
  options.partition.seed = seed;
  options.pie.cut = random.chance(0.3) ? Cut::Vertex : Cut::Edge;
  options.pie.hops = random.chance(0.2) ? 1 : 0;
  return options;
}

std::string described(const RunOptions& options) {
  return format("{} on {} nodes with {} workers, {}", scheduler_name(options.pie.schedule.model),
                options.cluster.nodes, options.pie.workers, options.cluster.network.name);
}

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
