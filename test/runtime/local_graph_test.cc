// The local graph of a node: the inputs of its vertices, local ones first, and the readers of its vertices.
#include "runtime/graph/local_graph.h"
#include "runtime/graph/layout.h"

#include <algorithm>
#include <bit>
#include <catch2/catch.hpp>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "datasets/graph_hash.h"
#include "leeway/cluster.h"
#include "leeway/graph.h"
#include "runtime/cluster/group.h"
#include "runtime/graph/build_local.h"
#include "runtime/graph/graph_part.h"
#include "test/support/small_graphs.h"

using namespace leeway;
using leeway::testing::TestEdge;

namespace {

using Arc =
    std::tuple<std::uint32_t, std::uint32_t, double>;  // reader, the vertex it reads, weight

/// The arcs of a local's inputs, with the graph's vertices.
std::multiset<Arc> arcs_of(const GraphCut& structure, const LocalGraph& local, NodeId self) {
  std::multiset<Arc> arcs;
  for (std::uint32_t v = 0; v < local.local_count(); ++v) {
    for (std::uint64_t i = local.input_offsets()[v]; i < local.input_offsets()[v + 1]; ++i) {
      const std::uint32_t handle = local.inputs()[i];
      const bool own = handle < local.local_count();
      const ObjectId object =
          own ? ObjectId(self, LocalIndex(handle)) : local.copies()[handle - local.local_count()];
      const VertexId read = structure.layout().vertices(object.home())[object.local().index()];
      const double weight = local.input_weights() == nullptr ? 1 : local.input_weights()[i];
      arcs.emplace(local.vertices()[v].value(), read.value(), weight);
      if (local.local_inputs() == nullptr) continue;
      CHECK(own == (i - local.input_offsets()[v] < local.local_inputs()[v]));
    }
  }
  return arcs;
}

/// Handle, reader and weight of each entry.
std::multiset<Arc> readers_of(const LocalGraph& local) {
  std::multiset<Arc> readers;
  for (std::uint32_t h = 0; h < local.local_count() + local.copy_count(); ++h) {
    const auto [vertices, weights] = local.readers(h);
    for (std::size_t i = 0; i < vertices.size(); ++i)
      readers.emplace(h, vertices[i], weights == nullptr ? 1 : weights[i]);
  }
  return readers;
}

}  // namespace

TEST_CASE("the local graphs of all nodes contain every arc once, with its weight") {
  const Graph graph = testing::random_graph(7, 60, 300, true, WeightKind::Integer);
  std::multiset<Arc> expected;
  for (VertexId v(0); v.value() < 60; v = v.next()) {
    for (std::size_t i = 0; i < graph.degree(v); ++i)
      expected.emplace(graph.neighbors(v)[i].value(), v.value(), graph.weights(v)[i]);
  }
  for (const VertexOrder order : {VertexOrder::Graph, VertexOrder::Degree, VertexOrder::Hubs}) {
    for (const std::uint32_t nodes : {1u, 4u, 70u}) {
      PartitionOptions hash;
      hash.method = PartitionMethod::Hash;
      const LocalNeeds needs{.reads = Reads::In, .weights = true, .readers = true};
      const auto structure = GraphCut::make(graph, needs, nodes, hash, order, nullptr).value();
      std::multiset<Arc> found;
      for (std::uint32_t node = 0; node < nodes; ++node)
        found.merge(arcs_of(structure, structure.local(NodeId(node)).value(), NodeId(node)));
      CHECK(found == expected);
    }
  }
}

