#include "runtime/graph/division.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <functional>
#include <string>
#include <tuple>
#include <vector>

#include "leeway/cluster.h"
#include "leeway/graph.h"
#include "runtime/cluster/group.h"
#include "runtime/graph/graph_part.h"
#include "runtime/graph/multilevel_division.h"
#include "test/support/small_graphs.h"

using namespace leeway;
using leeway::testing::graph_of;
using leeway::testing::TestEdge;

namespace {

ClusterOptions cluster_of(std::uint32_t nodes) {
  ClusterOptions cluster;
  cluster.fabric = Fabric::Loopback;
  cluster.nodes = nodes;
  return cluster;
}

PartitionOptions options_for(PartitionMethod method, std::uint32_t parts,
                             BalanceBy balance = BalanceBy::Arcs) {
  PartitionOptions options;
  options.method = method;
  options.parts = parts;
  options.balance = balance;
  return options;
}

using DividePart = std::function<Result<std::vector<PartId>>(Group& group, const GraphPart& part)>;

/// The partition that nodes compute together, each with a part of the graph.
Partition divided_by(const Graph& graph, const PartitionOptions& how, const DividePart& divide) {
  Partition all{how.parts, Array<PartId>::make(graph.vertex_count()).value()};
  const auto owner = all.owner.mutable_span();
  const auto ran = run_endpoints(cluster_of(how.parts), [&](Endpoint& endpoint) -> Status {
    Group& group = endpoint.group();
    LEEWAY_ASSIGN(const GraphPart part, part_of(graph, endpoint.self(), how.parts, how.balance));
    LEEWAY_ASSIGN(const auto mine, divide(group, part));
    std::copy(mine.begin(), mine.end(), owner.subspan(part.first()).begin());
    return {};
  });
  REQUIRE(ran.has_value());
  return all;
}

Partition divided(const Graph& graph, const PartitionOptions& how) {
  const auto divide = [&](Group& group, const GraphPart& part) -> Result<std::vector<PartId>> {
    LEEWAY_ASSIGN(const Division division, Division::make(group, part, how));
    std::vector<PartId> mine;
    std::vector<VertexId> asked;
    for (std::uint32_t i = 0; i < part.size(); ++i) {
      mine.emplace_back(division.home_here(i).value());
      asked.push_back(part.vertex(i));
    }
    // The lookup of homes must give the same answer.
    std::reverse(asked.begin(), asked.end());
    const auto homes = division.homes(group, asked);
    const bool agrees = std::equal(homes.rbegin(), homes.rend(), mine.begin(), mine.end(),
                                   [](NodeId a, PartId b) { return a.value() == b.value(); });
    if (!agrees) return fail(input_error("homes", "another home", ""));
    return mine;
  };
  return divided_by(graph, how, divide);
}

Partition by_levels(const Graph& graph, const PartitionOptions& how, std::uint64_t most_arcs) {
  return divided_by(graph, how, [&](Group& group, const GraphPart& part) {
    return multilevel_division(group, part, how, most_arcs);
  });
}

Graph made(const std::string& spec) { return generate(spec, {}).value(); }

std::uint64_t weight_of(const Graph& graph, BalanceBy balance, VertexId v) {
  return balance == BalanceBy::Vertices ? 1 : 1 + graph.degree(v);
}

/// Checks the weight of the largest part against its limit.
void check_balance(const Graph& graph, const Partition& partition, BalanceBy balance,
                   double slack) {
  std::vector<std::uint64_t> loads(partition.part_count, 0);
  std::uint64_t total = 0;
  std::uint64_t heaviest = 0;
  for (VertexId v(0); v.index() < graph.vertex_count(); v = v.next()) {
    const std::uint64_t weight = weight_of(graph, balance, v);
    loads[partition.owner[v.index()].index()] += weight;
    total += weight;
    heaviest = std::max(heaviest, weight);
  }
  const double share = static_cast<double>(total) / partition.part_count;
  CHECK(static_cast<double>(*std::max_element(loads.begin(), loads.end())) <=
        share * slack + static_cast<double>(heaviest) + 2);
}

std::uint64_t cut(const Graph& graph, const Partition& partition) {
  return report_partition(graph, partition).cut_arcs;
}

bool same(const Partition& a, const Partition& b) {
  return std::equal(a.owner.begin(), a.owner.end(), b.owner.begin(), b.owner.end());
}

}  // namespace

TEST_CASE("nodes with parts of the graph assign vertices like one node with the whole graph") {
  const auto method =
      GENERATE(PartitionMethod::Hash, PartitionMethod::Random, PartitionMethod::Metis);
  const std::uint32_t nodes = GENERATE(1u, 3u, 4u);
  const Graph graph = made("kron:8");
  PartitionOptions how = options_for(method, nodes);
  how.seed = 5;
  CHECK(same(divided(graph, how), partition_graph(graph, how).value()));
}

