// SSSP: the length of the shortest path from the first vertex.
#include <limits>

#include "example.h"

struct ShortestPaths {
  using Value = double;
  static constexpr bool kWeights = true;
  static constexpr bool kAlwaysRests = true;

  double init(leeway::VertexId v) const {
    return v == leeway::VertexId(0) ? 0 : std::numeric_limits<double>::infinity();
  }
  void do_work(const leeway::Vertex<double>& curr, leeway::VertexMemory<double>& dsm) const {
    double best = DSM_FETCH(dsm, curr.object());
    for (const leeway::Related r : curr.related())
      best = std::min(best, DSM_FETCH(dsm, r) + r.weight());
    DSM_STORE(dsm, curr.object(), best);
  }
};

int main(int count, char** words) {
  return aspire::run(count, words, {}, [](const leeway::Graph&) { return ShortestPaths(); });
}
