#include "programs/sssp/path_start.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "datasets/csr.h"

namespace leeway {

namespace {

constexpr double kNoPath = std::numeric_limits<double>::infinity();

/// The arcs of a graph in both directions, with their lengths.
class ArcLengths {
 public:
  static Result<ArcLengths> of(const Graph& graph, bool by_weight) {
    ArcLengths arcs(graph, by_weight && graph.weighted());
    if (!graph.directed()) return arcs;
    const auto each_arc = [&](auto&& use) {
      for (std::uint32_t v = 0; v < graph.vertex_count(); ++v) {
        arcs.each_out(v, [&](std::uint32_t target, double length) { use(target, v, length); });
      }
    };
    LEEWAY_ASSIGN(arcs.incoming_, collect(graph.vertex_count(), arcs.by_weight_, each_arc));
    return arcs;
  }

  template <class Use>
  void each_out(std::uint32_t v, const Use& use) const {
    const auto list = graph_->neighbors(VertexId(v));
    for (std::size_t i = 0; i < list.size(); ++i)
      use(list[i].value(), by_weight_ ? graph_->weights(VertexId(v))[i] : 1.0);
  }
  template <class Use>
  void each_in(std::uint32_t v, const Use& use) const {
    if (!graph_->directed()) return each_out(v, use);
    const auto list = incoming_.row(v);
    for (std::size_t i = 0; i < list.size(); ++i)
      use(list[i], by_weight_ ? incoming_.row_weights(v)[i] : 1.0);
  }

 private:
  ArcLengths(const Graph& graph, bool by_weight) : graph_(&graph), by_weight_(by_weight) {}

  const Graph* graph_;
  bool by_weight_;
  Csr incoming_;  // of a directed graph
};

/// The vertices whose distance rests on a lost arc, each once.
std::vector<std::uint32_t> doubtful_vertices(const ArcLengths& arcs,
                                             const std::vector<OldDistance>& rows, VertexId source,
                                             std::vector<std::uint8_t>& doubtful,
                                             std::uint64_t& searched) {
  std::vector<std::uint32_t> found;
  std::vector<std::uint32_t> work;
  for (std::uint32_t v = 0; v < rows.size(); ++v) {
    if (rows[v].loses) work.push_back(v);
  }
  while (!work.empty()) {
    const std::uint32_t v = work.back();
    work.pop_back();
    if (doubtful[v] != 0 || v == source.value()) continue;
    ++searched;
    const double own = rows[v].distance;
    bool supported = false;
    arcs.each_in(v, [&](std::uint32_t u, double length) {
      const double from = rows[u].distance;
      supported = supported || (doubtful[u] == 0 && from < own && from + length == own);
    });
    if (supported) continue;
    doubtful[v] = 1;
    found.push_back(v);
    arcs.each_out(v, [&](std::uint32_t w, double length) {
      if (doubtful[w] == 0 && own + length == rows[w].distance) work.push_back(w);
    });
  }
  return found;
}

}  // namespace

Result<std::vector<OldDistance>> old_distances(const Continuation& from, VertexId source,
                                               bool by_weight) {
  if (!from.old.empty() && from.old[source.index()] != 0) {
    return fail(input_error("--from", "its paths begin at another vertex",
                            "give the --source of that run"));
  }
  std::vector<OldDistance> rows(from.old.size());
  for (std::size_t v = 0; v < rows.size(); ++v) rows[v].distance = from.old[v];
  for (const ArcChange& arc : from.arcs) {
    const double nearer = from.old[arc.source.index()];
    OldDistance& row = rows[arc.target.index()];
    // A shorter arc, too, no longer fits the distance that it carried.
    const bool lost = by_weight ? arc.before > 0 : arc.after < arc.before;
    const bool gained = by_weight ? arc.gained : arc.after > arc.before;
    // Only an arc from a vertex that is not farther can have carried the distance; one of length 0 comes from an equal distance.
    row.loses = row.loses || (lost && nearer <= row.distance && row.distance < kNoPath);
    row.gains = row.gains || (gained && nearer < row.distance);
  }
  return rows;
}

Result<PathStart> path_start(const Graph& graph, const Continuation& from, VertexId source,
                             bool by_weight) {
  LEEWAY_ASSIGN(const std::vector<OldDistance> rows, old_distances(from, source, by_weight));
  LEEWAY_ASSIGN(const ArcLengths arcs, ArcLengths::of(graph, by_weight));
  PathStart start;
  std::vector<std::uint8_t> doubtful(rows.size());
  const std::vector<std::uint32_t> found =
      doubtful_vertices(arcs, rows, source, doubtful, start.searched);
  for (const OldDistance& row : rows) start.distance.push_back(row.distance);
  start.offers.resize(rows.size());
  const auto offer = [&](std::uint32_t v) {
    if (doubtful[v] == 0 && rows[v].distance < kNoPath) start.offers[v] = 1;
  };
  for (const std::uint32_t v : found) {
    start.distance[v] = kNoPath;
    arcs.each_in(v, [&](std::uint32_t u, double) { offer(u); });
  }
  for (const ArcChange& arc : from.arcs) {
    if (by_weight ? arc.gained : arc.after > arc.before) offer(arc.source.value());
  }
  return start;
}

}  // namespace leeway