TEST_CASE("names gathered over nodes keep their vertices, whatever characters they contain") {
  const std::string text = "a\nba\nc\n";  // the names "a\nb", "a", "", "\n" and "c\n"
  const std::vector<std::uint64_t> offsets = {0, 3, 4, 4, 5, 7};
  std::vector<VertexId> order;
  for (const std::uint32_t v : {2U, 3U, 1U, 0U, 4U}) order.emplace_back(v);
  GraphArrays parts = graph_of(5, {{0, 1}, {1, 2}, {3, 4}, {4, 0}}, true).take();
  parts.names = VertexNames::strings(Array<std::uint64_t>::copy_of(offsets).value(),
                                     Array<char>::copy_of(std::span<const char>(text)).value(),
                                     Array<VertexId>::copy_of(order).value());
  const Graph graph(std::move(parts));
  for (const std::uint32_t nodes : {1U, 2U, 4U}) {
    VertexNames gathered;
    const auto ran = run_endpoints(cluster_of(nodes), [&](Endpoint& endpoint) -> Status {
      Group& group = endpoint.group();
      LEEWAY_ASSIGN(const GraphPart part,
                    part_of(graph, endpoint.self(), nodes, BalanceBy::Vertices));
      LEEWAY_ASSIGN(VertexNames names, gather_names(group, part));
      if (endpoint.self() == NodeId(0)) gathered = std::move(names);
      return {};
    });
    REQUIRE(ran.has_value());
    REQUIRE(gathered.count() == graph.vertex_count());
    for (VertexId v(0); v.value() < graph.vertex_count(); v = v.next())
      REQUIRE(gathered.name(v) == graph.names().name(v));
  }
}

TEST_CASE("a skewed partition of a graph in parts") {
  const Graph graph = made("grid2d:20x20");
  PartitionOptions how = options_for(PartitionMethod::Block, 3, BalanceBy::Vertices);
  how.skew = 3.0;
  CHECK(same(divided(graph, how), partition_graph(graph, how).value()));
}

TEST_CASE("streaming over several ranges keeps the balance and nearly the cut of the method") {
  const auto method = GENERATE(PartitionMethod::Ldg, PartitionMethod::Fennel);
  const std::uint32_t nodes = GENERATE(2u, 5u, 8u);
  const auto balance = GENERATE(BalanceBy::Arcs, BalanceBy::Vertices);
  const std::string spec = GENERATE("kron:12", "grid2d:90x70", "small-world:4000:4:0.1",
                                    "uniform:3000:6", "star:500", "path:2", "tree:1000:3");
  const Graph graph = made(spec);
  const PartitionOptions how = options_for(method, nodes, balance);
  const Partition parts = divided(graph, how);
  CAPTURE(spec, nodes, partition_method_name(method));
  check_balance(graph, parts, balance, method == PartitionMethod::Ldg ? 1.02 : 1.1);
  if (graph.arc_count() > 5000) {
    const auto whole = static_cast<double>(cut(graph, partition_graph(graph, how).value()));
    const auto arcs = static_cast<double>(graph.arc_count());
    CHECK(static_cast<double>(cut(graph, parts)) <= whole * 1.1 + arcs * 0.02);
  }
  CHECK(same(parts, divided(graph, how)));
}

TEST_CASE("coarsening over several ranges gives nearly METIS's cut and balance") {
  const auto [spec, most_arcs, worse] = GENERATE(
      std::tuple<std::string, std::uint64_t, double>{"kron:12", 20'000, 1.05},
      std::tuple<std::string, std::uint64_t, double>{"grid2d:90x70", 5'000, 1.3},
      std::tuple<std::string, std::uint64_t, double>{"small-world:4000:4:0.1", 4'000, 1.3});
  const std::uint32_t nodes = GENERATE(2u, 5u, 8u);
  const Graph graph = made(spec);
  const PartitionOptions how = options_for(PartitionMethod::Metis, nodes);
  const Partition parts = by_levels(graph, how, most_arcs);
  CAPTURE(spec, nodes);
  check_balance(graph, parts, how.balance, 1.03);
  const auto whole = static_cast<double>(cut(graph, partition_graph(graph, how).value()));
  CHECK(static_cast<double>(cut(graph, parts)) <= whole * worse + 40);
  CHECK(same(parts, by_levels(graph, how, most_arcs)));
}

TEST_CASE("graphs that coarsen badly, or to nothing, are partitioned, too") {
  const std::string spec = GENERATE("star:500", "path:2", "path:1", "star:0", "complete:40",
                                    "tree:1000:3", "uniform:500:1");
  const auto balance = GENERATE(BalanceBy::Arcs, BalanceBy::Vertices);
  const std::uint32_t nodes = GENERATE(2u, 5u);
  const Graph graph = made(spec);
  const PartitionOptions how = options_for(PartitionMethod::Metis, nodes, balance);
  CAPTURE(spec, nodes);
  const Partition parts = by_levels(graph, how, 0);
  CHECK(std::all_of(parts.owner.begin(), parts.owner.end(),
                    [&](PartId each) { return each.value() < nodes; }));
}

TEST_CASE("one-way arcs, loops and parallel arcs are coarsened as edges") {
  std::vector<TestEdge> edges;
  constexpr std::uint32_t kSide = 40;
  for (std::uint32_t v = 0; v < kSide * kSide; ++v) {
    if (v % kSide + 1 < kSide) edges.push_back({v, v + 1});
    if (v + kSide < kSide * kSide) edges.push_back({v + kSide, v});
    if (v % 3 == 0) edges.push_back({v, v});
    if (v % 5 == 0 && v + kSide < kSide * kSide) edges.push_back({v + kSide, v});
  }
  const Graph graph = graph_of(kSide * kSide, edges, true);
  const PartitionOptions how = options_for(PartitionMethod::Metis, 4);
  const Partition parts = by_levels(graph, how, 1000);
  check_balance(graph, parts, how.balance, 1.03);
  CHECK(report_partition(graph, parts).edge_cut <= 130);
}
