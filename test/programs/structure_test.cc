// Programs that depend on the structure of the graph only: their work is done and charged like
// other work.
#include <catch2/catch.hpp>
#include <cmath>

#include "leeway/graph.h"
#include "leeway/job.h"
#include "programs/catalog/program.h"
#include "programs/degree/vertex.h"
#include "programs/lcc/clustering.h"
#include "programs/reference/oracles.h"
#include "programs/triangles/triangle_counter.h"
#include "runtime/graph/graph_part.h"
#include "test/support/small_graphs.h"

using namespace leeway;
using leeway::testing::graph_of;
using leeway::testing::random_graph;

namespace {

RunOptions on(Fabric fabric, std::uint32_t nodes, unsigned threads = 1) {
  RunOptions options;
  options.cluster.fabric = fabric;
  options.cluster.nodes = nodes;
  options.vertex.threads = threads;
  return options;
}

Result<ProgramResult> run_clustering(const Graph& graph, const RunOptions& options) {
  return find_run("lcc", EngineName::Vertex)->run(graph, {}, options);
}

void check_clustering(const Graph& graph, const RunOptions& options) {
  const auto expected = reference::clustering(graph);
  const auto found = run_clustering(graph, options);
  REQUIRE(found.has_value());
  CHECK(found->record.converged());
  const auto& values = std::get<std::vector<double>>(found->values.by_vertex);
  for (std::size_t v = 0; v < expected.size(); ++v)
    REQUIRE(values[v] == Approx(expected[v]).margin(1e-12));
}

void check_triangles(const Graph& graph, const RunOptions& options) {
  const auto expected = reference::triangles(graph);
  const auto found = find_run("triangles", EngineName::Vertex)->run(graph, {}, options);
  REQUIRE(found.has_value());
  CHECK(found->record.converged());
  REQUIRE(std::get<std::vector<std::uint64_t>>(found->values.by_vertex) == expected);
  double corners = 0;
  for (const std::uint64_t each : expected) corners += static_cast<double>(each);
  REQUIRE(found->figures.size() == 1);
  CHECK(found->figures[0].first == "triangles");
  CHECK(found->figures[0].second * 3 == corners);
}

/// The triangles of all vertices, counted by several nodes that each have a part.
std::vector<std::uint64_t> triangles_in_parts(const Graph& graph, std::uint32_t nodes,
                                              unsigned threads) {
  std::vector<std::uint64_t> values(graph.vertex_count());
  const Status counted =
      with_group(on(Fabric::Loopback, nodes).cluster, [&](Group& group) -> Status {
        LEEWAY_ASSIGN(const GraphPart part,
                      part_of(graph, group.self(), group.count(), BalanceBy::Arcs));
        LEEWAY_ASSIGN(const auto rows, count_triangles<TriangleRow>(group, part, threads));
        for (std::uint32_t v = 0; v < rows.size(); ++v)
          values[part.vertex(v).index()] = rows[v].count;
        return {};
      });
  REQUIRE(counted);
  return values;
}

/// The coefficients of all vertices, counted by several nodes that each have a part.
std::vector<double> count_in_parts(const Graph& graph, std::uint32_t nodes, unsigned threads) {
  std::vector<double> values(graph.vertex_count());
  const Status counted =
      with_group(on(Fabric::Loopback, nodes).cluster, [&](Group& group) -> Status {
        LEEWAY_ASSIGN(const GraphPart part,
                      part_of(graph, group.self(), group.count(), BalanceBy::Arcs));
        LEEWAY_ASSIGN(const auto rows, count_clustering(group, part, threads));
        for (std::uint32_t v = 0; v < rows.size(); ++v)
          values[part.vertex(v).index()] = rows[v].coefficient;
        return {};
      });
  REQUIRE(counted);
  return values;
}

}  // namespace

TEST_CASE("clustering coefficients equal the oracle's on random graphs, directed or not") {
  for (std::uint64_t seed = 0; seed < 120; ++seed) {
    CAPTURE(seed);
    const auto vertices = static_cast<std::uint32_t>(1 + seed * 7 % 60);
    const Graph graph = random_graph(
        seed, vertices, static_cast<std::uint32_t>(vertices * (seed % 8)), seed % 2 == 0);
    for (const Scheduler scheduler : {Scheduler::DoWork, Scheduler::Bsp}) {
      RunOptions options = on(Fabric::Sim, 1 + static_cast<std::uint32_t>(seed % 3));
      options.vertex.scheduler = scheduler;
      check_clustering(graph, options);
    }
  }
}

