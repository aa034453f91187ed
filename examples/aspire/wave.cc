// WS: a damped wave on a grid, which converges to the same values as heat. A cell moves towards heat's next value and keeps a
// share of its last change, so that it overshoots.
#include <cmath>

#include "example.h"

struct Swinging {
  double now = 0;
  double before = 0;
  friend bool operator==(const Swinging&, const Swinging&) = default;
};

struct Wave {
  using Value = Swinging;
  static constexpr leeway::Reads kReads = leeway::Reads::Out;
  static constexpr bool kDropLoops = true;
  static constexpr bool kMovesOn = true;
  static constexpr double kTolerance = 1e-9;
  static constexpr double kKept = 1.0 / 15;  // small enough to converge under every schedule

  Swinging init(leeway::VertexId) const { return {}; }
  void do_work(const leeway::Vertex<Value>& curr, leeway::VertexMemory<Value>& dsm) const {
    double sum = 0;
    for (const leeway::Related r : curr.related()) sum += DSM_FETCH(dsm, r).now;
    const Swinging own = DSM_FETCH(dsm, curr.object());
    const double degree = curr.degree() == 0 ? 0.8 : static_cast<double>(curr.degree());
    const double heat = curr.id().value() % 16 != 0 ? 0 : std::max(degree, 1.0);
    const double now = (heat + sum) / (1.25 * degree) + kKept * (own.now - own.before);
    const double moved = std::max(std::abs(now - own.now), std::abs(own.now - own.before));
    if (moved > kTolerance * 0.8) DSM_STORE(dsm, curr.object(), (Swinging{now, own.now}));
  }
  double result(const leeway::Vertex<Value>& vertex) const { return vertex.value().now; }
};

int main(int count, char** words) {
  return aspire::run(count, words, {}, [](const leeway::Graph&) { return Wave(); });
}
