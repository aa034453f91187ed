// Programs in stages, and programs that read arcs in both directions, on random graphs under every schedule.
#include <catch2/catch.hpp>
#include <string>

#include "leeway/graph.h"
#include "programs/catalog/program.h"
#include "test/support/drawn_options.h"
#include "test/support/small_graphs.h"

using namespace leeway;
using leeway::testing::drawn_options;
using leeway::testing::random_graph;

namespace {

void check(const char* name, const Graph& graph, const ProgramParameters& parameters,
           const RunOptions& options) {
  const Program& program = *find_program(name);
  if (!admit(program, EngineName::Vertex, graph, parameters, options)) return;
  INFO(name << ", " << graph.vertex_count() << " vertices, " << graph.arc_count() << " arcs, "
            << scheduler_name(options.vertex.scheduler) << ", " << options.cluster.policy.name
            << ", " << options.cluster.nodes << " nodes");
  const auto run = program.on(EngineName::Vertex)->run(graph, parameters, options);
  REQUIRE(run.has_value());
  CHECK(run->record.converged());
  const auto verified = program.verify(graph, parameters, options, run->values);
  INFO((verified ? std::string() : verified.error().to_string()));
  REQUIRE(verified.has_value());
}

constexpr const char* kFixedPoints[] = {
    "kcore",     "scc",      "independent-set", "bipartite", "spanning-forest",
    "closeness", "harmonic", "betweenness",     "katz",      "louvain",
    "triangles"};

}  // namespace

TEST_CASE("fixed points of all schedules on random graphs equal their oracles") {
  Random random(7);
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    const auto vertices = static_cast<std::uint32_t>(random.below(40));
    const auto edges = static_cast<std::uint32_t>(random.below(3 * vertices + 1));
    const bool directed = random.chance(0.6);
    const Graph graph = random_graph(seed, vertices, edges, directed, WeightKind::Integer);
    for (const char* const name : kFixedPoints) {
      for (const SchedulerInfo& scheduler : schedulers()) {
        ProgramParameters parameters;
        if (random.chance(0.5)) parameters.samples = 1 + random.below(vertices + 1);
        parameters.by_weight = random.chance(0.5) && find_program(name)->takes(Parameter::ByWeight);
        check(name, graph, parameters, drawn_options(random, scheduler));
      }
    }
  }
}

TEST_CASE("power iterations on random graphs rest at an eigenvector") {
  Random random(8);
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    const auto vertices = 1 + static_cast<std::uint32_t>(random.below(40));
    // An undirected graph: the largest eigenvalue has a vector without zeros in each component that has it.
    const Graph graph = random_graph(seed, vertices, 3 * vertices, false, WeightKind::Integer);
    for (const char* const name : {"eigenvector", "hits"}) {
      RunOptions options = drawn_options(random, schedulers()[0]);
      options.vertex.scheduler = Scheduler::Bsp;
      check(name, graph, {.by_weight = std::string(name) == "eigenvector"}, options);
    }
  }
}
