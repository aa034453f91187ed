// The shard of a node: the inputs of its vertices, local ones first, and the readers of its
// vertices.
#include "runtime/graph/shard.h"

#include <algorithm>
#include <bit>
#include <catch2/catch.hpp>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "leeway/cluster.h"
#include "leeway/graph.h"
#include "runtime/cluster/group.h"
#include "runtime/graph/graph_part.h"
#include "runtime/graph/part_structure.h"
#include "test/support/small_graphs.h"

using namespace leeway;

namespace {

using Arc =
    std::tuple<std::uint32_t, std::uint32_t, double>;  // reader, the vertex it reads, weight

/// The arcs of a shard's inputs, with the graph's vertices.
std::multiset<Arc> arcs_of(const JobStructure& structure, const Shard& shard, NodeId self) {
  std::multiset<Arc> arcs;
  for (std::uint32_t v = 0; v < shard.local_count(); ++v) {
    for (std::uint64_t i = shard.input_offsets()[v]; i < shard.input_offsets()[v + 1]; ++i) {
      const std::uint32_t handle = shard.inputs()[i];
      const bool local = handle < shard.local_count();
      const ObjectId object =
          local ? ObjectId(self, LocalIndex(handle)) : shard.remote()[handle - shard.local_count()];
      const VertexId read = structure.layout().vertices(object.home())[object.local().index()];
      const double weight = shard.input_weights() == nullptr ? 1 : shard.input_weights()[i];
      arcs.emplace(shard.vertices()[v].value(), read.value(), weight);
      if (shard.local_inputs() == nullptr) continue;
      CHECK(local == (i - shard.input_offsets()[v] < shard.local_inputs()[v]));
    }
  }
  return arcs;
}

/// Handle, reader and weight of each entry.
std::multiset<Arc> readers_of(const Shard& shard) {
  std::multiset<Arc> readers;
  for (std::uint32_t h = 0; h < shard.local_count() + shard.remote_count(); ++h) {
    for (std::uint64_t i = shard.dependent_offsets()[h]; i < shard.dependent_offsets()[h + 1]; ++i)
      readers.emplace(h, shard.dependents()[i],
                      shard.dependent_weights() == nullptr ? 1 : shard.dependent_weights()[i]);
  }
  return readers;
}

}  // namespace

TEST_CASE("the shards of all nodes contain every arc once, with its weight") {
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
      const StructureNeeds needs{.reads = Reads::In, .weights = true, .dependents = true};
      const auto structure = JobStructure::make(graph, needs, nodes, hash, order, nullptr).value();
      std::multiset<Arc> found;
      for (std::uint32_t node = 0; node < nodes; ++node)
        found.merge(arcs_of(structure, structure.shard(NodeId(node)).value(), NodeId(node)));
      CHECK(found == expected);
    }
  }
}

TEST_CASE("a node with its part of the graph builds the same shard as from the whole graph") {
  const auto order = GENERATE(VertexOrder::Graph, VertexOrder::Degree, VertexOrder::Hubs);
  const auto method = GENERATE(PartitionMethod::Block, PartitionMethod::Hash);
  const auto reads = GENERATE(Reads::Out, Reads::In, Reads::Both);
  const std::string spec = GENERATE("kron:9:8", "grid2d:9x9", "star:300");
  CAPTURE(order, method, reads, spec);
  LoadOptions with_weights;
  with_weights.weights = Weights::Random;
  const Graph graph = generate(spec, with_weights).value();
  for (const std::uint32_t nodes : {1u, 3u}) {
    PartitionOptions how;
    how.method = method;
    how.parts = nodes;
    how.balance = BalanceBy::Arcs;
    const bool inputs = nodes == 1 || method == PartitionMethod::Block;
    const StructureNeeds needs{.reads = reads,
                               .weights = true,
                               .drop_loops = method == PartitionMethod::Hash,
                               .inputs = inputs,
                               .dependents = true,
                               .degrees = true};
    StructureNeeds with_inputs = needs;
    with_inputs.inputs = true;
    ClusterOptions cluster;
    cluster.nodes = nodes;
    std::vector<std::optional<PartStructure>> parts(nodes);
    const auto ran = run_endpoints(cluster, [&](Endpoint& endpoint) -> Status {
      Group& group = endpoint.group();
      LEEWAY_ASSIGN(GraphPart part, part_of(graph, endpoint.self(), nodes, how.balance));
      LEEWAY_ASSIGN(parts[endpoint.self().index()],
                    PartStructure::make(group, part, needs, how, order, nullptr));
      return {};
    });
    REQUIRE(ran.has_value());
    Partition homes{nodes, Array<PartId>::make(graph.vertex_count()).value()};
    for (std::uint32_t node = 0; node < nodes; ++node) {
      for (const VertexId v : parts[node]->vertices())
        homes.owner.mutable_span()[v.index()] = PartId(node);
    }
    const auto structure =
        JobStructure::make(graph, with_inputs, nodes, how, order, &homes).value();
    const auto as_needed = JobStructure::make(graph, needs, nodes, how, order, &homes).value();
    for (NodeId node(0); node.value() < nodes; node = NodeId(node.value() + 1)) {
      const Shard shard = parts[node.index()]->shard().value();
      const Shard cut = structure.shard(node).value();
      CHECK(std::ranges::equal(shard.vertices(), cut.vertices()));
      CHECK(std::ranges::equal(shard.remote(), cut.remote()));
      CHECK(std::ranges::equal(shard.degrees(), cut.degrees()));
      CHECK(readers_of(shard) == readers_of(cut));
      CHECK(readers_of(as_needed.shard(node).value()) == readers_of(cut));
      CHECK((shard.input_count() > 0) == inputs);
      if (inputs) CHECK(arcs_of(structure, shard, node) == arcs_of(structure, cut, node));
      for (std::uint32_t v = 0; v < shard.local_count(); ++v)
        CHECK(shard.read_remotely(v) == cut.read_remotely(v));
    }
  }
}

