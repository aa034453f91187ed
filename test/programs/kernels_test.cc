// The optimized kernels compared with the plain oracles, on graphs of many shapes.
#include <catch2/catch.hpp>
#include <cmath>

#include "leeway/graph.h"
#include "programs/reference/kernels.h"
#include "programs/reference/oracles.h"
#include "test/support/small_graphs.h"

using namespace leeway;
using leeway::testing::random_graph;

namespace {

void check_kernels(const Graph& graph) {
  CHECK(reference::sampled_components(graph) == reference::components(graph));
  reference::OraclePageRank options;
  options.iterations = 20;
  const auto expected = reference::pagerank(graph, options);
  const auto rank = reference::PullPageRank(graph).run(20);
  REQUIRE(rank.size() == expected.size());
  for (std::size_t v = 0; v < rank.size(); ++v)
    CHECK(rank[v] == Approx(expected[v]).epsilon(1e-12));
  if (graph.vertex_count() == 0) return;
  const VertexId source(graph.vertex_count() / 2);
  const auto distance = reference::shortest_distances(graph, source);
  CHECK(reference::DeltaStepping(graph).run(source) == distance);
  CHECK(reference::DeltaStepping(graph, 0.75).run(source) == distance);
  CHECK(reference::DeltaStepping(graph, 1e6).run(source) == distance);
}

}  // namespace

TEST_CASE("the kernels agree with the oracles on random graphs, sparse and dense") {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    CAPTURE(seed);
    const auto kind = seed % 3 == 0 ? WeightKind::None : WeightKind::Integer;
    const auto vertices = static_cast<std::uint32_t>(1 + seed * 7 % 200);
    check_kernels(random_graph(seed, vertices, static_cast<std::uint32_t>(vertices * (seed % 6)),
                               seed % 2 == 0, kind));
  }
}

TEST_CASE("the kernels agree with the oracles on extreme graphs") {
  for (const char* spec : {"path:300", "star:100", "kron:9", "grid2d:20x15", "complete:20"}) {
    CAPTURE(spec);
    check_kernels(generate(spec, {}).value());
  }
  check_kernels(random_graph(1, 0, 0, false));
}
