#include "programs/sssp/path_start.h"

#include <cstddef>
#include <limits>

#include "datasets/csr.h"
#include "runtime/graph/lists.h"

namespace leeway {

namespace {

constexpr double kNoPath = std::numeric_limits<double>::infinity();

/// Calls use(other end, length) for the arcs of a list.
template <class Use>
void each_arc(const Csr& lists, std::uint32_t v, const Use& use) {
  const auto ends = lists.row(v);
  const auto weights = lists.row_weights(v);
  for (std::size_t i = 0; i < ends.size(); ++i) use(ends[i], weights.empty() ? 1.0 : weights[i]);
}

/// The vertices whose distance rests on a lost arc, each once.
std::vector<std::uint32_t> doubtful_vertices(const Csr& in, const Csr& out,
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
    each_arc(in, v, [&](std::uint32_t u, double length) {
      const double from = rows[u].distance;
      supported = supported || (doubtful[u] == 0 && from < own && from + length == own);
    });
    if (supported) continue;
    doubtful[v] = 1;
    found.push_back(v);
    each_arc(out, v, [&](std::uint32_t w, double length) {
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
  LEEWAY_ASSIGN(const Csr in, lists_of(graph, Reads::In, by_weight));
  LEEWAY_ASSIGN(const Csr out, lists_of(graph, Reads::Out, by_weight));
  PathStart start;
  std::vector<std::uint8_t> doubtful(rows.size());
  const std::vector<std::uint32_t> found =
      doubtful_vertices(in, out, rows, source, doubtful, start.searched);
  for (const OldDistance& row : rows) start.distance.push_back(row.distance);
  start.offers.resize(rows.size());
  const auto offer = [&](std::uint32_t v) {
    if (doubtful[v] == 0 && rows[v].distance < kNoPath) start.offers[v] = 1;
  };
  for (const std::uint32_t v : found) {
    start.distance[v] = kNoPath;
    each_arc(in, v, [&](std::uint32_t u, double) { offer(u); });
  }
  for (const ArcChange& arc : from.arcs) {
    if (by_weight ? arc.gained : arc.after > arc.before) offer(arc.source.value());
  }
  return start;
}

}  // namespace leeway
