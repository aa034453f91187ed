// Every PIE program under every parallel model, on one worker and many and for every cut of the
// graph, gives the sequential answer.
#include <catch2/catch.hpp>
#include <cmath>
#include <string>

#include "base/format.h"
#include "leeway/graph.h"
#include "leeway/pie.h"
#include "programs/cc/pie.h"
#include "programs/pagerank/pie.h"
#include "programs/reference/oracles.h"
#include "programs/sssp/pie.h"
#include "runtime/cluster/record.h"
#include "test/support/small_graphs.h"

using namespace leeway;
using namespace leeway::pie;
using leeway::testing::random_graph;

namespace {

struct Setup {
  Scheduler model = Scheduler::Aap;
  std::uint32_t nodes = 1;
  std::uint32_t workers = 1;
  Cut cut = Cut::Edge;
  PartitionMethod method = PartitionMethod::Hash;
  std::optional<double> skew;
  Fabric fabric = Fabric::Sim;
  std::uint64_t seed = 1;
  std::uint32_t hops = 0;

  [[nodiscard]] std::string name() const {
    return format("{}, {} workers on {} nodes, {} cut, {}{}, {}, seed {}", scheduler_name(model),
                  workers, nodes, cut == Cut::Edge ? "edge" : "vertex",
                  partition_method_name(method), skew ? " skewed" : "", fabric_name(fabric), seed);
  }
  [[nodiscard]] RunOptions options() const {
    RunOptions options;
    options.cluster.fabric = fabric;
    options.cluster.nodes = nodes;
    options.cluster.seed = seed;
    if (fabric == Fabric::Sim) options.cluster.network = parse_profile("ec2").value();
    options.pie.schedule.model = model;
    if (model == Scheduler::Ssp) options.pie.schedule.bound = 1;
    options.pie.most_rounds = 10'000;
    options.pie.workers = workers;
    options.pie.cut = cut;
    options.pie.hops = hops;
    options.partition.method = method;
    options.partition.skew = skew;
    return options;
  }
};

void check_sssp(const Graph& graph, const Setup& setup) {
  const VertexId source(0);
  const auto answer = run_pie(graph, PieSssp(graph, source), setup.options());
  REQUIRE(answer.has_value());
  CHECK(answer->record.converged());
  CHECK(answer->values == reference::shortest_distances(graph, source));
}

void check_bfs(const Graph& graph, const Setup& setup) {
  const VertexId source(0);
  const auto answer = run_pie(graph, PieBfs(graph, source), setup.options());
  REQUIRE(answer.has_value());
  const auto expected = reference::depths(graph, source);
  for (std::size_t v = 0; v < expected.size(); ++v) {
    const std::uint64_t found =
        answer->values[v] == PieBfs::kFar ? reference::kUnreached : answer->values[v];
    REQUIRE(found == expected[v]);
  }
}

void check_components(const Graph& graph, const Setup& setup) {
  const auto answer = run_pie(graph, pie::PieComponents(), setup.options());
  REQUIRE(answer.has_value());
  CHECK(answer->values == reference::components(graph));
}

void check_pagerank(const Graph& graph, const Setup& setup) {
  const auto expected = reference::pagerank(graph, {});
  const double mean = mean_score(graph, 0.85);
  // One pass per round suits synchronous models; asynchronous workers would run very many rounds.
  const std::uint32_t passes = setup.model == Scheduler::Bsp ? 1 : 0;
  for (const pie::PiePageRank& program :
       {pie::PiePageRank(), pie::PiePageRank({}, {.passes = passes, .start = mean}),
        quick_pagerank(graph, {})}) {
    auto answer = run_pie(graph, program, setup.options());
    REQUIRE(answer.has_value());
    scale_to_one(answer->values, sum_of(answer->values));
    for (std::size_t v = 0; v < expected.size(); ++v)
      REQUIRE(std::abs(answer->values[v] - expected[v]) <= 1e-7 * expected[v]);
  }
}

void check_all(const Setup& setup) {
  INFO(setup.name());
  const Graph weighted = random_graph(7, 60, 150, true, WeightKind::Integer);
  const Graph plain = random_graph(8, 70, 90, false);
  check_sssp(weighted, setup);
  check_bfs(weighted, setup);
  check_bfs(plain, setup);
  check_components(plain, setup);
  check_components(weighted, setup);
  check_pagerank(weighted, setup);
  check_pagerank(plain, setup);
}

constexpr Scheduler kModels[] = {Scheduler::Bsp, Scheduler::Ap, Scheduler::Ssp, Scheduler::Aap,
                                 Scheduler::Hsync};

}  // namespace

