// PageRank by labels: every synchronization against the plain iteration, and the labels against their rules.
#include <catch2/catch.hpp>
#include <cmath>

#include "leeway/datasets/generate.h"
#include "leeway/datasets/known_graphs.h"
#include "leeway/programs/reference/lists.h"
#include "leeway/programs/reference/oracles.h"
#include "leeway/programs/reference/rank_ticks.h"
#include "leeway/programs/tick/page_ranks.h"
#include "test/support/small_graphs.h"
#include "test/tick/ways.h"

using namespace leeway;
using leeway::testing::random_graph;
using leeway::testing::ways;

namespace {

double farthest(std::span<const double> a, std::span<const double> b) {
  double far = 0;
  for (std::size_t i = 0; i < a.size(); ++i) far = std::max(far, std::abs(a[i] - b[i]));
  return far;
}

ClusterOptions cluster(Fabric fabric, std::uint32_t nodes) {
  ClusterOptions options;
  options.fabric = fabric;
  options.nodes = nodes;
  if (fabric == Fabric::Sim) options.network = parse_profile("ec2").value();
  return options;
}

std::vector<PartId> dealt(std::uint32_t vertices, std::uint32_t parts) {
  std::vector<PartId> owner;
  for (std::uint32_t vertex = 0; vertex < vertices; ++vertex)
    owner.emplace_back(vertex * parts / vertices);
  return owner;
}

}  // namespace

TEST_CASE("ranks are the plain iteration's, however ticks are synchronized and wherever they run") {
  constexpr std::uint32_t kTicks = 14;
  const Graph graph = make_known_graph("karate", {}).value();
  const auto expected = reference::rank_ticks(graph, kTicks);
  const Fabric fabric = GENERATE(Fabric::Loopback, Fabric::Sim);
  for (const std::uint32_t nodes : {1u, 2u, 5u, 16u, 50u}) {
    if (fabric == Fabric::Loopback && nodes > 16) continue;
    for (const TickOptions& way : ways(kTicks)) {
      CAPTURE(nodes, tick_sync_name(way.sync), fabric_name(fabric));
      const auto ranked = run_page_ranks(graph, {}, way, cluster(fabric, nodes));
      REQUIRE(ranked.has_value());
      REQUIRE(farthest(ranked->run.result.state.values(), expected) <= 1e-12);
    }
  }
}

TEST_CASE("directed graphs with dead ends are ranked tick by tick, and settle on their PageRank") {
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    const Graph graph = random_graph(seed, 60, 150, true);
    TickOptions way{.sync = TickSync::Combined, .ticks = Tick(200)};
    way.every = 1 + static_cast<std::uint32_t>(seed % 3);
    const auto ranked = run_page_ranks(graph, {}, way, cluster(Fabric::Sim, 4));
    REQUIRE(ranked.has_value());
    const auto ranks = ranked->run.result.state.values();
    REQUIRE(farthest(ranks, reference::rank_ticks(graph, 200)) <= 1e-12);
    REQUIRE(farthest(scaled_ranks(ranks), reference::pagerank(graph, {})) <= 1e-11);
  }
}

TEST_CASE("labels are what Appendix B.2 says: nothing of label i reads below i - 1") {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Graph graph = random_graph(seed, 120, 260, true);
    const auto lists = reference::incoming(graph);
    const auto owner = dealt(120, 5);
    const Labels labels({lists.offsets, lists.targets}, owner, 5, 3);
    for (std::uint32_t part = 0; part < 5; ++part) {
      const LabelledPart& here = labels.part(PartId(part));
      std::vector<Level> label(120, -4);
      for (Level level = here.top; level >= -3; --level) {
        const LabelQuery query{&labels, PartId(part), level};
        for (std::uint32_t i = level == here.top ? 0 : query.moved(1).count(); i < query.count();
             ++i)
          label[here.vertices[i]] = level;
      }
      for (std::uint32_t vertex = 0; vertex < 120; ++vertex) {
        REQUIRE((label[vertex] >= 0) == (owner[vertex] == PartId(part)));
        bool reads_outside = false;
        for (const std::uint32_t source : lists.of(vertex)) {
          if (label[vertex] > -3) REQUIRE(label[source] >= label[vertex] - 1);
          reads_outside = reads_outside || owner[source] != PartId(part);
        }
        if (label[vertex] >= 0) REQUIRE((label[vertex] == 0) == reads_outside);
      }
    }
  }
}

TEST_CASE("a part and another's surroundings are disjoint exactly if they share no vertex") {
  const Graph graph = random_graph(3, 80, 160, true);
  const auto lists = reference::incoming(graph);
  const auto owner = dealt(80, 6);
  const Labels labels({lists.offsets, lists.targets}, owner, 6, 4);
  for (std::uint32_t a = 0; a < 6; ++a) {
    for (std::uint32_t b = 0; b < 6; ++b) {
      for (Level level = -4; level <= 0; ++level) {
        const LabelQuery around{&labels, PartId(b), level};
        bool shares = false;
        for (std::uint32_t i = 0; i < around.count(); ++i)
          shares = shares || owner[labels.part(PartId(b)).vertices[i]] == PartId(a);
        CHECK(LabelQuery{&labels, PartId(a), 0}.disjoint(around) == !shares);
      }
    }
  }
}
