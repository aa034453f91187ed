// Fragments that processes make from their parts of a graph equal those cut from the whole graph by the same division.
#include <algorithm>
#include <catch2/catch.hpp>
#include <optional>
#include <vector>

#include "leeway/cluster.h"
#include "runtime/cluster/group.h"
#include "runtime/graph/graph_part.h"
#include "runtime/pie/fragment.h"
#include "test/support/small_graphs.h"

using namespace leeway;
using namespace leeway::pie;

namespace {

/// The entries of a list with their weights, sorted: the order of lists in both directions is not defined.
std::vector<std::pair<Place, double>> list_of(const Fragment& fragment, Place place) {
  std::vector<std::pair<Place, double>> list;
  for (std::uint64_t arc = fragment.offsets()[place]; arc < fragment.offsets()[place + 1]; ++arc)
    list.emplace_back(fragment.targets()[arc],
                      fragment.weights() == nullptr ? 1 : fragment.weights()[arc]);
  std::sort(list.begin(), list.end());
  return list;
}

void check_equal(const Fragment& made, const Fragment& cut) {
  REQUIRE(made.inner_count() == cut.inner_count());
  REQUIRE(made.vertex_count() == cut.vertex_count());
  REQUIRE(made.listed_count() == cut.listed_count());
  CHECK(made.arc_count() == cut.arc_count());
  for (Place p = 0; p < made.vertex_count(); ++p) {
    REQUIRE(made.vertex(p) == cut.vertex(p));
    if (made.is_inner(p)) continue;
    CHECK(made.home(p).fragment == cut.home(p).fragment);
    CHECK(made.home(p).place == cut.home(p).place);
  }
  for (Place p = 0; p < made.listed_count(); ++p) {
    CHECK(list_of(made, p) == list_of(cut, p));
    CHECK(made.degree(p) == cut.degree(p));
  }
  REQUIRE(made.back() == cut.back());
  if (made.back() != Back::All) return;
  for (Place p = 0; p < made.vertex_count(); ++p) {
    const auto sources = [&](const Fragment& fragment) {
      const std::uint64_t* const offsets = fragment.back_offsets();
      std::vector<std::uint32_t> all(fragment.sources() + offsets[p],
                                     fragment.sources() + offsets[p + 1]);
      std::sort(all.begin(), all.end());
      return all;
    };
    CHECK(sources(made) == sources(cut));
  }
}

}  // namespace

TEST_CASE("fragments made from parts equal those cut from the whole graph") {
  const bool directed = GENERATE(false, true);
  const auto kind = GENERATE(WeightKind::None, WeightKind::Integer);
  const auto reads = GENERATE(Reads::Out, Reads::Both);
  const auto [cut, hops] = GENERATE(table<Cut, std::uint32_t>(
      {{Cut::Edge, 0}, {Cut::Edge, 1}, {Cut::Edge, 2}, {Cut::Vertex, 0}}));
  const auto method =
      GENERATE(PartitionMethod::Block, PartitionMethod::Hash, PartitionMethod::Metis);
  const auto [nodes, workers] =
      GENERATE(table<std::uint32_t, std::uint32_t>({{1, 1}, {1, 3}, {2, 2}, {3, 7}, {5, 5}}));
  CAPTURE(directed, kind, reads, cut, hops, method, nodes, workers);
  const Graph graph = testing::random_graph(nodes + workers, 60, 150, directed, kind);
  const FragmentNeeds needs{.lists = reads,
                            .weights = true,
                            .cut = cut,
                            .hops = hops,
                            .back = hops == 1 ? Back::None : Back::All};
  PartitionOptions how;
  how.method = method;
  how.parts = nodes;
  ClusterOptions cluster;
  cluster.nodes = nodes;
  std::vector<std::optional<Fragmentation>> made(nodes);
  const auto ran = run_endpoints(cluster, [&](Endpoint& endpoint) -> Status {
    const std::uint32_t self = endpoint.self().value();
    LEEWAY_ASSIGN(GraphPart part, part_of(graph, endpoint.self(), nodes, how.balance));
    LEEWAY_ASSIGN(made[self], Fragmentation::build(endpoint.group(), part, how, needs, workers));
    return {};
  });
  REQUIRE(ran.has_value());
  Partition homes{workers, Array<PartId>::make(graph.vertex_count()).value()};
  std::size_t found = 0;
  for (std::uint32_t worker = 0; worker < workers; ++worker) {
    for (const VertexId v : made[worker % nodes]->vertices(PartId(worker))) {
      homes.owner.mutable_span()[v.index()] = PartId(worker);
      ++found;
    }
  }
  REQUIRE(found == graph.vertex_count());
  const auto whole = Fragmentation::make(graph, homes, needs).value();
  for (std::uint32_t worker = 0; worker < workers; ++worker) {
    CHECK(made[worker % nodes]->checksums() == whole.checksums());
    check_equal(made[worker % nodes]->fragment(PartId(worker)).value(),
                whole.fragment(PartId(worker)).value());
  }
}
