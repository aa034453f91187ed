// Calls of run_job with options and parts that do not fit, and the results that it reports.
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <limits>

#include "datasets/generate.h"
#include "leeway/graph.h"
#include "leeway/job.h"
#include "runtime/graph/graph_part.h"

using namespace leeway;

namespace {

/// The greatest number of a vertex in the component.
struct Greatest {
  using Value = double;
  double init(VertexId v) const { return v.value(); }
  double update(const Vertex<double>& vertex) const {
    double most = vertex.value();
    vertex.each([&](double other) { most = std::max(most, other); });
    return most;
  }
};

/// Sums without the division that keeps them finite.
struct Growing {
  using Value = double;
  double init(VertexId) const { return 1e300; }
  double update(const Vertex<double>& vertex) const {
    double sum = 0;
    vertex.each([&](double other) { sum += 1e9 * other; });
    return vertex.degree() == 0 ? vertex.value() : sum;
  }
};

/// Hops from vertex 1; infinity where it does not get.
struct Hops {
  using Value = double;
  double init(VertexId v) const {
    return v == VertexId(1) ? 0 : std::numeric_limits<double>::infinity();
  }
  double update(const Vertex<double>& vertex) const {
    double least = vertex.value();
    vertex.each([&](double other) { least = std::min(least, other + 1); });
    return least;
  }
};

/// 0/0 in the result of one vertex.
struct NoNumber : Greatest {
  double result(const Vertex<double>& vertex) const {
    return vertex.id() == VertexId(3) ? std::nan("") : vertex.value();
  }
};

RunOptions on(std::uint32_t nodes) {
  RunOptions options;
  options.cluster.fabric = Fabric::Loopback;
  options.cluster.nodes = nodes;
  options.partition.method = PartitionMethod::Hash;
  return options;
}

}  // namespace

TEST_CASE("a part of a graph is refused by nodes that are threads of one process") {
  const Graph graph = generate("kron:6:4", {}).value();
  GraphPart part = part_of(graph, NodeId(0), 3, BalanceBy::Arcs).value();
  const auto run = run_job(part, Greatest(), on(3));
  REQUIRE_FALSE(run.has_value());
  CHECK(run.error().kind == ErrorKind::Input);
  CHECK_THAT(run.error().to_string(), Catch::Contains("3 nodes are threads of this process"));
}

TEST_CASE("a part of a graph is refused by a job of another number of nodes") {
  const Graph graph = generate("kron:6:4", {}).value();
  GraphPart part = part_of(graph, NodeId(1), 3, BalanceBy::Arcs).value();
  const auto run = run_job(part, Greatest(), on(1));
  REQUIRE_FALSE(run.has_value());
  CHECK(run.error().kind == ErrorKind::Input);
  CHECK_THAT(run.error().to_string(), Catch::Contains("it is part 1 of 3"));
}

TEST_CASE("the only part of a graph runs without a job, but without frames") {
  const Graph graph = generate("kron:6:4", {}).value();
  RunOptions options = on(1);
  GraphPart part = part_of(graph, NodeId(0), 1, BalanceBy::Arcs).value();
  const auto run = run_job(part, Greatest(), options);
  REQUIRE(run.has_value());
  CHECK(run->values == run_job(graph, Greatest(), options).value().values);
  options.frame_every = 1;
  GraphPart again = part_of(graph, NodeId(0), 1, BalanceBy::Arcs).value();
  const auto framed = run_job(again, Greatest(), options);
  REQUIRE_FALSE(framed.has_value());
  CHECK(framed.error().kind == ErrorKind::Input);
  CHECK_THAT(framed.error().to_string(), Catch::Contains("keeps no frames"));
}

TEST_CASE("0 threads are one for each core, also with a bounded cache") {
  const Graph graph = generate("kron:8:4", {}).value();
  const auto expected = run_job(graph, Greatest(), on(1)).value().values;
  for (const Fabric fabric : {Fabric::Loopback, Fabric::Sim}) {
    for (const Scheduler scheduler : {Scheduler::DoWork, Scheduler::Bsp, Scheduler::AsyTick}) {
      RunOptions options = on(3);
      options.cluster.fabric = fabric;
      options.vertex.scheduler = scheduler;
      options.vertex.threads = 0;
      options.vertex.cache.objects = 100;
      const auto run = run_job(graph, Greatest(), options);
      REQUIRE(run.has_value());
      CHECK(run->values == expected);
    }
  }
  RunOptions simulated = on(3);
  simulated.cluster.fabric = Fabric::Sim;
  simulated.vertex.threads = 2;
  const auto refused = run_job(graph, Greatest(), simulated);
  REQUIRE_FALSE(refused.has_value());
  CHECK_THAT(refused.error().to_string(), Catch::Contains("vertex.threads"));
  EngineOptions few;
  few.threads = 0;
  few.cache.objects = 1;
  CHECK_FALSE(check_cache(few));
}

TEST_CASE("results that are no finite numbers are counted") {
  const Graph graph = generate("path:10", {}).value();
  for (const std::uint32_t nodes : {1u, 3u}) {
    RunOptions options = on(nodes);
    options.vertex.iterations = 30;
    const auto run = run_job(graph, Growing(), options).value();
    std::uint64_t count = 0;
    VertexId first = VertexId::none();
    for (std::uint32_t v = 0; v < 10; ++v) {
      if (std::isfinite(run.values[v])) continue;
      ++count;
      first = std::min(first, VertexId(v));
    }
    REQUIRE(count > 0);
    CHECK(run.record.not_finite().count == count);
    CHECK(run.record.not_finite().first == first);
    const auto one = run_job(graph, NoNumber(), options).value();
    CHECK(one.record.not_finite().count == 1);
    CHECK(one.record.not_finite().first == VertexId(3));
    // Infinity is what the program begins with.
    CHECK(run_job(graph, Hops(), options).value().record.not_finite().count == 0);
    CHECK(run_job(graph, Greatest(), options).value().record.not_finite().count == 0);
  }
}
