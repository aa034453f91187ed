// Heat: the relaxation of the implicit heat equation (programs/heat/linear_problem.h).
#pragma once

#include <cmath>

#include "leeway/vertex.h"
#include "programs/heat/linear_problem.h"

namespace leeway {

class Heat {
 public:
  using Value = double;
  static constexpr bool kMovesOn = false;
  static constexpr Reads kReads = Reads::Out;
  static constexpr bool kWeights = true;
  static constexpr bool kDropLoops = true;

  Heat(const LinearProblem& problem, double tolerance) : cells_(problem, tolerance) {}

  void settle(const LocalGraph& here) { cells_.settle(here); }
  [[nodiscard]] const Cells& cells() const { return cells_; }
  [[nodiscard]] double init(const LocalVertex& cell) const { return cells_.row(cell.local).start; }
  [[nodiscard]] double update(const Vertex<double>& vertex) const {
    const CellRow& row = cells_.row(vertex.local());
    if (row.fixed()) return vertex.value();
    StrandSum<double> sum;
    vertex.each([&](double value, double weight) { sum.add(weight * value); });
    return cells_.relaxed(row, sum.total());
  }
  [[nodiscard]] bool changed(const LocalVertex& cell, double old, double now) const {
    return std::isfinite(old) && !(std::abs(now - old) <= cells_.converges_within(cell));
  }
  [[nodiscard]] double moved(VertexId, double old, double now) const { return std::abs(now - old); }

 private:
  Cells cells_;
};

}  // namespace leeway
