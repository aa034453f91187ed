// Equations A u = b on sparse matrices and grids, which the programs Heat and Wave solve by iteration, and a test whether
// Jacobi's iteration converges on a matrix.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "base/parallel.h"
#include "base/result.h"
#include "datasets/graph.h"
#include "leeway/vertex.h"
#include "programs/catalog/program.h"
#include "runtime/cluster/group.h"
#include "runtime/graph/graph_part.h"

namespace leeway {

enum class Settling {
  Settles,   ///< the radius is below 1; that of |I - A/D| too if `absolute` is
  Diverges,  ///< the radius is not below 1, by a sufficiently exact estimate
  Unknown,   ///< the matrix is too large for an estimate, or the radius is near 1
};

struct Spectrum {
  Settling settling = Settling::Settles;
  double radius = 0;    ///< of I - A/D: an estimate, or the bound that decided
  double absolute = 0;  ///< of |I - A/D|: an upper bound
};

/// The sum of a row's entries on the diagonal. Requires a weighted graph, whose lists are the rows of a matrix.
[[nodiscard]] double diagonal_of(const Graph& matrix, VertexId row);

/// Decides whether the spectral radius of I - A/D is below 1, so that x' = (b - (A - D) x) / D converges: by a bound
/// if possible, else by an estimate, in bounded time. Requires a weighted graph and its diagonal without zeros.
/// Visits every entry at most 600 times, at most 200 million entries in all, but at least 20 times each.
Result<Spectrum> judge_spectrum(const Graph& matrix, std::span<const double> diagonal);

// The equation. The lists of a weighted graph are the rows of a matrix A, and b is 1 everywhere. An unweighted graph
// (such as a grid) stands for A = (5/4) D - W, with degrees D and arcs W: every cell exchanges heat with its
// neighbours and loses a quarter of that to its surroundings. Cells whose number is a multiple of 16 are heated with
// their degree. A cell without neighbours is 1 if heated, else 0. CellValues replaces b and the initial values
// (default: 0), and fixes the values of cells (Dirichlet boundary): the row of such a cell is the unit row.
//
// Heat: u' = (b - sum of the others' a u) / a_ii, the relaxation of the implicit heat equation (Jacobi; Gauss-Seidel
// if new values are used immediately). Wave: the damped wave equation, u' = u + beta (u - previous u) + (heat's step
// - u): cells overshoot and converge to the same u. Beta is small enough to converge under every schedule if Heat
// does.
//
// Convergence: both end when no cell moves by more than `tolerance` times the largest of b_i / a_ii and the initial
// values, nor by an amount that moves a reading cell by more than that: in a badly scaled matrix, a small change of
// one cell can be a large change of another. Heat converges under every schedule if the spectral radius of |I - A/D|
// is below 1 (Chazan & Miranker, 1969). If that of I - A/D is not below 1, it diverges; `make` detects this before
// any work starts, unless the matrix is too large for a decision. A cell whose value overflows counts as converged,
// so that the run ends, and has no result.

/// One cell's equation.
struct CellRow {
  double diagonal = 0;    ///< infinite for fixed cells
  double right_side = 0;  ///< the value of fixed cells
  double start = 0;
  double amplified =
      1;  ///< the maximum |a_ij / a_ii| with which another cell reads it, or 1 if that is less
  bool starts = false;  ///< of a run that continues: the equation has changed

  [[nodiscard]] bool fixed() const { return std::isinf(diagonal); }
};

/// The equations of the cells of a range, and what all of them have in common.
struct LinearProblem {
  std::vector<CellRow> rows;
  double sign = -1;            ///< of a_ij: an unweighted arc has a_ij = -1, but is stored as +1
  double largest = 1;          ///< of |b_i / a_ii| and |start_i|
  double absolute_radius = 0;  ///< radius of |I - A/D|, or an upper bound

  /// The equation without `amplified` and the radius, in one pass over the entries. `cells`: of the part's range. An Input
  /// error for a zero diagonal entry, or ratings. Collective.
  static Result<LinearProblem> state(Group& group, const GraphPart& part, const CellValues& cells);
  /// With both, in one more pass than judge_spectrum; also returns an error if the iteration diverges. Collective.
  static Result<LinearProblem> make(Group& group, const GraphPart& part, const CellValues& cells);
  /// The same for a whole graph.
  static Result<LinearProblem> state(const Graph& graph, const CellValues& cells);
  static Result<LinearProblem> make(const Graph& graph, const CellValues& cells);
};

/// A as a weighted graph. A weighted graph without fixed cells is A itself.
Result<Graph> matrix_of(const Graph& graph, const LinearProblem& problem);

/// The cells of one node, for both programs. The rows are the records of the program's JobGraph.
class Cells {
 public:
  Cells(const LinearProblem& problem, double tolerance)
      : sign_(problem.sign), within_(tolerance * problem.largest) {}

  void settle(const LocalGraph& here) { rows_ = here.records<CellRow>(); }
  [[nodiscard]] const CellRow& row(std::uint32_t local) const { return rows_[local]; }
  /// A cell that moves by at most this value has converged.
  [[nodiscard]] double converges_within(const LocalVertex& cell) const {
    return within_ / rows_[cell.local].amplified;
  }
  /// Heat's next value of a cell that is not fixed.
  [[nodiscard]] double relaxed(const CellRow& row, double others) const {
    return (row.right_side + sign_ * others) / row.diagonal;
  }

 private:
  double sign_;
  double within_;
  std::span<const CellRow> rows_;
};

/// A program over Cells that continues from old values, and visits first the cells whose equation has changed.
template <class P>
class Continued : public P {
 public:
  using P::P;
  [[nodiscard]] bool starts(const LocalVertex& cell, double) const {
    return this->cells().row(cell.local).starts;
  }
};

}  // namespace leeway
