// Partial differential equations on sparse matrices and grids: the programs Heat and Wave, which iterate for A u = b
// until convergence, and a test whether Jacobi's iteration converges on a matrix.
#pragma once

#include <cmath>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/parallel.h"
#include "base/result.h"
#include "datasets/graph.h"
#include "leeway/vertex.h"
#include "programs/vertex/catalog.h"

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
[[nodiscard]] Spectrum judge_spectrum(const Graph& graph, std::span<const double> diagonal);

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

/// Immutable; shared by the copies of a program.
struct LinearProblem {
  std::vector<double> diagonal;    ///< by vertex; infinite for fixed cells
  std::vector<double> right_side;  ///< by vertex; the value of fixed cells
  std::vector<double> start;       ///< by vertex
  double sign = -1;    ///< of a_ij: an unweighted arc has a_ij = -1, but is stored as +1
  double largest = 1;  ///< of |b_i / a_ii| and |start_i|
  /// By vertex: the maximum |a_ij / a_ii| with which another cell reads it, if above 1. Empty: nowhere above 1.
  std::vector<double> amplified;
  double absolute_radius = 0;  ///< radius of |I - A/D|, or an upper bound

  [[nodiscard]] bool fixed(VertexId vertex) const { return std::isinf(diagonal[vertex.index()]); }
  /// A cell that moves by at most this value has converged.
  [[nodiscard]] double converges_within(VertexId vertex, double tolerance) const {
    const double all = tolerance * largest;
    return amplified.empty() ? all : all / amplified[vertex.index()];
  }
  /// Heat's next value of a cell that is not fixed.
  [[nodiscard]] double relaxed(VertexId vertex, double others) const {
    const std::size_t v = vertex.index();
    return (right_side[v] + sign * others) / diagonal[v];
  }

  /// The equation without `amplified` and the radius, in one pass over the entries. Returns an Input error for a zero
  /// diagonal entry, ratings, or a complex matrix.
  static Result<LinearProblem> state(const Graph& graph, const CellValues& cells);
  /// With both, in one more pass than judge_spectrum; also returns an error if the iteration diverges.
  static Result<std::shared_ptr<const LinearProblem>> make(const Graph& graph,
                                                           const CellValues& cells);
};

/// A as a weighted graph. A weighted graph without fixed cells is A itself.
Result<Graph> matrix_of(const Graph& graph, const LinearProblem& problem);

class Heat {
 public:
  using Value = double;
  static constexpr bool kMovesOn = false;
  static constexpr Reads kReads = Reads::Out;
  static constexpr bool kWeights = true;
  static constexpr bool kDropLoops = true;

  Heat(std::shared_ptr<const LinearProblem> problem, double tolerance)
      : problem_(std::move(problem)), tolerance_(tolerance) {}

  [[nodiscard]] double init(VertexId v) const { return problem_->start[v.index()]; }
  [[nodiscard]] double update(const Vertex<double>& vertex) const {
    if (problem_->fixed(vertex.id())) return vertex.value();
    StrandSum sum;
    vertex.each([&](double value, double weight) { sum.add(weight * value); });
    return problem_->relaxed(vertex.id(), sum.total());
  }
  [[nodiscard]] bool changed(VertexId vertex, double old, double now) const {
    return std::isfinite(old) &&
           !(std::abs(now - old) <= problem_->converges_within(vertex, tolerance_));
  }
  [[nodiscard]] double moved(VertexId, double old, double now) const { return std::abs(now - old); }

 private:
  std::shared_ptr<const LinearProblem> problem_;
  double tolerance_;
};

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

  Wave(std::shared_ptr<const LinearProblem> problem, double tolerance)
      : problem_(std::move(problem)),
        tolerance_(tolerance),
        beta_(std::max(0.01, std::min(0.25, (1 - problem_->absolute_radius) / 3))) {}

  [[nodiscard]] Swinging init(VertexId v) const {
    const double start = problem_->start[v.index()];
    return {start, start};
  }
  [[nodiscard]] Swinging update(const Vertex<Swinging>& vertex) const {
    const Swinging own = vertex.value();
    if (problem_->fixed(vertex.id())) return own;
    StrandSum sum;
    vertex.each([&](const Swinging& value, double weight) { sum.add(weight * value.now); });
    const double rest = problem_->relaxed(vertex.id(), sum.total());
    return {rest + beta_ * (own.now - own.before), own.now};
  }
  /// At a turning point a cell does not move, so its speed counts as well.
  [[nodiscard]] bool changed(VertexId vertex, const Swinging& old, const Swinging& now) const {
    const double within = problem_->converges_within(vertex, tolerance_);
    return std::isfinite(old.now) && (!(std::abs(now.now - old.now) <= within) ||
                                      !(std::abs(old.now - old.before) <= within));
  }
  [[nodiscard]] double moved(VertexId, const Swinging& old, const Swinging& now) const {
    return std::abs(now.now - old.now);
  }
  [[nodiscard]] double result(const Vertex<Swinging>& vertex) const { return vertex.value().now; }

 private:
  std::shared_ptr<const LinearProblem> problem_;
  double tolerance_;
  double beta_;
};

}  // namespace leeway
