// Wave: the damped wave equation (programs/heat/linear_problem.h).
#pragma once

#include <algorithm>
#include <cmath>

#include "leeway/vertex.h"
#include "programs/heat/linear_problem.h"

namespace leeway {

struct Swinging {
  double now = 0;
  double before = 0;
  friend bool operator==(const Swinging&, const Swinging&) = default;
};

class Wave {
 public:
  using Value = Swinging;
  static constexpr Reads kReads = Reads::Out;
  static constexpr bool kWeights = true;
  static constexpr bool kDropLoops = true;
  static constexpr bool kMovesOn = true;  // cells can oscillate without input

  Wave(const LinearProblem& problem, double tolerance)
      : cells_(problem, tolerance),
        beta_(std::max(0.01, std::min(0.25, (1 - problem.absolute_radius) / 3))) {}

  void settle(const LocalGraph& here) { cells_.settle(here); }
  [[nodiscard]] Swinging init(const LocalVertex& cell) const {
    const double start = cells_.row(cell.local).start;
    return {start, start};
  }
  [[nodiscard]] Swinging update(const Vertex<Swinging>& vertex) const {
    const Swinging own = vertex.value();
    const CellRow& row = cells_.row(vertex.local());
    if (row.fixed()) return own;
    StrandSum<double> sum;
    vertex.each([&](const Swinging& value, double weight) { sum.add(weight * value.now); });
    const double rest = cells_.relaxed(row, sum.total());
    return {rest + beta_ * (own.now - own.before), own.now};
  }
  /// At a turning point a cell does not move, so its speed counts as well.
  [[nodiscard]] bool changed(const LocalVertex& cell, const Swinging& old,
                             const Swinging& now) const {
    const double within = cells_.converges_within(cell);
    return std::isfinite(old.now) && (!(std::abs(now.now - old.now) <= within) ||
                                      !(std::abs(old.now - old.before) <= within));
  }
  [[nodiscard]] double moved(VertexId, const Swinging& old, const Swinging& now) const {
    return std::abs(now.now - old.now);
  }
  [[nodiscard]] double result(const Vertex<Swinging>& vertex) const { return vertex.value().now; }

 private:
  Cells cells_;
  double beta_;
};

}  // namespace leeway
