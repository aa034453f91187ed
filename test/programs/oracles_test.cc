// The oracles compared with answers from the literature, or computed by hand.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <numeric>
#include <set>

#include "datasets/known_graphs.h"
#include "leeway/graph.h"
#include "programs/reference/oracles.h"
#include "test/support/small_graphs.h"

using namespace leeway;
using leeway::testing::graph_of;
using leeway::testing::random_graph;

TEST_CASE("distances and components of the known graphs equal published values") {
  for (const KnownGraph& known : known_graphs()) {
    CAPTURE(known.name);
    const Graph graph = make_known_graph(known.name, {}).value();
    const auto component = reference::components(graph);
    CHECK(std::set(component.begin(), component.end()).size() == known.answers.components);
    const auto distance = reference::shortest_distances(graph, VertexId(0));
    for (std::size_t v = 0; v < known.answers.distances.size(); ++v) {
      CHECK(distance[v] == known.answers.distances[v]);
    }
    if (!known.answers.diameter) continue;
    std::uint64_t farthest = 0;
    for (VertexId v(0); v.value() < graph.vertex_count(); v = v.next()) {
      for (const std::uint64_t depth : reference::depths(graph, v)) {
        if (depth != reference::kUnreached) farthest = std::max(farthest, depth);
      }
    }
    CHECK(farthest == *known.answers.diameter);
  }
}

TEST_CASE("clustering coefficients give the known numbers of triangles") {
  for (const KnownGraph& known : known_graphs()) {
    CAPTURE(known.name);
    const Graph graph = make_known_graph(known.name, {}).value();
    const auto clustering = reference::clustering(graph);
    double corners = 0;
    for (VertexId v(0); v.value() < graph.vertex_count(); v = v.next()) {
      const auto degree = static_cast<double>(graph.degree(v));
      corners += clustering[v.index()] * degree * (degree - 1) / 2;
    }
    CHECK(corners == Approx(3.0 * static_cast<double>(known.answers.triangles)));
  }
}

TEST_CASE("ranks sum to one with dangling vertices, and are equal on a cycle") {
  const Graph star = graph_of(4, {{1, 0}, {2, 0}, {3, 0}}, true);
  const auto rank = reference::pagerank(star, {});
  CHECK(std::accumulate(rank.begin(), rank.end(), 0.0) == Approx(1.0));
  // r0 = b + 0.85 * 3 r1, r1 = b, b = 0.15 / 4 + 0.85 r0 / 4, and all sum to 1
  CHECK(rank[0] == Approx(rank[1] * (1 + 3 * 0.85)));
  const auto cycle = reference::pagerank(generate("cycle:7", {}).value(), {});
  for (const double value : cycle) CHECK(value == Approx(1.0 / 7));
}

TEST_CASE("one iteration of ranks equals one computed by hand") {
  const Graph graph = graph_of(3, {{0, 1}, {0, 2}, {1, 2}}, true);
  reference::OraclePageRank options;
  options.iterations = 1;
  const auto rank = reference::pagerank(graph, options);
  const double base = 0.15 / 3 + 0.85 / 9;  // a third of the dangling vertex's rank of 1/3
  CHECK(rank[0] == Approx(base));
  CHECK(rank[1] == Approx(base + 0.85 / 6));
  CHECK(rank[2] == Approx(base + 0.85 / 6 + 0.85 / 3));
}

TEST_CASE("labels of two cliques joined by an edge converge to each clique's smallest") {
  std::vector<testing::TestEdge> edges;
  for (std::uint32_t a = 0; a < 10; ++a) {
    for (std::uint32_t b = a + 1; b < 10; ++b) {
      if (a / 5 == b / 5) edges.push_back({a, b});
    }
  }
  edges.push_back({4, 5});
  const Graph graph = graph_of(10, edges);
  std::vector<std::uint64_t> first(10);
  std::iota(first.begin(), first.end(), 100);
  const auto labels = reference::communities(graph, first, 10, reference::OwnLabel::LeftOut);
  for (std::size_t v = 0; v < 10; ++v) CHECK(labels[v] == (v < 5 ? 100 : 105));
}

TEST_CASE("an isolated vertex keeps its label, and both directions of a pair count") {
  const Graph graph = graph_of(4, {{0, 1}, {1, 0}, {0, 2}}, true);
  const std::vector<std::uint64_t> first = {10, 11, 5, 13};
  const auto labels = reference::communities(graph, first, 1, reference::OwnLabel::LeftOut);
  CHECK(labels == std::vector<std::uint64_t>{11, 10, 10, 13});
}