TEST_CASE(
    "dependents are the reversed inputs, and only vertices with remote readers are announced") {
  const Graph graph = testing::random_graph(3, 40, 120, true);
  PartitionOptions block;
  block.method = PartitionMethod::Block;
  const StructureNeeds needs{.reads = Reads::Both, .drop_loops = true, .dependents = true};
  const auto structure =
      JobStructure::make(graph, needs, 3, block, VertexOrder::Graph, nullptr).value();
  std::set<std::uint64_t> read_remotely;
  std::set<std::uint64_t> announced;
  for (std::uint32_t node = 0; node < 3; ++node) {
    const Shard shard = structure.shard(NodeId(node)).value();
    std::multiset<std::pair<std::uint32_t, std::uint32_t>> forth;
    std::multiset<std::pair<std::uint32_t, std::uint32_t>> back;
    for (std::uint32_t v = 0; v < shard.local_count(); ++v) {
      for (std::uint64_t i = shard.input_offsets()[v]; i < shard.input_offsets()[v + 1]; ++i) {
        forth.emplace(v, shard.inputs()[i]);
        CHECK(shard.inputs()[i] != v);
      }
      if (shard.read_remotely(v)) announced.insert(ObjectId(NodeId(node), LocalIndex(v)).value());
    }
    for (std::uint32_t h = 0; h < shard.local_count() + shard.remote_count(); ++h) {
      for (std::uint64_t i = shard.dependent_offsets()[h]; i < shard.dependent_offsets()[h + 1];
           ++i)
        back.emplace(shard.dependents()[i], h);
    }
    CHECK(forth == back);
    for (const ObjectId id : shard.remote()) read_remotely.insert(id.value());
  }
  CHECK(read_remotely == announced);
}

TEST_CASE("a graph is symmetric if every arc has its reverse, parallel arcs or not") {
  CHECK(is_symmetric(testing::graph_of(3, {{0, 1}, {1, 0}, {1, 2}, {2, 1}, {2, 2}}, true)));
  CHECK(is_symmetric(testing::graph_of(2, {{0, 1}, {0, 1}, {1, 0}}, true)));
  CHECK_FALSE(is_symmetric(testing::graph_of(3, {{0, 1}, {1, 0}, {1, 2}}, true)));
  CHECK_FALSE(is_symmetric(testing::graph_of(3, {{2, 0}}, true)));
  CHECK(is_symmetric(testing::graph_of(3, {{2, 0}}, false)));
}

TEST_CASE(
    "vertices with many arcs are first, group by group in graph order, and lists are ascending") {
  // A kron graph of 1,024 vertices has hubs on both nodes.
  const Graph graph = generate("kron:10:8", {}).value();
  const auto group = [&](VertexId v) { return std::bit_width(graph.degree(v)); };
  PartitionOptions hash;
  hash.method = PartitionMethod::Hash;
  const auto structure =
      JobStructure::make(graph, {.reads = Reads::In}, 2, hash, VertexOrder::Hubs, nullptr).value();
  for (const NodeId node : {NodeId(0), NodeId(1)}) {
    const auto vertices = structure.layout().vertices(node);
    REQUIRE(group(vertices.front()) > group(vertices.back()) + 3);
    CHECK(std::is_sorted(vertices.begin(), vertices.end(), [&](VertexId a, VertexId b) {
      return group(a) != group(b) ? group(a) > group(b) : a < b;
    }));
    const auto ends = structure.layout().groups()[node.index()];
    CHECK(ends.back() == vertices.size());
    for (std::size_t i = 0; i + 1 < ends.size(); ++i)
      CHECK(group(vertices[ends[i] - 1]) > group(vertices[ends[i]]));
    const Shard shard = structure.shard(node).value();
    for (std::uint32_t v = 0; v < shard.local_count(); ++v) {
      CHECK(std::is_sorted(shard.inputs() + shard.input_offsets()[v],
                           shard.inputs() + shard.input_offsets()[v + std::size_t{1}]));
    }
  }
}
