// PR: the share of a random surfer's time. The shared value of a vertex is its contribution to each out-neighbour. Vertices
// without arcs keep their rank; scaling the ranks to a sum of 1 distributes it over all vertices.
#include <cmath>
#include <numeric>
#include <span>

#include "example.h"

struct PageRank {
  using Value = double;
  static constexpr bool kDegrees = true;
  static constexpr double kDamping = 0.85;
  static constexpr double kTolerance = 1e-8;
  double vertices = 1;
  std::span<const std::uint32_t> degrees = {};

  void settle(const leeway::LocalGraph& here) { degrees = here.degrees(); }
  double init(const leeway::LocalVertex& v) const { return 1 / vertices / arcs(v.local); }
  void do_work(const leeway::Vertex<double>& curr, leeway::VertexMemory<double>& dsm) const {
    double sum = 0;
    for (const leeway::Related r : curr.related()) sum += DSM_FETCH(dsm, r);
    const double old = DSM_FETCH(dsm, curr.object());
    const double now = ((1 - kDamping) / vertices + kDamping * sum) / arcs(curr.local());
    if (std::abs(now - old) > kTolerance * now) DSM_STORE(dsm, curr.object(), now);
  }
  double result(const leeway::Vertex<double>& v) const { return v.value() * arcs(v.local()); }
  double arcs(std::uint32_t local) const { return std::max(1U, degrees[local]); }
};

int main(int count, char** words) {
  return aspire::run(
      count, words, {},
      [](const leeway::Graph& graph) { return PageRank{.vertices = double(graph.vertex_count())}; },
      [sum = 0.0](const auto& ranks, leeway::VertexId v) mutable {
        if (v == leeway::VertexId(0)) sum = std::accumulate(ranks.begin(), ranks.end(), 0.0);
        return ranks[v.index()] / sum;
      });
}
