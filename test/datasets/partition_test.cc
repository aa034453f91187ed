#include "leeway/graph.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <numeric>
#include <set>
#include <vector>

#include "base/random.h"
#include "datasets/partition_methods.h"
#include "test/support/small_graphs.h"

using namespace leeway;
using leeway::testing::graph_of;
using leeway::testing::random_graph;
using leeway::testing::TestEdge;

namespace {

constexpr PartitionMethod kComputed[] = {PartitionMethod::Metis, PartitionMethod::Block,
                                         PartitionMethod::Hash,  PartitionMethod::Random,
                                         PartitionMethod::Ldg,   PartitionMethod::Fennel};

PartitionOptions options_for(PartitionMethod method, std::uint32_t parts) {
  PartitionOptions options;
  options.method = method;
  options.parts = parts;
  return options;
}

Partition partition_by(const Graph& graph, PartitionMethod method, std::uint32_t parts) {
  return partition_graph(graph, options_for(method, parts)).value();
}

Partition partition_by(const Graph& graph, PartitionMethod method, BalanceBy balance,
                       std::uint32_t parts) {
  PartitionOptions options = options_for(method, parts);
  options.balance = balance;
  return partition_graph(graph, options).value();
}

std::vector<std::uint64_t> sizes(const Partition& partition) {
  std::vector<std::uint64_t> counts(partition.part_count, 0);
  for (const PartId part : partition.owner) ++counts.at(part.index());
  return counts;
}

Graph grid(std::uint32_t width, std::uint32_t height) {
  std::vector<TestEdge> edges;
  for (std::uint32_t y = 0; y < height; ++y) {
    for (std::uint32_t x = 0; x < width; ++x) {
      const std::uint32_t v = y * width + x;
      if (x + 1 < width) edges.push_back({v, v + 1});
      if (y + 1 < height) edges.push_back({v, v + width});
    }
  }
  return graph_of(width * height, edges);
}

/// The same graph with a random numbering of its vertices.
Graph shuffled(const Graph& graph) {
  std::vector<std::uint32_t> number(graph.vertex_count());
  std::iota(number.begin(), number.end(), 0);
  Random draw(7);
  for (std::size_t left = number.size(); left > 1; --left)
    std::swap(number[left - 1], number[draw.below(left)]);
  std::vector<TestEdge> edges;
  for (VertexId v(0); v.index() < graph.vertex_count(); v = v.next()) {
    for (const VertexId to : graph.neighbors(v)) {
      if (v < to) edges.push_back({number[v.index()], number[to.index()]});
    }
  }
  return graph_of(static_cast<std::uint32_t>(number.size()), edges);
}

/// The report, recomputed by a simple method.
PartitionReport naive_report(const Graph& graph, const Partition& partition) {
  PartitionReport report;
  report.parts.resize(partition.part_count);
  std::map<std::pair<std::uint32_t, std::uint32_t>, double> cut;
  std::vector<std::set<VertexId>> boundary(partition.part_count);
  std::vector<std::set<VertexId>> remote(partition.part_count);
  for (std::uint32_t v = 0; v < graph.vertex_count(); ++v) {
    const PartId mine = partition.owner[v];
    ++report.parts[mine.index()].vertices;
    const auto list = graph.neighbors(VertexId(v));
    report.parts[mine.index()].arcs += list.size();
    for (std::size_t i = 0; i < list.size(); ++i) {
      const PartId theirs = partition.owner[list[i].index()];
      if (theirs == mine) continue;
      ++report.cut_arcs;
      boundary[mine.index()].insert(VertexId(v));
      boundary[theirs.index()].insert(list[i]);
      remote[mine.index()].insert(list[i]);
      const double weight = graph.weighted() ? graph.weights(VertexId(v))[i] : 1.0;
      double& largest = cut[std::minmax(v, list[i].value())];
      largest = std::max(largest, weight);
    }
  }
  report.edge_cut = cut.size();
  for (const auto& [pair, weight] : cut) report.weight_cut += weight;
  for (std::size_t p = 0; p < boundary.size(); ++p) {
    report.parts[p].boundary = boundary[p].size();
    report.parts[p].remote_neighbors = remote[p].size();
  }
  return report;
}

}  // namespace

TEST_CASE("every method assigns every vertex once, for all sizes") {
  for (const PartitionMethod method : kComputed) {
    for (const std::uint32_t vertices : {0u, 1u, 2u, 3u, 17u, 100u}) {
      const Graph graph = random_graph(vertices, vertices, 3 * vertices, vertices % 2 == 0);
      for (const std::uint32_t parts : {1u, 2u, 3u, 16u, 17u, 99u, 250u}) {
        const Partition partition = partition_by(graph, method, parts);
        CAPTURE(partition_method_name(method), vertices, parts);
        REQUIRE(partition.part_count == parts);
        REQUIRE(partition.owner.size() == vertices);
        REQUIRE(std::all_of(partition.owner.begin(), partition.owner.end(),
                            [&](PartId part) { return part.value() < parts; }));
      }
    }
  }
}