TEST_CASE("a node with its part of the graph builds the same local graph as from the whole graph") {
  const auto order = GENERATE(VertexOrder::Graph, VertexOrder::Degree, VertexOrder::Hubs);
  const auto method = GENERATE(PartitionMethod::Block, PartitionMethod::Hash);
  const auto reads = GENERATE(Reads::Out, Reads::In, Reads::Both);
  const std::string spec = GENERATE("kron:9:8", "grid2d:9x9", "star:300");
  const bool inputs = GENERATE(true, false);
  const bool drop_loops = GENERATE(true, false);
  CAPTURE(order, method, reads, spec, inputs, drop_loops);
  LoadOptions with_weights;
  with_weights.weights = Weights::Random;
  const Graph graph = generate(spec, with_weights).value();
  for (const std::uint32_t nodes : {1u, 3u}) {
    PartitionOptions how;
    how.method = method;
    how.parts = nodes;
    how.balance = BalanceBy::Arcs;
    const LocalNeeds needs{.reads = reads,
                           .weights = true,
                           .drop_loops = drop_loops,
                           .inputs = inputs,
                           .readers = true,
                           .degrees = true};
    LocalNeeds with_inputs = needs;
    with_inputs.inputs = true;
    ClusterOptions cluster;
    cluster.nodes = nodes;
    std::vector<std::optional<BuiltLocal>> parts(nodes);
    const auto ran = run_endpoints(cluster, [&](Endpoint& endpoint) -> Status {
      Group& group = endpoint.group();
      LEEWAY_ASSIGN(GraphPart part, part_of(graph, endpoint.self(), nodes, how.balance));
      LEEWAY_ASSIGN(parts[endpoint.self().index()],
                    build_local(group, part, needs, how, order, nullptr));
      return {};
    });
    REQUIRE(ran.has_value());
    Partition homes{nodes, Array<PartId>::make(graph.vertex_count()).value()};
    for (std::uint32_t node = 0; node < nodes; ++node) {
      for (const VertexId v : parts[node]->graph.vertices())
        homes.owner.mutable_span()[v.index()] = PartId(node);
    }
    const auto structure = GraphCut::make(graph, with_inputs, nodes, how, order, &homes).value();
    const auto as_needed = GraphCut::make(graph, needs, nodes, how, order, &homes).value();
    for (NodeId node(0); node.value() < nodes; node = NodeId(node.value() + 1)) {
      const LocalGraph& local = parts[node.index()]->graph;
      const LocalGraph cut = structure.local(node).value();
      CHECK(std::ranges::equal(local.vertices(), cut.vertices()));
      CHECK(std::ranges::equal(local.copies(), cut.copies()));
      CHECK(std::ranges::equal(local.degrees(), cut.degrees()));
      CHECK(readers_of(local) == readers_of(cut));
      CHECK(readers_of(as_needed.local(node).value()) == readers_of(cut));
      CHECK((local.input_count() > 0) == inputs);
      if (inputs) CHECK(arcs_of(structure, local, node) == arcs_of(structure, cut, node));
      for (std::uint32_t v = 0; v < local.local_count(); ++v)
        CHECK(local.read_remotely(v) == cut.read_remotely(v));
    }
  }
}

TEST_CASE("readers are the reversed inputs, and only vertices with remote readers are announced") {
  const Graph graph = testing::random_graph(3, 40, 120, true);
  PartitionOptions block;
  block.method = PartitionMethod::Block;
  const LocalNeeds needs{.reads = Reads::Both, .drop_loops = true, .readers = true};
  const auto structure =
      GraphCut::make(graph, needs, 3, block, VertexOrder::Graph, nullptr).value();
  std::set<std::uint64_t> read_remotely;
  std::set<std::uint64_t> announced;
  for (std::uint32_t node = 0; node < 3; ++node) {
    const LocalGraph local = structure.local(NodeId(node)).value();
    std::multiset<std::pair<std::uint32_t, std::uint32_t>> forth;
    std::multiset<std::pair<std::uint32_t, std::uint32_t>> back;
    for (std::uint32_t v = 0; v < local.local_count(); ++v) {
      for (std::uint64_t i = local.input_offsets()[v]; i < local.input_offsets()[v + 1]; ++i) {
        forth.emplace(v, local.inputs()[i]);
        CHECK(local.inputs()[i] != v);
      }
      if (local.read_remotely(v)) announced.insert(ObjectId(NodeId(node), LocalIndex(v)).value());
    }
    for (std::uint32_t h = 0; h < local.local_count() + local.copy_count(); ++h) {
      for (const std::uint32_t reader : local.readers(h).vertices) back.emplace(reader, h);
    }
    CHECK(forth == back);
    for (const ObjectId id : local.copies()) read_remotely.insert(id.value());
  }
  CHECK(read_remotely == announced);
}