TEST_CASE("clustering coefficients equal the oracle's around hubs, on several threads") {
  const Graph graph = generate("kron:10:8", {}).value();
  check_clustering(graph, on(Fabric::Loopback, 1, 3));
  check_clustering(graph, on(Fabric::Loopback, 2, 3));
  check_clustering(generate("star:500", {}).value(), on(Fabric::Loopback, 1, 3));
}

TEST_CASE("clustering coefficients are the same by parts, bit for bit") {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    CAPTURE(seed);
    const auto vertices = static_cast<std::uint32_t>(1 + seed * 11 % 90);
    const Graph graph = random_graph(
        seed, vertices, static_cast<std::uint32_t>(vertices * (seed % 9)), seed % 2 == 0);
    const auto nodes = static_cast<std::uint32_t>(2 + seed % 4);
    REQUIRE(count_in_parts(graph, nodes, 1 + static_cast<unsigned>(seed % 3)) ==
            count_in_parts(graph, 1, 1));
  }
  const Graph hubs = generate("kron:11:16", {}).value();
  CHECK(count_in_parts(hubs, 3, 2) == reference::clustering(hubs));
}

TEST_CASE(
    "triangles equal the oracle's on random graphs with loops, parallel arcs and lone vertices") {
  for (std::uint64_t seed = 0; seed < 120; ++seed) {
    CAPTURE(seed);
    const auto vertices = static_cast<std::uint32_t>(1 + seed * 7 % 60);
    const auto arcs = static_cast<std::uint32_t>(vertices * (seed % 8));
    const Graph graph = random_graph(seed, vertices, arcs, false);
    for (const Scheduler scheduler : {Scheduler::DoWork, Scheduler::Bsp}) {
      RunOptions options = on(Fabric::Sim, 1 + static_cast<std::uint32_t>(seed % 3));
      options.vertex.scheduler = scheduler;
      check_triangles(graph, options);
    }
    const auto nodes = static_cast<std::uint32_t>(2 + seed % 4);
    REQUIRE(triangles_in_parts(graph, nodes, 1 + static_cast<unsigned>(seed % 3)) ==
            reference::triangles(graph));
  }
  check_triangles(graph_of(0, {}, false), on(Fabric::Loopback, 1));
  // A triangle whose edges occur several times, with loops, and a lone vertex.
  const Graph rich = graph_of(
      5, {{0, 1}, {1, 0}, {0, 1}, {1, 2}, {2, 0}, {2, 2}, {2, 2}, {0, 0}, {3, 2}, {3, 3}}, false);
  check_triangles(rich, on(Fabric::Loopback, 1));
  CHECK(reference::triangles(rich) == std::vector<std::uint64_t>{1, 1, 1, 0, 0});
}

TEST_CASE("triangles equal the oracle's around hubs and without hubs, on several threads") {
  for (const char* spec : {"kron:10:8", "kron:11:16", "star:500", "complete:70", "uniform:3000:40",
                           "grid2d:30x40", "path:1"}) {
    CAPTURE(spec);
    const Graph graph = generate(spec, {.direction = Direction::Undirected}).value();
    check_triangles(graph, on(Fabric::Loopback, 1));
    check_triangles(graph, on(Fabric::Loopback, 1, 3));
    check_triangles(graph, on(Fabric::Loopback, 2, 2));
    CHECK(triangles_in_parts(graph, 3, 2) == reference::triangles(graph));
  }
}

TEST_CASE("the work of clustering takes virtual time, and no messages") {
  // Equal numbers of vertices and arcs. In one graph each neighbour has a list of 100, in the other
  // a list of 2.
  const Graph dense = generate("complete:100", {}).value();
  const Graph sparse = generate("path:4951", {}).value();
  const auto looking = run_clustering(dense, on(Fabric::Sim, 4));
  const auto passing = run_clustering(sparse, on(Fabric::Sim, 4));
  REQUIRE((looking.has_value() && passing.has_value()));
  // Each of the 100 x 99 x 98 / 6 triangles is found once, by one of four nodes, at least at the price of an arc.
  const CostModel cost;
  const double least = 100.0 * 99 * 98 / 6 / 4 * static_cast<double>(cost.edge_ps) * 1e-12;
  CHECK(looking->record.phases.compute > least);
  CHECK(looking->record.phases.compute > 4 * passing->record.phases.compute);
  CHECK(looking->record.messages() == 0);
}

TEST_CASE("degrees are the lengths of the lists") {
  const Graph graph = random_graph(3, 50, 200, true);
  const auto found = run_job(graph, Degree(), on(Fabric::Sim, 3));
  REQUIRE(found.has_value());
  for (VertexId v(0); v.value() < graph.vertex_count(); v = v.next())
    REQUIRE(found->values[v.index()] == graph.neighbors(v).size());
}
