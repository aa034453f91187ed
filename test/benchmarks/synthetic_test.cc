#include "benchmarks/replay/synthetic.h"

#include <catch2/catch.hpp>
#include <numeric>

#include "leeway/graph.h"

using namespace leeway;
using namespace leeway::replay;

namespace {

constexpr std::uint32_t kNodes = 4;

Graph some_graph() { return generate("powerlaw:400:2.2", {}).value(); }

LaidGraph laid() { return lay_out(some_graph(), "test", kNodes, 1).value(); }

SyntheticParameters plan_of(const std::string& mode) {
  SyntheticParameters plan;
  plan.mode = mode;
  plan.network = parse_profile("infiniband").value();
  plan.cost = CostModel::tardis();
  return plan;
}

}  // namespace

TEST_CASE("the layout of a graph keeps every vertex and arc, and refers to neighbours by home") {
  const Graph graph = some_graph();
  const LaidGraph laid_out = laid();
  std::uint64_t vertices = 0, arcs = 0;
  for (const NodeObjects& part : laid_out.parts) {
    vertices += part.vertices();
    arcs += part.targets.size();
    for (const ObjectId target : part.targets) {
      REQUIRE(target.local().value() < laid_out.parts[target.home().index()].vertices());
    }
  }
  CHECK(vertices == graph.vertex_count());
  CHECK(arcs == graph.arc_count());
  CHECK(laid_out.cut_arcs > 0);
}

TEST_CASE("the same plan always takes the same virtual time and gives the same digest") {
  const LaidGraph graph = laid();
  for (const char* mode : {"scp", "scp+pb", "rcp"}) {
    INFO(mode);
    const SyntheticResult once = run_synthetic(graph, plan_of(mode)).value();
    const SyntheticResult again = run_synthetic(graph, plan_of(mode)).value();
    CHECK(once.digest == again.digest);
    CHECK(once.seconds == again.seconds);
    CHECK(once.messages == again.messages);
    SyntheticParameters other = plan_of(mode);
    other.seed = 2;
    CHECK(run_synthetic(graph, other).value().digest != once.digest);
  }
}

TEST_CASE(
    "a strict mode never uses a stale value, and a cold cache misses each copy at least once") {
  const LaidGraph graph = laid();
  const std::uint64_t copies = std::accumulate(
      graph.parts.begin(), graph.parts.end(), std::uint64_t{0},
      [](std::uint64_t sum, const NodeObjects& part) { return sum + part.remote_objects; });
  const SyntheticResult result = run_synthetic(graph, plan_of("scp")).value();
  CHECK(result.stale_hits == 0);
  CHECK(result.misses >= copies);
  REQUIRE(result.copies_by_staleness.size() == 1);
  CHECK(result.copies_by_staleness[0] == copies);
}

TEST_CASE("every fetch of a remote neighbour is counted once, as a hit or a miss") {
  const LaidGraph graph = laid();
  for (const std::uint32_t writes : {1u, 3u}) {
    SyntheticParameters plan = plan_of("rcp");
    plan.writes = writes;
    plan.iterations = 3;
    const SyntheticResult result = run_synthetic(graph, plan).value();
    CHECK(result.current_hits + result.stale_hits + result.misses == 3 * graph.cut_arcs);
  }
}

TEST_CASE("larger objects take longer and more bytes") {
  const LaidGraph graph = laid();
  SyntheticParameters plan = plan_of("scp");
  const SyntheticResult small = run_synthetic(graph, plan).value();
  plan.object_bytes = 512;
  const SyntheticResult large = run_synthetic(graph, plan).value();
  CHECK(large.seconds > small.seconds);
  CHECK(large.bytes > 10 * small.bytes);
}

TEST_CASE(
    "spreading its writes over the iteration changes neither a node's reads nor its number of "
    "writes") {
  const LaidGraph graph = laid();
  SyntheticParameters plan = plan_of("scp");
  plan.writes = 3;
  const SyntheticResult together = run_synthetic(graph, plan).value();
  plan.spread_writes = true;
  const SyntheticResult spread = run_synthetic(graph, plan).value();
  CHECK(spread.current_hits + spread.misses == together.current_hits + together.misses);
  CHECK(spread.misses >= together.misses);  // more writes may happen between two reads
  CHECK(spread.digest != together.digest);
}

TEST_CASE("a fetch delay delays answers, and strict reads wait for them") {
  const LaidGraph graph = laid();
  SyntheticParameters plan = plan_of("scp");
  const double undelayed = run_synthetic(graph, plan).value().seconds;
  plan.fetch_delay = std::chrono::milliseconds(1);
  const SyntheticResult delayed = run_synthetic(graph, plan).value();
  // Nodes wait simultaneously, each for its misses.
  CHECK(delayed.seconds > undelayed + 0.001 * static_cast<double>(delayed.misses) / kNodes);
}

TEST_CASE("delayed refreshes increase staleness, but not beyond the threshold") {
  const LaidGraph graph = laid();
  SyntheticParameters plan = plan_of("rcp-3");
  plan.iterations = 8;
  plan.warm = true;
  const auto stalest = [&] {
    return run_synthetic(graph, plan).value().copies_by_staleness.size() - 1;
  };
  const std::size_t undelayed = stalest();
  plan.fetch_delay = std::chrono::milliseconds(20);
  CHECK(stalest() == 3);
  CHECK(undelayed < 3);
}

TEST_CASE("an unknown mode is refused") {
  CHECK_FALSE(run_synthetic(laid(), plan_of("scq")).has_value());
}
