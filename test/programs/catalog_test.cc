// Every shipped program, run like by the command, in every mode, compared with its oracle; and
// settings that must be refused before any work.
#include <atomic>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "leeway/graph.h"
#include "programs/catalog/program.h"
#include "programs/paths/vertex.h"
#include "test/support/small_graphs.h"
#include "transport/fabric.h"

using namespace leeway;

namespace {

/// A matrix with strictly dominant diagonal.
Graph dominant_matrix() {
  std::vector<testing::TestEdge> entries;
  for (std::uint32_t row = 0; row < 40; ++row) {
    entries.push_back({row, row, 10});
    entries.push_back({row, (row * 7 + 3) % 40, -2.5});
    entries.push_back({row, (row + 1) % 40, 1.5});
  }
  return testing::graph_of(40, entries, true, WeightKind::Real);
}

/// Options of the command without further flags, except the partition method in virtual time.
RunOptions usual(const std::string& mode, Fabric fabric, std::uint32_t nodes) {
  RunOptions options;
  options.cluster.fabric = fabric;
  options.cluster.nodes = nodes;
  options.cluster.policy = parse_policy(mode).value();
  if (fabric == Fabric::Sim) {
    options.cluster.network = parse_profile("infiniband").value();
    options.partition.method = PartitionMethod::Hash;  // the default on loopback is METIS
  }
  return options;
}

void check(const Program& program, const Graph& graph, RunOptions options) {
  ProgramParameters settings;
  if (graph.vertex_count() > 1000) settings.samples = 10;
  if (program.on(EngineName::Vertex)->needs_supersteps) options.vertex.scheduler = Scheduler::Bsp;
  const auto run = program.on(EngineName::Vertex)->run(graph, settings, options);
  REQUIRE(run.has_value());
  CHECK(run->record.converged());
  CHECK(run->values.shown == program.shown);
  const auto verified = program.verify(graph, settings, options, run->values);
  INFO((verified ? std::string() : verified.error().to_string()));
  REQUIRE(verified.has_value());
  CHECK(verified->find("not checked") == std::string::npos);
}

std::vector<std::pair<std::string, Graph>> graphs() {
  std::vector<std::pair<std::string, Graph>> all;
  for (const char* spec : {"known:karate", "grid2d:6x5", "star:20"})
    all.emplace_back(spec, generate(spec, {}).value());
  all.emplace_back("two triangles and a loner",
                   testing::graph_of(7, {{0, 1}, {1, 2}, {2, 0}, {3, 4}, {4, 5}, {5, 3}}));
  return all;
}

}  // namespace

TEST_CASE("every program agrees with its oracle in every mode, on every number of nodes") {
  const auto all = graphs();
  for (const Program& program : all_programs()) {
    if (program.on(EngineName::Vertex) == nullptr) continue;
    for (const auto& [name, graph] : all) {
      for (const char* mode : {"scp", "scp+rw", "scp+pb", "stale-2", "rcp", "rcp+push"}) {
        for (const Fabric fabric : {Fabric::Loopback, Fabric::Sim}) {
          for (const std::uint32_t nodes : {1u, 2u, 3u, 16u}) {
            INFO(program.name << " on " << name << ", " << mode << ", " << fabric_name(fabric)
                              << ", " << nodes << " nodes");
            check(program, graph, usual(mode, fabric, nodes));
          }
        }
      }
    }
  }
}

TEST_CASE("heat and wave converge on a matrix under every scheduler") {
  const Graph matrix = dominant_matrix();
  for (const char* name : {"heat", "wave"}) {
    for (const SchedulerInfo& scheduler : schedulers()) {
      INFO(name << " under " << scheduler.name);
      const Program& program = *find_program(name);
      RunOptions options = usual("rcp", Fabric::Sim, 3);
      options.vertex.scheduler = scheduler.scheduler;
      check(program, matrix, options);
    }
  }
}

