// PageRank by labels: every synchronization against the plain iteration, and the labels against
// their definition.
#include <catch2/catch.hpp>
#include <cmath>

#include "datasets/generate.h"
#include "datasets/known_graphs.h"
#include "programs/pagerank/tick.h"
#include "programs/reference/kernels.h"
#include "programs/reference/oracles.h"
#include "test/support/small_graphs.h"
#include "test/tick/ways.h"

using namespace leeway;
using namespace leeway::tick;
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

std::vector<PartId> random_owners(std::uint32_t vertices, std::uint32_t parts) {
  std::vector<PartId> owner;
  for (std::uint32_t vertex = 0; vertex < vertices; ++vertex)
    owner.emplace_back(vertex * parts / vertices);
  return owner;
}

}  // namespace

TEST_CASE("ranks equal the plain iteration, for every synchronization and fabric") {
  constexpr std::uint32_t kTicks = 14;
  const Graph graph = make_known_graph("karate", {}).value();
  const auto expected = reference::rank_ticks(graph, kTicks);
  const Fabric fabric = GENERATE(Fabric::Loopback, Fabric::Sim);
  for (const std::uint32_t nodes : {1u, 2u, 5u, 16u, 50u}) {
    if (fabric == Fabric::Loopback && nodes > 16) continue;
    for (const TickOptions& way : ways(kTicks)) {
      CAPTURE(nodes, sync_name(way.sync), fabric_name(fabric));
      const auto ranked = run_page_ranks(graph, {}, way, cluster(fabric, nodes));
      REQUIRE(ranked.has_value());
      REQUIRE(farthest(ranked->run.result.state.values(), expected) <= 1e-12);
    }
  }
}

TEST_CASE("ranks of directed graphs with dangling vertices converge to their PageRank") {
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    const Graph graph = random_graph(seed, 60, 150, true);
    TickOptions way{.sync = Sync::Combined, .ticks = Tick(200)};
    way.every = 1 + static_cast<std::uint32_t>(seed % 3);
    const auto ranked = run_page_ranks(graph, {}, way, cluster(Fabric::Sim, 4));
    REQUIRE(ranked.has_value());
    const auto ranks = ranked->run.result.state.values();
    REQUIRE(farthest(ranks, reference::rank_ticks(graph, 200)) <= 1e-12);
    REQUIRE(farthest(scaled_ranks(ranks), reference::pagerank(graph, {})) <= 1e-11);
  }
}

TEST_CASE("rebalancing during a run does not change the ranks") {
  constexpr std::uint32_t kTicks = 17;
  RankTicksJob job;
  job.partition.method =
      PartitionMethod::Random;  // unbalanced, so that another seed may improve it
  std::uint32_t changed = 0;
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    const Graph graph = random_graph(seed, 90, 400, true);
    for (TickOptions way : ways(kTicks)) {
      way.rebalance = 5;
      const Fabric fabric = seed % 2 == 0 ? Fabric::Sim : Fabric::Loopback;
      const auto ranked = run_page_ranks(graph, job, way, cluster(fabric, 4));
      REQUIRE(ranked.has_value());
      CHECK(ranked->run.result.rebalanced == 3);
      REQUIRE(farthest(ranked->run.result.state.values(), reference::rank_ticks(graph, kTicks)) <=
              1e-12);
      const RankedParts parts(graph, job.partition, 1);
      const HaloLevels& first = *parts.divided({4, job.partition.seed}).value();
      const auto own = [&](const HaloLevels& labels) { return labels.part(PartId(0)).vertices; };
      if (own(first) != own(*ranked->labels)) ++changed;
    }
  }
  CHECK(changed > 0);
}

TEST_CASE("a second call of PART reduces the largest load or changes nothing") {
  const Graph graph = random_graph(8, 200, 900, true);
  const RankedParts parts(graph, {.method = PartitionMethod::Random}, 1);
  const auto busiest = [&](const HaloLevels& labels) {
    std::size_t most = 0;
    for (std::uint32_t part = 0; part < labels.parts(); ++part) {
      std::size_t work = 0;
      const LabelQuery own{&labels, PartId(part), 0};
      for (const std::uint32_t vertex : own.vertices()) work += 1 + parts.lists().of(vertex).size();
      most = std::max(most, work);
    }
    return most;
  };
  const HaloLevels* labels = parts.divided({5, 1}).value();
  for (std::uint64_t seed = 2; seed < 30; ++seed) {
    const HaloLevels* const other = parts.evener(labels, seed).value();
    CHECK((other == labels || busiest(*other) < busiest(*labels)));
    labels = other;
  }
  CHECK(labels != parts.divided({5, 1}).value());
  CHECK(parts.divided(parts.key_of(labels)).value() == labels);
}