TEST_CASE("the same seed gives the same partition") {
  const Graph graph = random_graph(5, 300, 900, false);
  for (const PartitionMethod method : kComputed) {
    const Partition once = partition_by(graph, method, 7);
    const Partition again = partition_by(graph, method, 7);
    REQUIRE(std::equal(once.owner.begin(), once.owner.end(), again.owner.begin()));
  }
}

TEST_CASE("a report equals a naive recount") {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    const bool directed = seed % 2 == 0;
    const Graph graph = random_graph(seed, 40, 130, directed, WeightKind::Integer);
    const Partition partition =
        partition_by(graph, kComputed[seed % 6], 1 + static_cast<std::uint32_t>(seed % 5));
    const PartitionReport report = report_partition(graph, partition);
    const PartitionReport expected = naive_report(graph, partition);
    CAPTURE(seed);
    REQUIRE(report.edge_cut == expected.edge_cut);
    REQUIRE(report.weight_cut == Approx(expected.weight_cut));
    REQUIRE(report.cut_arcs == expected.cut_arcs);
    for (std::size_t p = 0; p < report.parts.size(); ++p) {
      REQUIRE(report.parts[p].vertices == expected.parts[p].vertices);
      REQUIRE(report.parts[p].arcs == expected.parts[p].arcs);
      REQUIRE(report.parts[p].boundary == expected.parts[p].boundary);
      REQUIRE(report.parts[p].remote_neighbors == expected.parts[p].remote_neighbors);
    }
  }
}

TEST_CASE("block, random and hash have the documented balance") {
  const Graph graph = random_graph(3, 1003, 4000, true);
  for (const auto method : {PartitionMethod::Block, PartitionMethod::Random}) {
    const auto counts = sizes(partition_by(graph, method, 10));
    REQUIRE(*std::max_element(counts.begin(), counts.end()) <= 101);
    REQUIRE(*std::min_element(counts.begin(), counts.end()) >= 100);
  }
  const auto hashed = sizes(partition_by(graph, PartitionMethod::Hash, 10));
  REQUIRE(*std::max_element(hashed.begin(), hashed.end()) < 150);
  const Partition blocks = partition_by(graph, PartitionMethod::Block, 10);
  REQUIRE(std::is_sorted(blocks.owner.begin(), blocks.owner.end()));
}

TEST_CASE("blocks balanced by arcs isolate a hub") {
  std::vector<TestEdge> edges;
  for (std::uint32_t v = 1; v < 100; ++v) edges.push_back({0, v});
  const Graph star = graph_of(100, edges, true);
  PartitionOptions options = options_for(PartitionMethod::Block, 2);
  options.balance = BalanceBy::Arcs;
  const auto counts = sizes(partition_graph(star, options).value());
  REQUIRE(counts[0] == 1);
}

TEST_CASE("METIS and the streaming methods cut a grid far less than random parts do") {
  const Graph graph = grid(40, 40);
  const auto cut = [&](PartitionMethod method) {
    return report_partition(graph, partition_by(graph, method, 4)).edge_cut;
  };
  const std::uint64_t by_chance = cut(PartitionMethod::Random);
  REQUIRE(cut(PartitionMethod::Metis) <= 100);
  REQUIRE(cut(PartitionMethod::Ldg) * 4 < by_chance);
  REQUIRE(cut(PartitionMethod::Fennel) * 4 < by_chance);
}

TEST_CASE("the streaming methods keep their balance") {
  const Graph graph = random_graph(11, 2000, 9000, false);
  REQUIRE(report_partition(graph, partition_by(graph, PartitionMethod::Ldg, 8)).vertex_balance <=
          1.03);
  REQUIRE(report_partition(graph, partition_by(graph, PartitionMethod::Fennel, 8)).vertex_balance <=
          1.11);
}

TEST_CASE("METIS avoids cutting heavy edges if edge weights are used") {
  // A ring of 40 vertices with light edges at 5 and 25 only, so the cheapest bisection cuts there.
  std::vector<TestEdge> edges;
  for (std::uint32_t v = 0; v < 40; ++v)
    edges.push_back({v, (v + 1) % 40, v == 5 || v == 25 ? 1.0 : 50.0});
  const Graph ring = graph_of(40, edges, false, WeightKind::Integer);
  PartitionOptions options = options_for(PartitionMethod::Metis, 2);
  options.edge_weights = true;
  REQUIRE(report_partition(ring, partition_graph(ring, options).value()).weight_cut == Approx(2.0));
}

