#include "runtime/vertex/piece_queue.h"
#include "runtime/graph/layout.h"

#include <catch2/catch.hpp>
#include <set>

#include "leeway/graph.h"
#include "runtime/graph/local_graph.h"

using namespace leeway;

namespace {

/// The graph of the first node of a path of 100 vertices that is cut in the middle.
struct HalfPath {
  Graph graph = generate("path:100", {}).value();
  GraphCut cut = make(graph);
  LocalGraph local = cut.local(NodeId(0)).value();

  static GraphCut make(const Graph& graph) {
    PartitionOptions how;
    how.method = PartitionMethod::Block;
    how.parts = 2;
    return GraphCut::make(graph, {.reads = Reads::Both, .readers = true}, 2, how,
                          VertexOrder::Graph, nullptr)
        .value();
  }
};

}  // namespace

TEST_CASE("pieces cover a node's vertices once, and have the right distance to the boundary") {
  const HalfPath half;
  PieceQueue queue(half.local, 5, 1, 0);
  REQUIRE(queue.count() == 5);
  for (std::uint32_t piece = 0; piece < 5; ++piece) CHECK(queue.distance(piece) == 4 - piece);
  queue.add_all();
  queue.add_all();
  std::set<std::uint32_t> seen;
  std::uint32_t taken = 0;
  for (auto vertices = queue.take(); !vertices.empty(); vertices = queue.take()) {
    seen.insert(vertices.begin(), vertices.end());
    taken += static_cast<std::uint32_t>(vertices.size());
  }
  CHECK(queue.empty());
  CHECK(seen.size() == half.local.local_count());
  CHECK(taken == half.local.local_count());
}

TEST_CASE("with alpha alone pieces near the boundary run first") {
  const HalfPath half;
  PieceQueue queue(half.local, 5, 1, 0);
  queue.add_all();
  CHECK(queue.take().back() == half.local.local_count() - 1);  // the vertex read by the other node
  CHECK(queue.take().back() < half.local.local_count() - 1);
}

TEST_CASE("of pieces with equal distance to the boundary the longest waiting one runs first") {
  const Graph graph = generate("path:100", {}).value();  // on one node pieces have no boundary
  const auto cut = GraphCut::make(graph, {.reads = Reads::Both, .readers = true}, 1, {},
                                  VertexOrder::Graph, nullptr)
                       .value();
  const LocalGraph local = cut.local(NodeId(0)).value();
  PieceQueue queue(local, 5, 1, 0);
  queue.add_all();
  std::set<std::uint32_t> first_of_each;
  for (int turn = 0; turn < 5; ++turn) {
    const std::uint32_t vertex = queue.take().front();
    first_of_each.insert(vertex);
    queue.add(vertex);  // this piece always has work
  }
  CHECK(first_of_each.size() == 5);
}

TEST_CASE("no piece waits forever, for all weights") {
  const HalfPath half;
  PieceQueue queue(half.local, 5, 1, 0);
  queue.add_all();
  const std::uint32_t boundary = half.local.local_count() - 1;
  std::set<std::uint32_t> last_of_each;
  for (std::uint64_t turn = 0; turn < 2 * 5 * PieceQueue::kPatience; ++turn) {
    const std::uint32_t vertex = queue.take().back();
    last_of_each.insert(vertex);
    queue.add(boundary);  // the boundary always has work
    queue.add(vertex);
  }
  CHECK(last_of_each.size() == 5);
}

TEST_CASE("with beta alone the piece with the fewest runs goes first") {
  const HalfPath half;
  PieceQueue queue(half.local, 5, 0, 1);
  queue.add(0);
  CHECK(queue.take().front() == 0);
  queue.add(0);
  queue.add(half.local.local_count() - 1);
  CHECK(queue.take().front() == half.local.local_count() - 1);
  CHECK(queue.take().front() == 0);
}

TEST_CASE("there are at most as many pieces as vertices, and one empty piece without vertices") {
  const HalfPath half;
  CHECK(PieceQueue(half.local, 1000, 0.5, 0.5).count() == half.local.local_count());
  const Graph one = generate("path:1", {}).value();
  PartitionOptions how;
  how.method = PartitionMethod::Block;
  how.parts = 2;
  const auto cut =
      GraphCut::make(one, {.readers = true}, 2, how, VertexOrder::Graph, nullptr).value();
  for (const NodeId node : {NodeId(0), NodeId(1)}) {
    const LocalGraph local = cut.local(node).value();
    PieceQueue queue(local, 16, 0.5, 0.5);
    queue.add_all();
    CHECK(queue.take().size() == local.local_count());
    CHECK(queue.empty());
  }
}
