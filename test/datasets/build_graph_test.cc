#include "datasets/build_graph.h"

#include <catch2/catch.hpp>
#include <tuple>
#include <vector>

#include "base/random.h"

using namespace leeway;

namespace {

using Edge = std::tuple<std::uint32_t, std::uint32_t, double>;

EdgeList listed(const std::vector<Edge>& edges, WeightKind kind, std::size_t chunk_size = 2) {
  EdgeList list;
  list.weight_kind = kind;
  EdgeChunkBuilder builder;
  for (const auto& [from, to, weight] : edges) {
    if (kind == WeightKind::None)
      builder.add(VertexId(from), VertexId(to));
    else
      builder.add(VertexId(from), VertexId(to), weight);
    if (builder.size() == chunk_size) list.chunks.push_back(builder.finish().value());
  }
  list.chunks.push_back(builder.finish().value());
  return list;
}

GraphShape shape(std::uint32_t vertices, bool directed) {
  return {vertices, directed, 0, VertexNames::sequence(0, vertices), false};
}

std::vector<std::uint32_t> list(const Graph& graph, std::uint32_t vertex) {
  std::vector<std::uint32_t> values;
  for (const VertexId v : graph.neighbors(VertexId(vertex))) values.push_back(v.value());
  return values;
}

std::vector<double> weights(const Graph& graph, std::uint32_t vertex) {
  const auto found = graph.weights(VertexId(vertex));
  return {found.begin(), found.end()};
}

using Ids = std::vector<std::uint32_t>;
using Weighed = std::vector<double>;

std::vector<Edge> random_edges(std::uint64_t seed, std::uint32_t vertices, std::size_t count) {
  Random random(seed);
  std::vector<Edge> edges;
  for (std::size_t i = 0; i < count; ++i) {
    edges.emplace_back(static_cast<std::uint32_t>(random.below(vertices)),
                       static_cast<std::uint32_t>(random.below(vertices)),
                       static_cast<double>(random.below(1000)));
  }
  return edges;
}

}  // namespace

TEST_CASE("adjacency lists are sorted for every order of the edges") {
  const auto graph =
      build_graph(listed({{2, 1, 0}, {0, 3, 0}, {0, 1, 0}, {2, 0, 0}, {0, 2, 0}}, WeightKind::None),
                  shape(4, true), {})
          .value();
  REQUIRE(list(graph, 0) == Ids{1, 2, 3});
  REQUIRE(list(graph, 1).empty());
  REQUIRE(list(graph, 2) == Ids{0, 1});
  REQUIRE(graph.edge_count() == 5);
}

TEST_CASE("an undirected edge is in both lists, and a self-loop is listed once") {
  const auto graph =
      build_graph(listed({{1, 1, 0}, {2, 0, 0}}, WeightKind::None), shape(3, false), {}).value();
  REQUIRE(list(graph, 0) == Ids{2});
  REQUIRE(list(graph, 1) == Ids{1});
  REQUIRE(list(graph, 2) == Ids{0});
  REQUIRE(graph.edge_count() == 2);
}

TEST_CASE("edges listed from both ends are not mirrored again") {
  auto both = shape(3, false);
  both.from_both_ends = true;
  const auto graph =
      build_graph(listed({{0, 1, 0}, {1, 0, 0}, {2, 2, 0}}, WeightKind::None), std::move(both), {})
          .value();
  REQUIRE(graph.arc_count() == 3);
  REQUIRE(graph.edge_count() == 2);
}

TEST_CASE("duplicates are kept in their order or merged by the given rule") {
  const std::vector<Edge> edges = {{0, 1, 5}, {0, 2, 1}, {0, 1, 3}, {0, 1, 4}};
  const auto with = [&](Duplicates duplicates, MergeWeights rule) {
    LoadOptions options;
    options.duplicates = duplicates;
    options.merge_weights = rule;
    return weights(build_graph(listed(edges, WeightKind::Integer), shape(3, true), options).value(),
                   0);
  };
  REQUIRE(with(Duplicates::Keep, MergeWeights::Sum) == Weighed{5, 3, 4, 1});
  REQUIRE(with(Duplicates::Merge, MergeWeights::Sum) == Weighed{12, 1});
  REQUIRE(with(Duplicates::Merge, MergeWeights::Min) == Weighed{3, 1});
  REQUIRE(with(Duplicates::Merge, MergeWeights::Max) == Weighed{5, 1});
  REQUIRE(with(Duplicates::Merge, MergeWeights::First) == Weighed{5, 1});
  REQUIRE(with(Duplicates::Merge, MergeWeights::Last) == Weighed{4, 1});
}