TEST_CASE("a vertex's own label counts only if requested") {
  const Graph pair = graph_of(2, {{0, 1}});
  const std::vector<std::uint64_t> first = {4, 3};
  using reference::OwnLabel;
  CHECK(reference::communities(pair, first, 1, OwnLabel::LeftOut) ==
        std::vector<std::uint64_t>{3, 4});
  CHECK(reference::communities(pair, first, 1, OwnLabel::Counts) ==
        std::vector<std::uint64_t>{3, 3});
}

TEST_CASE("all paths are counted, and counts behind a cycle are infinite") {
  using Counts = std::vector<std::uint64_t>;
  const auto count = [](const std::vector<testing::TestEdge>& arcs) {
    return reference::path_counts(graph_of(5, arcs, true), VertexId(0));
  };
  CHECK(count({{0, 1}, {0, 2}, {1, 2}, {2, 3}, {1, 3}}) == Counts{1, 1, 2, 3, 0});
  CHECK(count({{0, 1}, {0, 1}, {1, 2}, {1, 2}, {1, 0}, {4, 2}}) == Counts{1, 2, 4, 0, 0});
  constexpr std::uint64_t kMany = reference::kUncounted;
  CHECK(count({{0, 1}, {1, 2}, {2, 1}, {2, 3}, {0, 4}}) == Counts{1, kMany, kMany, kMany, 1});
  CHECK(count({{0, 1}, {2, 3}, {3, 2}, {3, 1}}) == Counts{1, 1, 0, 0, 0});
}

TEST_CASE("shortest paths through a grid are counted by binomials") {
  const Graph grid = generate("grid2d:6x5", {}).value();
  const auto paths = reference::shortest_path_counts(grid, VertexId(0)).value();
  CHECK(paths[5] == 1);
  CHECK(paths[6 * 4 + 5] == 126);  // 9 steps, 4 of them downwards
  CHECK(paths[6 * 1 + 1] == 2);
}

TEST_CASE(
    "parallel arcs give distinct paths, and too many paths are an error that names a vertex") {
  std::vector<testing::TestEdge> edges;
  for (std::uint32_t v = 0; v < 63; ++v) {
    edges.push_back({v, v + 1});
    edges.push_back({v, v + 1});
  }
  const auto most = reference::shortest_path_counts(graph_of(64, edges, true), VertexId(1)).value();
  CHECK(most[63] == std::uint64_t{1} << 62);
  const auto beyond = reference::shortest_path_counts(graph_of(64, edges, true), VertexId(0));
  REQUIRE_FALSE(beyond);
  CHECK(beyond.error().to_string().find("vertex 63") != std::string::npos);
}

TEST_CASE("a linear system is solved to its residual, and a zero diagonal is refused") {
  const Graph matrix = generate("matrix:anisotropic:12x9:1", {}).value();
  const std::vector<double> right_side(matrix.vertex_count(), 1.0);
  const auto x = reference::linear_solution(matrix, right_side).value();
  CHECK(reference::residual(matrix, right_side, x) < 1e-10);
  const std::vector<double> off = {1.0, 1.0};
  CHECK_FALSE(reference::linear_solution(
      graph_of(2, {{0, 1, 1.0}, {1, 0, 1.0}}, true, WeightKind::Real), off));
  const auto wild = reference::linear_solution(
      graph_of(2, {{0, 0, 1.0}, {0, 1, 3.0}, {1, 0, 3.0}, {1, 1, 1.0}}, true, WeightKind::Real),
      off);
  REQUIRE_FALSE(wild);
  CHECK(wild.error().to_string().find("does not converge") != std::string::npos);
}

TEST_CASE("a colour conflict is found, and a loop is not a conflict") {
  const Graph graph = graph_of(3, {{0, 1}, {1, 2}, {2, 2}});
  CHECK_FALSE(reference::first_clash(graph, std::vector<std::uint32_t>{0, 1, 0}));
  const auto clash = reference::first_clash(graph, std::vector<std::uint32_t>{0, 1, 1});
  REQUIRE(clash);
  CHECK(clash->first == VertexId(1));
  CHECK(clash->second == VertexId(2));
}
