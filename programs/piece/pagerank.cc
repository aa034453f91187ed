#include "leeway/programs/piece/pagerank.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "leeway/base/check.h"
#include "leeway/runtime/adjacency.h"
#include "leeway/runtime/piece/graph_pieces.h"
#include "leeway/runtime/piece/piece.h"

namespace leeway::piece {

namespace {

/// A sum of shares of rank in whole units, so that no order of arrival shows in it. All ranks together are
/// at most 1, so no sum overflows.
struct Share {
  static constexpr double kUnits = 0x1.0p60;
  std::int64_t units = 0;

  Share& operator+=(const Share& more) {
    units += more.units;
    return *this;
  }
  [[nodiscard]] static Share of(double rank) { return {std::llround(rank * kUnits)}; }
  [[nodiscard]] double value() const { return static_cast<double>(units) / kUnits; }
};

class PageRankPieces {
 public:
  using Object = double;  // a vertex's rank
  using Partial = Share;  // what its neighbours give it

  PageRankPieces(const Graph& graph, const GraphPieces& pieces, const PageRankJob& job)
      : graph_(graph), pieces_(pieces), job_(job) {}

  [[nodiscard]] const PieceLayout& layout() const { return pieces_.layout(); }
  [[nodiscard]] std::vector<double> load(PieceId piece) const {
    return std::vector<double>(pieces_.vertices(piece).size(), base());
  }

  void process(Piece<PageRankPieces>& piece) const {
    const auto got = piece.get();
    const auto own = pieces_.vertices(piece.id());
    piece.expect(own.size());
    const auto from = pieces_.vertices(got.from);
    const auto arcs = pieces_.arcs(piece.id(), got.from);
    for (const GraphPieces::Arc& arc : arcs) {
      const double degree = static_cast<double>(graph_.degree(from[arc.source]));
      piece.update(arc.target, Share::of(got.objects[arc.source] / degree));
    }
    piece.charge({.picoseconds = arcs.size() * job_.arc_ps});
    if (!piece.barrier()) return;
    for (std::size_t i = 0; i < own.size(); ++i)
      piece.set(i, base() + job_.damping * piece.update(i).value());
    piece.charge({.picoseconds = own.size() * job_.vertex_ps});
    piece.diffuse();
  }

  [[nodiscard]] double change(double before, double now) const { return std::abs(now - before); }
  [[nodiscard]] bool may_terminate() const { return job_.tolerance > 0; }
  /// All changes together are at most as many times the greatest as there are vertices.
  [[nodiscard]] bool termination(TickId, double change) const {
    return change * graph_.vertex_count() <= job_.tolerance;
  }

 private:
  [[nodiscard]] double base() const { return (1 - job_.damping) / graph_.vertex_count(); }

  const Graph& graph_;
  const GraphPieces& pieces_;
  const PageRankJob& job_;
};

}  // namespace

Result<PageRankRun> run_pagerank(const Graph& graph, const PageRankJob& job,
                                 const ClusterOptions& cluster, const PieceOptions& options) {
  LEEWAY_ASSIGN(const Adjacency reads, Adjacency::make(graph, Reads::In, false));
  LEEWAY_ASSIGN(const GraphPieces pieces,
                GraphPieces::make(graph, reads, job.partition, cluster, job.pieces));
  const PageRankPieces program(graph, pieces, job);
  LEEWAY_ASSIGN(PieceRun ran, run_pieces_of(program, cluster, options));
  PageRankRun run{.ranks = {}, .record = std::move(ran.record)};
  if (ran.snapshots.empty()) return run;
  run.ranks = pieces.by_vertex<double>(ran.snapshots.back().pieces);
  const double sum = std::accumulate(run.ranks.begin(), run.ranks.end(), 0.0);
  for (double& rank : run.ranks) rank /= sum;
  return run;
}

}  // namespace leeway::piece