TEST_CASE("METIS balances vertex weights if they are given") {
  const Graph graph = grid(20, 20);
  std::vector<std::uint32_t> weights(400, 1);
  std::fill_n(weights.begin(), 40, 9);  // two rows have half of the weight
  PartitionOptions options = options_for(PartitionMethod::Metis, 2);
  options.vertex_weights = weights;
  const Partition partition = partition_graph(graph, options).value();
  std::uint64_t heavy[2] = {0, 0};
  for (std::size_t v = 0; v < 400; ++v) heavy[partition.owner[v].index()] += weights[v];
  REQUIRE(std::max(heavy[0], heavy[1]) <=
          375);  // half of 720, plus METIS' 3 % and one heavy vertex
}

TEST_CASE("skew makes the largest part r times the median") {
  const Graph graph = grid(60, 50);
  for (const std::uint32_t parts : {2u, 3u, 8u, 16u}) {
    for (int ratio = 1; ratio <= 9; ++ratio) {
      PartitionOptions options = options_for(PartitionMethod::Metis, parts);
      options.skew = ratio;
      auto counts = sizes(partition_graph(graph, options).value());
      const double largest = static_cast<double>(counts[0]);
      REQUIRE(counts[0] == *std::max_element(counts.begin(), counts.end()));
      std::sort(counts.begin(), counts.end());
      CAPTURE(parts, ratio);
      REQUIRE(largest / static_cast<double>(counts[(parts - 1) / 2]) ==
              Approx(ratio).epsilon(0.05));
    }
  }
}

TEST_CASE("skewed parts are still connected") {
  const Graph graph = grid(60, 50);
  PartitionOptions options = options_for(PartitionMethod::Metis, 8);
  options.skew = 5;
  const std::uint64_t skewed =
      report_partition(graph, partition_graph(graph, options).value()).edge_cut;
  const std::uint64_t by_chance =
      report_partition(graph, partition_by(graph, PartitionMethod::Random, 8)).edge_cut;
  REQUIRE(skewed * 4 < by_chance);
}

TEST_CASE("the default method depends on the graph") {
  const auto chosen = [](const Graph& graph, std::uint32_t parts) {
    PartitionOptions options;
    options.parts = parts;
    options.balance = BalanceBy::Arcs;
    const PartitionMethod method = method_for(graph, options);
    const Partition made = partition_graph(graph, options).value();
    const Partition expected = partition_by(graph, method, BalanceBy::Arcs, parts);
    REQUIRE(std::ranges::equal(made.owner.span(), expected.owner.span()));
    return method;
  };
  // An option that only METIS supports selects METIS.
  PartitionOptions tried{.parts = 2, .tries = 2};
  REQUIRE(method_for(grid(200, 200), tried) == PartitionMethod::Metis);
  // Small: METIS. Numbered along its rows: ranges. The same graph shuffled: only METIS finds a
  // small cut.
  REQUIRE(chosen(grid(40, 40), 2) == PartitionMethod::Metis);
  const Graph rows = grid(200, 200);
  REQUIRE(rows.arc_count() > kArcsForMetis);
  REQUIRE(chosen(rows, 2) == PartitionMethod::Block);
  REQUIRE(chosen(rows, 8) == PartitionMethod::Block);
  REQUIRE(chosen(rows, 1) == PartitionMethod::Block);
  REQUIRE(chosen(shuffled(rows), 2) == PartitionMethod::Metis);
  REQUIRE(chosen(shuffled(rows), 8) == PartitionMethod::Metis);
  // Graphs with hubs have no small cut, and METIS would be slowest.
  REQUIRE(chosen(generate("kron:13:8", {}).value(), 4) == PartitionMethod::Ldg);
}

TEST_CASE("impossible requests are refused with a remedy") {
  const Graph graph = grid(3, 3);
  const auto refused = [&](PartitionOptions options) {
    const auto result = partition_graph(graph, options);
    return !result && result.error().exit_code() == 2 && !result.error().remedy.empty();
  };
  REQUIRE(refused(options_for(PartitionMethod::Block, 0)));
  REQUIRE(refused(options_for(PartitionMethod::Block, 4'000'000'000u)));
  for (const double ratio : {0.5, -1.0, 100.0, std::numeric_limits<double>::quiet_NaN()}) {
    PartitionOptions options = options_for(PartitionMethod::Block, 3);
    options.skew = ratio;
    REQUIRE(refused(options));
  }
  PartitionOptions weighted = options_for(PartitionMethod::Metis, 2);
  weighted.edge_weights = true;
  REQUIRE(refused(weighted));
}

TEST_CASE("methods are parsed by name, files by path, and misspellings get a suggestion") {
  PartitionOptions options;
  REQUIRE(parse_partition_method("fennel", options));
  REQUIRE(options.method == PartitionMethod::Fennel);
  REQUIRE(parse_partition_method("./owners.txt", options));
  REQUIRE(options.method == PartitionMethod::File);
  REQUIRE(options.owner_file == "./owners.txt");
  REQUIRE(parse_partition_method("file:owners", options));
  REQUIRE(options.owner_file == "owners");
  const auto slip = parse_partition_method("metsi", options);
  REQUIRE_FALSE(slip);
  REQUIRE(slip.error().to_string().find("metis") != std::string::npos);
}
