// Runs that continue from the answer before random changes of a graph: each answer equals that of a run from nothing, and the oracle's.
#include <catch2/catch.hpp>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "leeway/graph.h"
#include "leeway/programs.h"
#include "programs/catalog/continuation.h"
#include "programs/catalog/program.h"
#include "test/support/drawn_options.h"
#include "test/support/small_graphs.h"

using namespace leeway;
using leeway::testing::drawn_options;
using leeway::testing::random_graph;

namespace {

std::vector<GraphChange> drawn_changes(Random& random, const Graph& graph) {
  std::vector<GraphChange> changes;
  const auto any = [&] {
    return VertexId(static_cast<std::uint32_t>(random.below(graph.vertex_count())));
  };
  for (std::uint64_t left = 1 + random.below(5); left > 0; --left) {
    GraphChange change{.source = any(), .target = any()};
    if (graph.weighted()) change.weight = static_cast<double>(random.below(6));
    const auto list = graph.neighbors(change.source);
    const bool there = !list.empty() && random.chance(0.6);
    if (there) {
      change.target = list[random.below(list.size())];
      change.kind =
          graph.weighted() && random.chance(0.4) ? ChangeKind::Weighted : ChangeKind::Removed;
    }
    changes.push_back(change);
  }
  return changes;
}

std::vector<double> numbers_of(const ProgramValues& values) {
  if (const auto* reals = std::get_if<std::vector<double>>(&values.by_vertex)) return *reals;
  std::vector<double> numbers;
  for (const std::uint64_t each : std::get<std::vector<std::uint64_t>>(values.by_vertex))
    numbers.push_back(each == std::numeric_limits<std::uint64_t>::max()
                          ? std::numeric_limits<double>::infinity()
                          : static_cast<double>(each));
  return numbers;
}

/// The answers of one program on one changing graph.
class ChangingRun {
 public:
  ChangingRun(const char* name, Graph graph)
      : program_(*find_program(name)), graph_(std::move(graph)) {}

  void run_from_nothing(Random& random) { run(random, {}); }

  void change_and_continue(Random& random) {
    for (std::uint64_t batch = 1 + random.below(2); batch > 0; --batch) {
      // An arc may have been removed by an earlier change of the same batch.
      (void)graph_.change(drawn_changes(random, *graph_.graph()));
    }
    ProgramParameters parameters;
    parameters.continuation =
        std::make_shared<const Continuation>(Continuation{answer_, graph_.since(version_)});
    run(random, parameters);
  }

 private:
  void run(Random& random, const ProgramParameters& parameters) {
    const Graph& graph = *graph_.graph();
    RunOptions options = drawn_options(random, schedulers()[random.below(schedulers().size())]);
    INFO(program_.name << ", " << graph.vertex_count() << " vertices, " << graph.arc_count()
                       << " arcs, " << scheduler_name(options.vertex.scheduler) << ", "
                       << options.cluster.policy.name << ", " << options.cluster.nodes << " nodes, "
                       << options.vertex.threads << " threads");
    const EngineRun* const pie = program_.on(EngineName::Pie);
    const bool on_pie = pie != nullptr && random.chance(0.3);
    if (on_pie) {
      options.pie.workers =
          options.cluster.nodes * (1 + static_cast<std::uint32_t>(random.below(2)));
      options.pie.cut = random.chance(0.3) ? pie::Cut::Vertex : pie::Cut::Edge;
      options.vertex.scheduler = random.chance(0.5) ? Scheduler::Aap : Scheduler::Bsp;
    }
    INFO((on_pie ? "pie engine" : "vertex engine"));
    const auto result =
        (on_pie ? pie : program_.on(EngineName::Vertex))->run(graph, parameters, options);
    INFO((result ? std::string() : result.error().to_string()));
    REQUIRE(result.has_value());
    REQUIRE(result->record.converged());
    const auto verified = program_.verify(graph, parameters, options, result->values);
    INFO((verified ? std::string() : verified.error().to_string()));
    REQUIRE(verified.has_value());
    answer_ = numbers_of(result->values);
    version_ = graph_.version();
  }

  const Program& program_;
  ChangingGraph graph_;
  std::vector<double> answer_;
  std::size_t version_ = 0;
};

/// Batches of changes for each program.
constexpr std::uint32_t kGraphs = 100;
constexpr std::uint32_t kBatches = 10;

}  // namespace

TEST_CASE("answers after changes of a graph equal the oracles of the changed graph") {
  const char* const name = GENERATE("sssp", "bfs", "cc", "kcore", "pagerank", "heat");
  Random random(11);
  for (std::uint32_t seed = 0; seed < kGraphs; ++seed) {
    const auto vertices = 1 + static_cast<std::uint32_t>(random.below(30));
    const auto edges = static_cast<std::uint32_t>(random.below(3 * vertices + 1));
    const bool directed = random.chance(0.5);
    const bool weighted = std::string(name) != "heat" && random.chance(0.5);
    ChangingRun run(name, random_graph(seed, vertices, edges, directed,
                                       weighted ? WeightKind::Integer : WeightKind::None));
    run.run_from_nothing(random);
    for (std::uint32_t batch = 0; batch < kBatches; ++batch) run.change_and_continue(random);
  }
}

TEST_CASE("a session renews its answers") {
  const char* const name = GENERATE("sssp", "cc", "kcore", "scc");
  Random random(23);
  RunOptions options;
  options.cluster.fabric = Fabric::Loopback;
  GraphSession session(random_graph(4, 40, 90, true), options);
  auto answer = session.run(name);
  REQUIRE(answer.has_value());
  for (int batch = 0; batch < 10; ++batch) {
    (void)session.change(drawn_changes(random, session.graph()));
    answer = session.renew(*answer);
    REQUIRE(answer.has_value());
    const auto fresh = session.run(name);
    REQUIRE(fresh.has_value());
    CHECK(answer->numbers == fresh->numbers);
  }
  CHECK_FALSE(session.run("no-such-program").has_value());
}

TEST_CASE("few changes cost few visits") {
  struct Case {
    const char* name;
    double most;  // share of the visits of a run from nothing
  };
  const Case cost = GENERATE(Case{"sssp", 0.05}, Case{"bfs", 0.05}, Case{"cc", 0.05});
  const Program& program = *find_program(cost.name);
  Random random(3);
  ChangingGraph graph(random_graph(5, 20'000, 160'000, false, WeightKind::Integer));
  RunOptions options;
  options.cluster.fabric = Fabric::Loopback;
  const auto first = program.on(EngineName::Vertex)->run(*graph.graph(), {}, options);
  REQUIRE(first.has_value());
  while (graph.since(0).size() < 320) (void)graph.change(drawn_changes(random, *graph.graph()));
  ProgramParameters parameters;
  parameters.continuation =
      std::make_shared<const Continuation>(Continuation{numbers_of(first->values), graph.since(0)});
  const auto next = program.on(EngineName::Vertex)->run(*graph.graph(), parameters, options);
  REQUIRE(next.has_value());
  INFO(cost.name);
  CHECK(static_cast<double>(next->record.visited()) <=
        cost.most * static_cast<double>(first->record.visited()));
}