TEST_CASE("one fragment answers like the sequential oracle") {
  for (const Scheduler model : kModels) check_all({.model = model, .fabric = Fabric::Loopback});
}

TEST_CASE("a single fragment computes PageRank on several threads, to a sum of changes") {
  const auto scores = [](const Graph& graph, const PageRankParameters& how, unsigned threads) {
    RunOptions options;
    options.cluster.fabric = Fabric::Loopback;
    auto answer = run_pie(graph, quick_pagerank(graph, how, threads), options);
    REQUIRE(answer.has_value());
    return std::move(answer->values);
  };
  std::vector<Graph> graphs;
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    graphs.push_back(random_graph(seed, 3000, 9000, true));  // with loops and vertices without arcs
    graphs.push_back(random_graph(seed, 400, 300, false));
  }
  graphs.push_back(random_graph(4, 5, 0, true));
  for (const Graph& graph : graphs) {
    std::vector<double> exact = reference::pagerank(graph, {});
    const std::vector<double> solved = scores(graph, {.tolerance_of = RankChange::Each}, 1);
    for (const unsigned threads : {1U, 2U, 3U}) {
      std::vector<double> found =
          scores(graph, {.tolerance = 1e-11, .tolerance_of = RankChange::Sum}, threads);
      // The scores solve the equation with 1 - d for each vertex, whatever one fragment gives instead while it computes.
      for (std::size_t v = 0; v < found.size(); ++v)
        REQUIRE(std::abs(found[v] - solved[v]) <= 1e-6 * solved[v]);
      scale_to_one(found, sum_of(found));
      double off = 0;
      for (std::size_t v = 0; v < found.size(); ++v) off += std::abs(found[v] - exact[v]);
      CHECK(off <= 1e-9);
    }
  }
}

TEST_CASE("every program under every model equals its oracle in the virtual cluster") {
  for (const Scheduler model : kModels) {
    for (const Cut cut : {Cut::Edge, Cut::Vertex}) {
      check_all({.model = model, .nodes = 3, .workers = 3, .cut = cut});
      check_all({.model = model, .nodes = 16, .workers = 16, .cut = cut});
      check_all({.model = model, .nodes = 4, .workers = 64, .cut = cut});
    }
  }
}

TEST_CASE("shortest paths with a limit of a few arcs per round") {
  const Graph weighted = random_graph(17, 120, 500, true, WeightKind::Integer);
  const VertexId source(3);
  const auto lengths = reference::shortest_distances(weighted, source);
  const auto depths = reference::depths(weighted, source);
  for (const Scheduler model : kModels) {
    for (const Cut cut : {Cut::Edge, Cut::Vertex}) {
      for (const std::uint64_t arcs : {1U, 3U, 40U}) {
        const Setup setup{.model = model, .nodes = 4, .workers = 7, .cut = cut, .seed = arcs};
        INFO(setup.name());
        const auto found = run_pie(weighted, PieSssp(weighted, source, arcs), setup.options());
        REQUIRE(found.has_value());
        CHECK(found->values == lengths);
        const auto steps = run_pie(weighted, PieBfs(weighted, source, arcs), setup.options());
        REQUIRE(steps.has_value());
        for (std::size_t v = 0; v < depths.size(); ++v)
          CHECK((steps->values[v] == PieBfs::kFar ? reference::kUnreached : steps->values[v]) ==
                depths[v]);
      }
    }
  }
}

TEST_CASE("an arc far longer than the others needs no buckets for lengths between") {
  // Many short arcs between two vertices make buckets narrow, and the long arc spans millions of
  // them.
  std::vector<leeway::testing::TestEdge> edges(20'000, {0, 1, 1});
  edges.push_back({1, 2, 1e15});
  const Graph graph = leeway::testing::graph_of(3, edges, true, WeightKind::Real);
  const std::uint64_t before = peak_memory();
  const auto found = run_pie(graph, PieSssp(graph, VertexId(0)), Setup{}.options());
  REQUIRE(found.has_value());
  CHECK(found->values == std::vector<double>{0, 1, 1 + 1e15});
  CHECK(peak_memory() - before < (std::uint64_t{64} << 20));
}

TEST_CASE("a round of paths that reached its limit leaves the rest to the next round") {
  const Graph graph = random_graph(18, 200, 900, true, WeightKind::Integer);
  const auto whole = run_pie(graph, PieSssp(graph, VertexId(0)), Setup{}.options());
  const auto parts = run_pie(graph, PieSssp(graph, VertexId(0), 10), Setup{}.options());
  REQUIRE((whole.has_value() && parts.has_value()));
  CHECK(whole->record.count(Counter::Rounds) == 1);
  CHECK(parts->record.count(Counter::Rounds) > 10);
  CHECK(parts->values == whole->values);
}

TEST_CASE("all nodes switch to the same model, in every order of arrival of the reported times") {
  const Graph plain = random_graph(8, 70, 90, false);
  const Graph weighted = random_graph(7, 60, 150, true, WeightKind::Integer);
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    for (const Cut cut : {Cut::Edge, Cut::Vertex}) {
      const Setup setup{
          .model = Scheduler::Hsync, .nodes = 16, .workers = 16, .cut = cut, .seed = seed};
      INFO(setup.name());
      check_pagerank(plain, setup);
      check_pagerank(weighted, setup);
    }
  }
}