TEST_CASE("nodes with parts of a graph find its hash, and whether it is symmetric") {
  const bool weighted = GENERATE(false, true);
  const bool directed = GENERATE(false, true);
  const std::uint32_t nodes = GENERATE(1U, 3U, 7U);
  const Graph random = testing::random_graph(nodes, 40, 160, directed,
                                             weighted ? WeightKind::Integer : WeightKind::None);
  const Graph both_ways =
      testing::graph_of(5, {{0, 1}, {1, 0}, {1, 0}, {1, 4}, {4, 1}, {2, 2}}, true);
  for (const Graph* graph : {&random, &both_ways}) {
    ClusterOptions cluster;
    cluster.nodes = nodes;
    const auto ran = run_endpoints(cluster, [&](Endpoint& endpoint) -> Status {
      Group& group = endpoint.group();
      LEEWAY_ASSIGN(const GraphPart part,
                    part_of(*graph, endpoint.self(), nodes, BalanceBy::Vertices));
      LEEWAY_CHECK(hash_of(group, part) == hash_of(*graph));
      LEEWAY_CHECK(is_symmetric(group, part) == is_symmetric(*graph));
      return {};
    });
    REQUIRE(ran.has_value());
  }
  CHECK(is_symmetric(random) == !directed);
}

TEST_CASE("the hash of a graph covers its vertices, direction, arcs and weights") {
  const auto hash = [](std::uint32_t vertices, const std::vector<TestEdge>& edges, bool directed,
                       WeightKind kind = WeightKind::None) {
    return hash_of(testing::graph_of(vertices, edges, directed, kind));
  };
  const std::set<std::string> distinct = {
      hash(3, {{0, 1}, {1, 2}}, true),
      hash(4, {{0, 1}, {1, 2}}, true),
      hash(3, {{0, 1}, {1, 2}}, false),
      hash(3, {{0, 1}, {2, 1}}, true),
      hash(3, {{0, 1}, {0, 2}}, true),
      hash(3, {{0, 1}, {1, 2}, {1, 2}}, true),
      hash(3, {{0, 1}, {0, 1}, {1, 2}}, true),
      hash(3, {{0, 1, 2.0}, {1, 2, 1.0}}, true, WeightKind::Real),
      hash(3, {{0, 1, 1.0}, {1, 2, 2.0}}, true, WeightKind::Real)};
  CHECK(distinct.size() == 9);
}

TEST_CASE("a graph is symmetric if every arc has its reverse, parallel arcs or not") {
  CHECK(is_symmetric(testing::graph_of(3, {{0, 1}, {1, 0}, {1, 2}, {2, 1}, {2, 2}}, true)));
  CHECK(is_symmetric(testing::graph_of(2, {{0, 1}, {0, 1}, {1, 0}}, true)));
  CHECK_FALSE(is_symmetric(testing::graph_of(3, {{0, 1}, {1, 0}, {1, 2}}, true)));
  CHECK_FALSE(is_symmetric(testing::graph_of(3, {{2, 0}}, true)));
  CHECK(is_symmetric(testing::graph_of(3, {{2, 0}}, false)));
}

TEST_CASE("vertices with many arcs are first, group by group in graph order") {
  // A kron graph of 1,024 vertices has hubs on both nodes.
  const Graph graph = generate("kron:10:8", {}).value();
  const auto group = [&](VertexId v) { return std::bit_width(graph.degree(v)); };
  PartitionOptions hash;
  hash.method = PartitionMethod::Hash;
  const auto structure =
      GraphCut::make(graph, {.reads = Reads::In}, 2, hash, VertexOrder::Hubs, nullptr).value();
  for (const NodeId node : {NodeId(0), NodeId(1)}) {
    const auto vertices = structure.layout().vertices(node);
    REQUIRE(group(vertices.front()) > group(vertices.back()) + 3);
    CHECK(std::is_sorted(vertices.begin(), vertices.end(), [&](VertexId a, VertexId b) {
      return group(a) != group(b) ? group(a) > group(b) : a < b;
    }));
  }
}