TEST_CASE("the threads of a node share its work") {
  const Graph graph = generate("kron:10:8", {}).value();
  for (const char* name : {"pagerank", "coloring", "cc", "sssp", "cdlp"}) {
    INFO(name);
    const Program& program = *find_program(name);
    RunOptions options = usual("rcp", Fabric::Loopback, 2);
    options.vertex.threads = 2;
    check(program, graph, options);
  }
}

TEST_CASE("first values at other nodes have arrived before they are read") {
  const Graph graph = testing::graph_of(8, {{0, 1}, {2, 3}, {4, 5}, {6, 7}}, false);
  RunOptions options = usual("rcp", Fabric::Sim, 8);
  options.cluster.network = parse_profile("ec2").value();
  options.cluster.policy.optimizations.collocation = false;
  options.partition.method = PartitionMethod::Hash;
  for (options.cluster.seed = 1; options.cluster.seed <= 60; ++options.cluster.seed) {
    INFO(options.cluster.seed);
    check(*find_program("cc"), graph, options);
  }
}

TEST_CASE("more paths than 2^63 - 1 are reported, not wrapped") {
  // Seventy doubled arcs in sequence: 2^70 paths.
  std::vector<testing::TestEdge> arcs;
  for (std::uint32_t v = 0; v < 70; ++v) arcs.insert(arcs.end(), {{v, v + 1}, {v, v + 1}});
  const Graph graph = testing::graph_of(71, arcs, true);
  for (const char* name : {"paths", "shortest-path-counts"}) {
    const EngineRun& program = *find_run(name, EngineName::Vertex);
    const auto run = program.run(graph, {}, usual("rcp", Fabric::Sim, 2)).value();
    CHECK(shown_value(run.values, VertexId(62), graph.names(), false) == "4611686018427387904");
    CHECK(shown_value(run.values, VertexId(63), graph.names(), false) ==
          "more than 9223372036854775807");
    CHECK(shown_value(run.values, VertexId(70), graph.names(), false) ==
          "more than 9223372036854775807");
  }
}

TEST_CASE("an infinite path count due to a cycle is detected in few rounds") {
  // A path of ten arcs leads into a ring of four, which a path of five leaves. The other vertices
  // (2,019 in total) are isolated, so a walk with as many arcs as vertices takes far more rounds than
  // the walk around the ring.
  std::vector<testing::TestEdge> arcs;
  for (std::uint32_t v = 0; v < 18; ++v) arcs.push_back({v, v + 1});
  arcs.push_back({13, 10});
  const Graph graph = testing::graph_of(2019, arcs, true);
  const EngineRun& program = *find_run("paths", EngineName::Vertex);
  for (const Scheduler scheduler : {Scheduler::DoWork, Scheduler::Bsp, Scheduler::Ap,
                                    Scheduler::Aap, Scheduler::Hsync, Scheduler::AsyTick}) {
    for (const char* mode : {"scp", "stale-2", "rcp", "rcp+push"}) {
      INFO(scheduler_name(scheduler) << ", " << mode);
      RunOptions options = usual(mode, Fabric::Sim, 3);
      options.vertex.scheduler = scheduler;
      const auto run = program.run(graph, {}, options).value();
      CHECK(run.record.converged());
      CHECK(run.record.iterations() < 200);
      const auto& counts = std::get<std::vector<std::uint64_t>>(run.values.by_vertex);
      for (std::uint32_t v = 0; v < 10; ++v) CHECK(counts[v] == 1);
      for (std::uint32_t v = 10; v < 19; ++v) CHECK(counts[v] == kTooManyPaths);
      CHECK(counts[19] == 0);
    }
  }
}