TEST_CASE("every program under every model equals its oracle on threads") {
  for (const Scheduler model : kModels) {
    for (const Cut cut : {Cut::Edge, Cut::Vertex}) {
      check_all({.model = model, .nodes = 3, .workers = 3, .cut = cut, .fabric = Fabric::Loopback});
      check_all(
          {.model = model, .nodes = 3, .workers = 10, .cut = cut, .fabric = Fabric::Loopback});
    }
  }
}

TEST_CASE("METIS, skewed partitions and hops beyond the cut change the work, not the answer") {
  for (const Scheduler model : kModels) {
    check_all({.model = model, .nodes = 4, .workers = 4, .method = PartitionMethod::Metis});
    check_all(
        {.model = model, .nodes = 4, .workers = 4, .method = PartitionMethod::Metis, .skew = 4.0});
    check_all({.model = model, .nodes = 4, .workers = 4, .hops = 2});
  }
}

TEST_CASE(
    "METIS and skewed partitions on 16 and 64 workers, in the virtual cluster and on threads") {
  const Graph graph = random_graph(12, 300, 700, true, WeightKind::Integer);
  for (const Scheduler model : kModels) {
    for (const std::uint32_t workers : {16U, 64U}) {
      for (const std::optional<double> skew : {std::optional<double>(), std::optional<double>(4)}) {
        for (const Fabric fabric : {Fabric::Sim, Fabric::Loopback}) {
          const Setup setup{.model = model,
                            .nodes = 4,
                            .workers = workers,
                            .method = PartitionMethod::Metis,
                            .skew = skew,
                            .fabric = fabric};
          INFO(setup.name());
          check_sssp(graph, setup);
          check_components(graph, setup);
        }
      }
    }
  }
}

TEST_CASE("empty and tiny graphs, and more workers than vertices") {
  for (const std::uint32_t vertices : {0U, 1U, 2U}) {
    const Graph graph = random_graph(3, vertices, vertices, false);
    for (const Scheduler model : kModels) {
      const Setup setup{.model = model, .nodes = 2, .workers = 5};
      INFO(setup.name());
      check_components(graph, setup);
      if (vertices > 0) check_bfs(graph, setup);
    }
  }
}

TEST_CASE("several queries share one loaded partition") {
  const Graph graph = random_graph(9, 50, 120, true, WeightKind::Integer);
  const Setup setup{.nodes = 3, .workers = 6};
  auto session = Session::open(graph, PieSssp(graph, VertexId(0)).needs(), setup.options());
  REQUIRE(session.has_value());
  REQUIRE(session->load().has_value());
  const Fragment* const first = session->fragment(PartId(2));
  for (std::uint32_t source = 0; source < 5; ++source) {
    const auto answer = session->ask(PieSssp(graph, VertexId(source)));
    REQUIRE(answer.has_value());
    CHECK(answer->values == reference::shortest_distances(graph, VertexId(source)));
  }
  CHECK(session->fragment(PartId(2)) == first);
}

TEST_CASE("a run that reaches its limit of rounds ends without convergence") {
  const Graph graph = random_graph(10, 200, 600, false);
  for (const Scheduler model : kModels) {
    const Setup setup{.model = model, .nodes = 3, .workers = 5};
    INFO(setup.name());
    RunOptions options = setup.options();
    options.pie.most_rounds = 2;
    const auto answer = run_pie(graph, pie::PiePageRank(), options);
    REQUIRE(answer.has_value());
    CHECK_FALSE(answer->record.converged());
  }
}

