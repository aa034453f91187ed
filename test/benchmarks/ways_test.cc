// Runs that try several ways: which they go on in, that they end with the right values whatever they changed to, and
// that all nodes change together.
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "leeway/datasets/graph_spec.h"
#include "leeway/programs/law/choice.h"
#include "leeway/programs/reference/lists.h"
#include "leeway/programs/vertex/catalog.h"
#include "leeway/runtime/ways.h"

using namespace leeway;

namespace {

Way way(std::string name, double seconds, double rounds) {
  Way made;
  made.name = std::move(name);
  made.seconds = seconds;
  made.rounds = rounds;
  return made;
}

Graph drawn(bool weighted) {
  LoadOptions load;
  load.symmetrize = true;
  load.duplicates = Duplicates::Merge;
  load.weights = weighted ? Weights::Random : Weights::None;
  load.threads = 1;
  return generate("kron:8:8", load).value();
}

/// Expects next to nothing of any, so that as many are tried as may.
std::shared_ptr<const WayPlan> impatient(const std::vector<std::string>& names) {
  auto plan = std::make_shared<WayPlan>();
  plan->rounds = 2;
  for (const std::string& name : names) {
    const law::Mode& mode = law::modes()[law::mode_place(name)];
    Way each = way(name, 1e-12, 1000);
    each.scheduler = mode.scheduler;
    each.policy = parse_policy(mode.consistency).value();
    plan->ways.push_back(each);
  }
  return plan;
}

}  // namespace

TEST_CASE("a way that takes what was expected of it is kept") {
  WayPlan plan;
  plan.ways = {way("a", 10, 100), way("b", 11, 100)};
  REQUIRE(next_way(plan, {{.way = 0, .rounds = 5, .seconds = 0.5}}) == 0);
  REQUIRE(next_way(plan, {{.way = 0, .rounds = 5, .seconds = 0.64}}) == 0);
  REQUIRE(next_way(plan, {{.way = 0, .rounds = 5, .seconds = 0.66}}) ==
          0);  // b is not that much better
  REQUIRE(next_way(plan, {{.way = 0, .rounds = 5, .seconds = 0.9}}) == 0);
  REQUIRE(next_way(plan, {{.way = 0, .rounds = 5, .seconds = 1.5}}) == 1);
}

TEST_CASE("of ways whose first rounds are the longest no more is expected of these") {
  WayPlan plan;
  plan.ways = {way("a", 10, 100), way("b", 11, 100)};
  for (Way& each : plan.ways) each.even = false;
  REQUIRE(next_way(plan, {{.way = 0, .rounds = 5, .seconds = 9}}) == 0);
  REQUIRE(next_way(plan, {{.way = 0, .rounds = 5, .seconds = 14}}) == 1);
}

TEST_CASE(
    "of those tried the one that was measured best is gone on in, and three are tried at most") {
  WayPlan plan;
  plan.ways = {way("a", 1, 100), way("b", 2, 100), way("c", 3, 100), way("d", 4, 100)};
  const WayTrial a{.way = 0, .rounds = 5, .seconds = 1};
  const WayTrial slow{.way = 1, .rounds = 5, .seconds = 5};
  const WayTrial quick{.way = 1, .rounds = 5, .seconds = 0.1};
  REQUIRE(next_way(plan, {a}) == 1);
  REQUIRE(next_way(plan, {a, quick}) == 1);
  REQUIRE(next_way(plan, {a, slow}) == 2);
  REQUIRE(next_way(plan, {a, slow, {.way = 2, .rounds = 5, .seconds = 4}}) == 0);
  REQUIRE(next_way(plan, {a, slow, {.way = 2, .rounds = 5, .seconds = 0.9}}) == 2);
}

TEST_CASE(
    "a run that changes its way ends with the right values, over any network and on any node") {
  const std::vector<std::vector<std::string>> plans = {
      {"scp", "rcp", "bsp"},      {"bsp", "rcp+push", "ap"}, {"ap", "bsp", "stale-1"},
      {"rcp", "aap", "scp+rw"},   {"ssp", "rcp", "aap"},     {"aap", "ssp", "bsp"},
      {"rcp+push", "scp", "ssp"}, {"stale-2", "ap", "rcp"}};
  for (const std::string_view name : law::programs()) {
    const Graph graph = drawn(name != "heat");
    const ProgramInfo& program = *find_vertex_program(name);
    ProgramSettings settings;
    settings.source = reference::busiest(graph);
    for (const auto& names : plans) {
      for (const Fabric fabric : {Fabric::Sim, Fabric::Loopback}) {
        INFO(name << ": " << names[0] << ", " << names[1] << ", " << names[2] << " over "
                  << fabric_name(fabric));
        ProgramOptions options;
        options.cluster.fabric = fabric;
        options.cluster.nodes = 4;
        if (fabric == Fabric::Sim) options.cluster.network = parse_profile("ec2").value();
        options.ways = impatient(names);
        options.engine.several_ways = true;
        options.engine.scheduler = options.ways->ways[0].scheduler;
        options.cluster.policy = options.ways->ways[0].policy;
        const Result<ProgramRun> run = program.run(graph, settings, options);
        REQUIRE(run);
        REQUIRE(run->record.converged());
        const auto verified = program.verify(graph, settings, options, run->values);
        INFO((verified ? *verified : verified.error().to_string()));
        REQUIRE(verified);
        const std::vector<WayTrial>& trials = run->record.nodes.front().trials;
        REQUIRE(!trials.empty());
        REQUIRE(trials.size() <= 4);
        if (name == "pagerank") REQUIRE(trials.size() >= 3);
      }
    }
  }
}
