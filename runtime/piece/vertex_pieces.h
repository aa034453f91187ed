// A vertex program under the piece engine: a piece is some of the graph's vertices, what a piece diffuses
// are their values, and a tick is a superstep of the piece alone. Its update is the synchronous part, for
// it reads all its neighbours at once. Values arrive in a memory of the worker's own, one copy of the graph's
// values for even ticks and one for odd: nobody is more than a tick ahead of whom it reads.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "leeway/runtime/job_structure.h"
#include "leeway/runtime/piece/graph_pieces.h"
#include "leeway/runtime/piece/run_pieces.h"
#include "leeway/runtime/vertex_program.h"
#include "leeway/transport/loopback.h"

namespace leeway::piece {

/// All values of a graph at two ticks, where a vertex program's updates find them. One thread's own.
template <class Value>
class VertexMemory {
 public:
  static Result<std::unique_ptr<VertexMemory>> make(std::uint32_t vertices) {
    auto memory = std::unique_ptr<VertexMemory>(new VertexMemory);
    for (std::size_t i = 0; i < memory->ticks_.size(); ++i) {
      SpaceOptions space;
      space.name = "tick " + std::to_string(i);
      space.local_objects = vertices;
      space.remote_objects = 0;
      LEEWAY_ASSIGN(memory->ticks_[i], Dsm<Value>::open(memory->node_, space));
    }
    return memory;
  }
  ~VertexMemory() {
    for (auto& tick : ticks_) tick.reset();
    node_.close();
  }
  VertexMemory(const VertexMemory&) = delete;
  VertexMemory& operator=(const VertexMemory&) = delete;

  [[nodiscard]] Dsm<Value>& at(TickId tick) { return *ticks_[tick.value() % 2]; }
  void store(TickId tick, VertexId vertex, const Value& value) {
    at(tick).space().values().template store_as<Value>(vertex.index(), value);
  }

 private:
  VertexMemory()
      : network_({.nodes = 1}), node_(network_.node(NodeId(0)), {.service = Service::Inline}) {}

  LoopbackNetwork network_;
  Node node_;
  std::array<std::optional<Dsm<Value>>, 2> ticks_;
};

/// What all workers share of a vertex program's run.
template <class P>
struct VertexGround {
  const P& program;
  const Shard& shard;  ///< of the whole graph, as on one node
  const GraphPieces& pieces;
  std::uint64_t input_ps = 3'000;  ///< picoseconds of computing, where time is virtual
  std::uint64_t vertex_ps = 10'000;
};

/// One worker's view of it.
template <class P>
class VertexPieces {
 public:
  using Object = typename P::Value;
  struct Partial {};

  VertexPieces(const VertexGround<P>& ground, std::unique_ptr<VertexMemory<Object>> memory)
      : ground_(ground), memory_(std::move(memory)) {}

  [[nodiscard]] const PieceLayout& layout() const { return ground_.pieces.layout(); }
  [[nodiscard]] std::vector<Object> load(PieceId piece) const {
    std::vector<Object> values;
    for (const VertexId vertex : ground_.pieces.vertices(piece))
      values.push_back(ground_.program.init(vertex));
    return values;
  }

  void process(Piece<VertexPieces>& piece) const {
    const auto got = piece.get();
    const auto from = ground_.pieces.vertices(got.from);
    for (std::size_t i = 0; i < from.size(); ++i)
      memory_->store(piece.tick(), from[i], got.objects[i]);
    piece.charge({.bytes = got.objects.size_bytes()});
    if (!piece.barrier()) return;
    const auto own = ground_.pieces.vertices(piece.id());
    View<Object> view(memory_->at(piece.tick()));
    Vertex<Object> vertex(ground_.shard, view);
    const auto next = piece.next(own.size());
    std::uint64_t inputs = 0;
    for (std::size_t i = 0; i < own.size(); ++i) {
      vertex.move_to(own[i].value());
      inputs += vertex.degree() + effort_of(ground_.program, vertex);
      const Object now = updated(ground_.program, vertex);
      piece.note(has_changed(ground_.program, vertex.value(), now) ? 1 : 0);
      next[i] = now;
    }
    piece.charge({.picoseconds = inputs * ground_.input_ps + own.size() * ground_.vertex_ps});
    piece.diffuse();
  }

  [[nodiscard]] bool termination(TickId, double change) const { return change == 0; }

 private:
  const VertexGround<P>& ground_;
  std::unique_ptr<VertexMemory<Object>> memory_;
};

template <class P>
struct VertexRun {
  std::vector<ResultOf<P>> values;  ///< by vertex; empty on other nodes than the first
  PieceRecord record;
};

/// Until no value changes, or for the ticks given. `pieces`: a worker's.
template <class P>
Result<VertexRun<P>> run_vertices(const Graph& graph, const P& program, PartitionOptions divide,
                                  std::uint32_t pieces, const ClusterOptions& cluster,
                                  const PieceOptions& options) {
  using Value = typename P::Value;
  const StructureNeeds needs{
      .reads = reads_of<P>(), .weights = wants_weights<P>(), .drop_loops = drops_loops<P>()};
  LEEWAY_ASSIGN(const Adjacency reads, Adjacency::make(graph, needs.reads, false));
  LEEWAY_ASSIGN(const GraphPieces cut,
                GraphPieces::make(graph, reads, std::move(divide), cluster, pieces));
  LEEWAY_ASSIGN(const JobStructure structure,
                JobStructure::make(graph, needs, 1, {}, VertexOrder::Graph, nullptr));
  LEEWAY_ASSIGN(const Shard shard, structure.shard(NodeId(0)));
  const VertexGround<P> ground{program, shard, cut};
  LEEWAY_ASSIGN(PieceRun ran, run_pieces(
                                  [&](NodeId) -> Result<std::shared_ptr<const Program>> {
                                    LEEWAY_ASSIGN(auto memory,
                                                  VertexMemory<Value>::make(graph.vertex_count()));
                                    return std::make_shared<OwnedProgramOf<VertexPieces<P>>>(
                                        ground, std::move(memory));
                                  },
                                  cluster, options));
  VertexRun<P> run{.values = {}, .record = std::move(ran.record)};
  if (ran.snapshots.empty()) return run;
  const auto values = cut.by_vertex<Value>(ran.snapshots.back().pieces);
  LEEWAY_ASSIGN(const auto memory, VertexMemory<Value>::make(graph.vertex_count()));
  for (VertexId v(0); v.value() < graph.vertex_count(); v = v.next())
    memory->store(TickId(0), v, values[v.index()]);
  View<Value> view(memory->at(TickId(0)));
  Vertex<Value> vertex(shard, view);
  for (VertexId v(0); v.value() < graph.vertex_count(); v = v.next()) {
    vertex.move_to(v.value());
    run.values.push_back(result_of(program, vertex));
  }
  return run;
}

}  // namespace leeway::piece