TEST_CASE("merging an undirected graph gives both directions the same weight") {
  LoadOptions options;
  options.duplicates = Duplicates::Merge;
  options.merge_weights = MergeWeights::Last;
  const auto graph =
      build_graph(listed({{0, 1, 5}, {1, 0, 3}}, WeightKind::Integer), shape(2, false), options)
          .value();
  REQUIRE(weights(graph, 0) == Weighed{3});
  REQUIRE(weights(graph, 1) == Weighed{3});
  REQUIRE(graph.edge_count() == 1);
}

TEST_CASE("whole weights whose sum no longer counts exactly become real") {
  LoadOptions options;
  options.duplicates = Duplicates::Merge;
  const auto graph =
      build_graph(listed({{0, 1, 0x1p53}, {0, 1, 2}}, WeightKind::Integer), shape(2, true), options)
          .value();
  REQUIRE(graph.weight_kind() == WeightKind::Real);
}

TEST_CASE("self-loops are dropped and arcs symmetrized on request") {
  LoadOptions options;
  options.self_loops = SelfLoops::Drop;
  options.symmetrize = true;
  const auto graph = build_graph(listed({{0, 0, 0}, {0, 1, 0}, {2, 1, 0}}, WeightKind::None),
                                 shape(3, true), options)
                         .value();
  REQUIRE_FALSE(graph.directed());
  REQUIRE(list(graph, 0) == Ids{1});
  REQUIRE(list(graph, 1) == Ids{0, 2});
  REQUIRE(graph.self_loop_count() == 0);
}

TEST_CASE("a given direction overrides that of the source") {
  LoadOptions options;
  options.direction = Direction::Undirected;
  REQUIRE(build_graph(listed({{0, 1, 0}}, WeightKind::None), shape(2, true), options)
              .value()
              .arc_count() == 2);
  options.direction = Direction::Directed;
  REQUIRE(build_graph(listed({{0, 1, 0}}, WeightKind::None), shape(2, false), options)
              .value()
              .arc_count() == 1);
}

TEST_CASE(
    "random weights are whole, in range, equal for both arcs of an edge, and replace those of the "
    "file") {
  LoadOptions options;
  options.weights = Weights::Random;
  options.weight_low = 2.5;
  options.weight_high = 9;
  const auto graph =
      build_graph(listed(random_edges(3, 20, 200), WeightKind::None), shape(20, false), options)
          .value();
  REQUIRE(graph.weight_kind() == WeightKind::Integer);
  for (std::uint32_t u = 0; u < 20; ++u) {
    const auto list = graph.neighbors(VertexId(u));
    for (std::size_t i = 0; i < list.size(); ++i) {
      const double weight = graph.weights(VertexId(u))[i];
      REQUIRE(weight >= 3);
      REQUIRE(weight <= 9);
      const auto back = graph.neighbors(list[i]);
      const auto at = std::lower_bound(back.begin(), back.end(), VertexId(u)) - back.begin();
      REQUIRE(graph.weights(list[i])[static_cast<std::size_t>(at)] == weight);
    }
  }
  options.weight_high = 2.6;
  REQUIRE(build_graph(listed({}, WeightKind::None), shape(1, true), options).error().exit_code() ==
          2);
}

TEST_CASE("the graph does not depend on the number of threads or the size of chunks") {
  const std::uint64_t seed = GENERATE(1u, 2u, 3u);
  CAPTURE(seed);
  const auto edges = random_edges(seed, 50, 2000);
  for (const bool directed : {true, false}) {
    for (const auto duplicates : {Duplicates::Keep, Duplicates::Merge}) {
      LoadOptions options;
      options.duplicates = duplicates;
      options.threads = 1;
      const auto one =
          build_graph(listed(edges, WeightKind::Integer), shape(50, directed), options).value();
      options.threads = 7;
      const auto seven =
          build_graph(listed(edges, WeightKind::Integer, 97), shape(50, directed), options).value();
      REQUIRE(one == seven);
    }
  }
}

TEST_CASE("graphs without vertices or edges are valid") {
  REQUIRE(build_graph({}, shape(0, true), {}).value().vertex_count() == 0);
  LoadOptions options;
  options.duplicates = Duplicates::Merge;
  options.weights = Weights::Random;
  const auto graph = build_graph({}, shape(3, false), options).value();
  REQUIRE(graph.vertex_count() == 3);
  REQUIRE(graph.edge_count() == 0);
}
