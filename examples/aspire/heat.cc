// HS: heat on a grid. A cell exchanges heat with its neighbours and loses a quarter of that to its surroundings; every
// sixteenth cell is heated.
#include <cmath>

#include "example.h"

struct Heat {
  using Value = double;
  static constexpr leeway::Reads kReads = leeway::Reads::Out;
  static constexpr bool kDropLoops = true;
  static constexpr double kTolerance = 1e-9;

  double init(leeway::VertexId) const { return 0; }
  void do_work(const leeway::Vertex<double>& curr, leeway::VertexMemory<double>& dsm) const {
    double sum = 0;
    for (const leeway::Related r : curr.related()) sum += DSM_FETCH(dsm, r);
    const double old = DSM_FETCH(dsm, curr.object());
    const double degree = curr.degree() == 0 ? 0.8 : static_cast<double>(curr.degree());
    const double heat = curr.id().value() % 16 != 0 ? 0 : std::max(degree, 1.0);
    const double now = (heat + sum) / (1.25 * degree);
    if (std::abs(now - old) > kTolerance * 0.8) DSM_STORE(dsm, curr.object(), now);
  }
};

int main(int count, char** words) {
  return aspire::run(count, words, {}, [](const leeway::Graph&) { return Heat(); });
}