TEST_CASE("ranks resume from a checkpoint on another number of nodes") {
  const Graph graph = random_graph(4, 70, 200, true);
  std::vector<std::pair<Tick, std::vector<std::byte>>> kept;
  PageRankEnds ends;
  ends.keeper = [&](Tick tick, const VertexState& state) -> Status {
    kept.emplace_back(tick, packed_state(state));
    return {};
  };
  TickOptions way{.sync = Sync::Combined, .ticks = Tick(12)};
  way.checkpoint = 5;
  const auto whole = run_page_ranks(graph, {}, way, cluster(Fabric::Sim, 6), nullptr, ends);
  REQUIRE(whole.has_value());
  REQUIRE(kept.size() == 2);  // 5 and 10
  const auto ranks = VertexState::whole(kept[1].second);
  REQUIRE(ranks.has_value());
  PageRankEnds later;
  later.first = kept[1].first;
  const auto rest =
      run_page_ranks(graph, {}, {.ticks = Tick(2)}, cluster(Fabric::Sim, 3), &*ranks, later);
  REQUIRE(rest.has_value());
  const auto a = whole->run.result.state.values();
  const auto b = rest->run.result.state.values();
  CHECK(std::equal(a.begin(), a.end(), b.begin(), b.end()));
  CHECK_FALSE(VertexState::whole(std::span(kept[1].second).first(9)));
}

namespace {

/// PageRank with one error.
class BrokenRanks : public PageRankTicks {
 public:
  enum Fault { None, ShortSight, WideExclusive, Overlap, Hole, Liar, Nosy };
  BrokenRanks(const RankedParts& parts, const RankTicksJob& job, Fault fault)
      : PageRankTicks(parts, job, nullptr), all_(parts), fault_(fault) {}

  [[nodiscard]] Result<std::vector<LabelQuery>> part(std::uint32_t count, const State* now) const {
    auto parts = PageRankTicks::part(count, now).value();
    if (fault_ == Overlap) parts[0] = parts[0].moved(-1);
    if (fault_ == Hole) parts[1] = parts[1].moved(1);
    return parts;
  }
  void step(const State::Selection& to_step, const State& context, State& result) const {
    PageRankTicks::step(to_step, context, result);
    if (fault_ != Nosy) return;
    for (const std::uint32_t vertex : to_step.vertices())  // reads all vertices
      result.values()[vertex] += context.values()[all_.vertices() - 1 - vertex];
  }
  [[nodiscard]] LabelQuery rd(const LabelQuery& query) const {
    return fault_ == ShortSight ? query : PageRankTicks::rd(query);
  }
  [[nodiscard]] LabelQuery rx(const LabelQuery& query) const {
    return fault_ == WideExclusive ? query : PageRankTicks::rx(query);
  }
  [[nodiscard]] bool disjoint(const LabelQuery& a, const LabelQuery& b) const {
    return fault_ == Liar || PageRankTicks::disjoint(a, b);
  }

 private:
  const RankedParts& all_;
  Fault fault_;
};

std::string law_broken(const Graph& graph, BrokenRanks::Fault fault) {
  const RankTicksJob job;
  const RankedParts parts(graph, job.partition, 3);
  const auto found = find_counterexample(BrokenRanks(parts, job, fault), {.ticks = 3}).value();
  return found ? found->law + " | " + found->words : "none";
}

}  // namespace

TEST_CASE("PageRank's functions have no counterexample, faulty ones have") {
  const Graph graph = random_graph(2, 80, 240, true);
  const auto found = find_rank_counterexample(graph, {}).value();
  CHECK((found ? found->law + found->words : "none") == "none");
  CHECK(law_broken(graph, BrokenRanks::None) == "none");
  CHECK_THAT(
      law_broken(graph, BrokenRanks::ShortSight),
      Catch::StartsWith("Definition 1: STEP of Q needs R_D(Q)") && Catch::Contains("vertex"));
  CHECK_THAT(law_broken(graph, BrokenRanks::WideExclusive),
             Catch::StartsWith("Definition 1: STEP of R_X(Q)"));
  CHECK_THAT(law_broken(graph, BrokenRanks::Overlap),
             Catch::StartsWith("PART") && Catch::Contains("is in 2 parts"));
  CHECK_THAT(law_broken(graph, BrokenRanks::Hole),
             Catch::StartsWith("PART") && Catch::Contains("is in 0 parts"));
  CHECK_THAT(law_broken(graph, BrokenRanks::Liar), Catch::StartsWith("DISJOINT"));
  CHECK_THAT(law_broken(graph, BrokenRanks::Nosy),
             Catch::StartsWith("Definition 1: STEP of Q needs R_D(Q)"));
}

TEST_CASE("labels follow Appendix B.2: no vertex of label i reads a label below i - 1") {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Graph graph = random_graph(seed, 120, 260, true);
    const auto lists = reference::incoming(graph);
    const auto owner = random_owners(120, 5);
    const HaloLevels labels({lists.offsets, lists.targets}, owner, 5, 3);
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

TEST_CASE("DISJOINT is true exactly if a part and another's surroundings share no vertex") {
  const Graph graph = random_graph(3, 80, 160, true);
  const auto lists = reference::incoming(graph);
  const auto owner = random_owners(80, 6);
  const HaloLevels labels({lists.offsets, lists.targets}, owner, 6, 4);
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
