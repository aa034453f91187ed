// Components with default options, on small random graphs with random owners, compared with labels
// by breadth-first search.
#include <catch2/catch.hpp>
#include <deque>
#include <memory>
#include <vector>

#include "base/random.h"
#include "leeway/job.h"
#include "programs/cc/vertex.h"
#include "test/support/small_graphs.h"

using namespace leeway;

namespace {

std::vector<std::uint32_t> breadth_first(const Graph& graph) {
  constexpr std::uint32_t kNone = ~0U;
  std::vector<std::uint32_t> label(graph.vertex_count(), kNone);
  for (std::uint32_t first = 0; first < label.size(); ++first) {
    if (label[first] != kNone) continue;
    std::deque<std::uint32_t> open{first};
    label[first] = first;
    for (; !open.empty(); open.pop_front()) {
      for (const VertexId next : graph.neighbors(VertexId(open.front()))) {
        if (label[next.index()] != kNone) continue;
        label[next.index()] = first;
        open.push_back(next.value());
      }
    }
  }
  return label;
}

std::shared_ptr<const Partition> random_owners(Random& random, std::uint32_t vertices,
                                               std::uint32_t parts) {
  auto partition = std::make_shared<Partition>();
  partition->part_count = parts;
  partition->owner = Array<PartId>::make(vertices).value();
  for (PartId& owner : partition->owner.mutable_span())
    owner = PartId(static_cast<PartId::representation>(random.below(parts)));
  return partition;
}

}  // namespace

TEST_CASE("components equal the breadth-first labels, for every assignment of vertices") {
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    const auto vertices = static_cast<std::uint32_t>(1 + random.below(40));
    const auto edges = static_cast<std::uint32_t>(random.below(vertices * 2 + 1));
    const Graph graph = testing::random_graph(seed, vertices, edges, false);
    RunOptions options;
    options.cluster.fabric = Fabric::Sim;
    options.cluster.nodes = static_cast<std::uint32_t>(2 + random.below(3));
    options.divided = random_owners(random, vertices, options.cluster.nodes);
    const auto found = run_job(graph, Components(graph), options);
    REQUIRE(found.has_value());
    REQUIRE(found->values == breadth_first(graph));
  }
}
