#include "datasets/plan.h"

#include <catch2/catch.hpp>
#include <vector>

#include "test/support/small_graphs.h"

using namespace leeway;

TEST_CASE("the predicted size of the structure is exact, for every kind of weight") {
  for (const auto kind : {WeightKind::None, WeightKind::Integer, WeightKind::Real}) {
    const Graph graph = testing::random_graph(7, 100, 400, true, kind);
    REQUIRE(structure_bytes(counts_of(graph)) == graph.bytes());
  }
  std::vector<std::uint64_t> ids(50);
  for (std::size_t i = 0; i < ids.size(); ++i) ids[i] = 7 * i;
  const Graph named =
      testing::random_graph(7, 50, 90, false, WeightKind::None,
                            VertexNames::numbers(Array<std::uint64_t>::copy_of(ids).value()));
  REQUIRE(structure_bytes(counts_of(named)) == named.bytes());
}

TEST_CASE("the planned sizes of the nodes are those of their parts") {
  const Graph graph = testing::random_graph(9, 500, 2500, false);
  PartitionOptions options;
  options.parts = 4;
  const Partition partition = partition_graph(graph, options).value();
  const PartitionReport report = report_partition(graph, partition);
  const MemoryEstimate plan = estimate_memory(graph, report, PartitionMethod::Metis, 16);
  REQUIRE(plan.nodes.size() == 4);
  REQUIRE(plan.graph_bytes == graph.bytes());
  REQUIRE(plan.load_peak_bytes <= 2 * graph.bytes());
  std::uint64_t vertices = 0;
  std::uint64_t arcs = 0;
  for (std::size_t n = 0; n < 4; ++n) {
    vertices += plan.nodes[n].vertices;
    arcs += plan.nodes[n].arcs;
    REQUIRE(plan.nodes[n].structure_bytes + plan.nodes[n].name_bytes == report.parts[n].bytes);
    REQUIRE(plan.nodes[n].value_bytes ==
            16 * (report.parts[n].vertices + report.parts[n].remote_neighbors));
  }
  REQUIRE(vertices == graph.vertex_count());
  REQUIRE(arcs == graph.arc_count());
}

TEST_CASE("a plan from counts alone is near the plan of a random partition") {
  const Graph graph = testing::random_graph(21, 4000, 16000, true);
  PartitionOptions options;
  options.method = PartitionMethod::Random;
  options.parts = 8;
  const PartitionReport report = report_partition(graph, partition_graph(graph, options).value());
  const MemoryEstimate exact = estimate_memory(graph, report, options.method);
  const MemoryEstimate guess = estimate_memory(counts_of(graph), 8, options.method);
  REQUIRE(static_cast<double>(guess.nodes[0].total_bytes()) ==
          Approx(static_cast<double>(exact.nodes[0].total_bytes())).epsilon(0.1));
}

TEST_CASE("an empty graph on many nodes has a plan") {
  const MemoryEstimate plan = estimate_memory(GraphCounts{}, 100, PartitionMethod::Metis);
  REQUIRE(plan.nodes.size() == 100);
  REQUIRE(plan.nodes[0].remote_neighbors == 0);
  REQUIRE(plan.nodes[0].structure_bytes == 8);
}