TEST_CASE(
    "a limit of rounds refuses no peer, though workers that join others count from their round") {
  const Graph graph = generate("path:60", {}).value();
  const Fabric fabric = GENERATE(Fabric::Loopback, Fabric::Sim);
  for (const Scheduler model : {Scheduler::Ssp, Scheduler::Aap}) {
    for (const std::uint32_t most : {1U, 2U, 5U, 9U, 20U}) {
      const Setup setup{.model = model, .nodes = 4, .workers = 4, .fabric = fabric};
      INFO(setup.name() << ", at most " << most);
      RunOptions options = setup.options();
      options.pie.schedule.bound = 1;
      options.pie.most_rounds = most;
      const auto answer = run_pie(graph, PieBfs(graph, VertexId(0)), options);
      REQUIRE(answer.has_value());
      CHECK((answer->record.converged() || answer->record.count(Counter::MostRounds) >= most));
    }
  }
}

TEST_CASE("a program without changed values is not stopped, for any number of rounds") {
  const Graph graph = generate("path:3000", {}).value();
  for (const Scheduler model : kModels) {
    const Setup setup{.model = model, .nodes = 2, .workers = 4};
    INFO(setup.name());
    RunOptions options = setup.options();
    options.pie.most_rounds = {};
    options.pie.patience = 10;
    const auto bfs = run_pie(graph, PieBfs(graph, VertexId(0)), options);
    REQUIRE(bfs.has_value());
    CHECK(bfs->record.converged());
    CHECK(bfs->record.count(Counter::MostRounds) > 100);
    CHECK(bfs->values.back() == 2999);
  }
}

TEST_CASE("a tolerance of 0 ends once no change affects a score") {
  const Cut cut = GENERATE(Cut::Edge, Cut::Vertex);
  for (const Graph& graph : {generate("path:5", {}).value(), random_graph(12, 60, 150, true)}) {
    const auto expected = reference::pagerank(graph, {.tolerance = 1e-16});
    for (const Scheduler model : kModels) {
      const Setup setup{.model = model, .nodes = 2, .workers = 3, .cut = cut};
      INFO(setup.name());
      for (const pie::PiePageRank& program :
           {pie::PiePageRank({.tolerance = 0}), quick_pagerank(graph, {.tolerance = 0})}) {
        auto answer = run_pie(graph, program, setup.options());
        REQUIRE(answer.has_value());
        CHECK(answer->record.converged());
        scale_to_one(answer->values, sum_of(answer->values));
        for (std::size_t v = 0; v < expected.size(); ++v)
          REQUIRE(std::abs(answer->values[v] - expected[v]) <= 1e-13 * expected[v]);
      }
    }
  }
}

TEST_CASE("more workers than vertices of a graph take little time and memory") {
  const Graph graph = generate("known:karate", {}).value();
  for (const Scheduler model : {Scheduler::Aap, Scheduler::Ssp, Scheduler::Bsp}) {
    const Setup setup{.model = model, .nodes = 1, .workers = 4096, .fabric = Fabric::Loopback};
    INFO(setup.name());
    check_bfs(graph, setup);
    check_components(graph, setup);
  }
}

namespace {

/// Number of rounds that begin before an earlier one has ended.
std::size_t overlaps(const std::vector<RoundRecord>& rounds) {
  std::size_t count = 0;
  Instant end{};
  for (const RoundRecord& round : rounds) {
    count += round.begin < end ? 1 : 0;
    end = std::max(end, round.end);
  }
  return count;
}

}  // namespace

TEST_CASE("rounds of a node's workers on several threads give the sequential answers") {
  const Scheduler model =
      GENERATE(Scheduler::Bsp, Scheduler::Ap, Scheduler::Ssp, Scheduler::Aap, Scheduler::Hsync);
  const std::uint32_t nodes = GENERATE(1u, 2u);
  const Graph graph = random_graph(7, 20'000, 100'000, true, WeightKind::Real);
  RunOptions options =
      Setup{.model = model, .nodes = nodes, .workers = 6, .fabric = Fabric::Loopback}.options();
  options.pie.threads = 3;
  options.pie.keep_rounds = true;
  const VertexId source(0);
  const auto expected = reference::shortest_distances(graph, source);
  std::size_t side_by_side = 0;  // overlapping rounds of one node
  // On a busy machine one thread may finish all work before another one starts.
  for (int attempt = 0; attempt < 50 && side_by_side == 0; ++attempt) {
    const auto answer = run_pie(graph, PieSssp(graph, source), options);
    REQUIRE(answer.has_value());
    CHECK(answer->values == expected);
    for (const NodeTrace& node : answer->record.rounds->nodes)
      side_by_side += overlaps(node.rounds);
  }
  CHECK(side_by_side > 0);
}