TEST_CASE("the paper's path count sums over arcs of all lengths, and is 1 for the source") {
  const auto counts_of = [](const char* name, const std::vector<testing::TestEdge>& arcs) {
    const EngineRun& program = *find_run(name, EngineName::Vertex);
    const auto run =
        program.run(testing::graph_of(4, arcs, true), {}, usual("rcp", Fabric::Sim, 2));
    return std::get<std::vector<std::uint64_t>>(run.value().values.by_vertex);
  };
  using Counts = std::vector<std::uint64_t>;
  const std::vector<testing::TestEdge> arcs = {{0, 1}, {0, 2}, {1, 2}, {2, 3}, {1, 3}};
  CHECK(counts_of("paths", arcs) == Counts{1, 1, 2, 3});
  CHECK(counts_of("shortest-path-counts", arcs) == Counts{1, 1, 1, 2});
  CHECK(counts_of("paths", {{0, 1}, {1, 0}, {1, 2}}) == Counts{1, 1, 1, 0});
  CHECK(counts_of("paths", {{0, 1}, {1, 1}, {1, 2}}) == Counts{1, kTooManyPaths, kTooManyPaths, 0});
}

TEST_CASE("unsupported graphs are refused with a remedy") {
  const auto refusal = [](const char* name, const Graph& graph, ProgramParameters settings = {}) {
    const Status status = admit(*find_program(name), EngineName::Vertex, graph, settings, {});
    REQUIRE_FALSE(status.has_value());
    CHECK_FALSE(status.error().remedy.empty());
    return status.error().to_string();
  };
  const Graph one_way = testing::graph_of(3, {{0, 1}, {1, 2}}, true);
  CHECK(admit(*find_program("cc"), EngineName::Vertex, one_way, {}, {})
            .has_value());  // weakly connected components
  for (const char* name : {"cdlp", "coloring", "lcc", "triangles"})
    CHECK(refusal(name, one_way).find("--symmetrize") != std::string::npos);
  const Graph negative = testing::graph_of(2, {{0, 1, -3}}, true, WeightKind::Integer);
  CHECK(refusal("sssp", negative).find("-3") != std::string::npos);
  CHECK(refusal("bfs", one_way, {.source = VertexId(3)}).find("--source") != std::string::npos);
  CHECK(refusal("heat", negative).find("diagonal") != std::string::npos);
  const Graph wild =
      testing::graph_of(2, {{0, 0, 1}, {0, 1, 2}, {1, 0, 2}, {1, 1, 1}}, true, WeightKind::Real);
  const auto diverged = find_run("wave", EngineName::Vertex)->run(wild, {}, {});
  REQUIRE_FALSE(diverged.has_value());
  CHECK(diverged.error().to_string().find("2.0") != std::string::npos);
}

TEST_CASE("real graphs: every program agrees with its oracle") {
  const char* const folder = std::getenv("LEEWAY_DATA");
  if (folder == nullptr || *folder == '\0') {
    WARN("skipped: LEEWAY_DATA names no folder of real graphs");
    return;
  }
  LoadOptions both;
  both.direction = Direction::Undirected;
  for (const char* file : {"power.graph.zst", "wiki-Vote.txt.zst"}) {
    const Graph graph = load_graph(std::string(folder) + "/" + file, both).value();
    for (const Program& program : all_programs()) {
      if (program.on(EngineName::Vertex) == nullptr) continue;
      INFO(program.name << " on " << file);
      check(program, graph, usual("rcp", Fabric::Loopback, 3));
    }
  }
}

TEST_CASE("a run that is stopped before its first round ends without convergence") {
  const Graph graph = generate("kron:6", {}).value();
  const std::atomic<bool> stop = true;
  for (const Program& program : all_programs()) {
    if (program.on(EngineName::Vertex) == nullptr) continue;
    for (const Scheduler scheduler : {Scheduler::DoWork, Scheduler::Bsp, Scheduler::Ap,
                                      Scheduler::Aap, Scheduler::Hsync, Scheduler::AsyTick}) {
      for (const std::uint32_t nodes : {1U, 3U}) {
        RunOptions options = usual("rcp+push", Fabric::Loopback, nodes);
        options.vertex.scheduler = scheduler;
        options.vertex.stop = &stop;
        const auto run = program.on(EngineName::Vertex)->run(graph, {}, options);
        INFO(program.name << " under " << scheduler_name(scheduler) << " on " << nodes);
        if (!run) continue;  // the program refuses the graph
        CHECK_FALSE(run->record.converged());
      }
    }
  }
}
