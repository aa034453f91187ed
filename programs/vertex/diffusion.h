// Whether Jacobi's iteration, x' = (b - (A - D) x) / D, settles on a matrix: whether the spectral radius of
// I - A/D is below 1. Decided where a bound decides it, estimated where none does, in bounded time.
#pragma once

#include <cmath>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/parallel.h"
#include "leeway/graph.h"
#include "leeway/result.h"
#include "leeway/vertex.h"
#include "programs/vertex/catalog.h"

namespace leeway {

enum class Settling {
  Settles,   ///< the radius is below 1, and that of |I - A/D| too where `absolute` says so
  Diverges,  ///< it is not, by an estimate that is good enough
  Unknown,   ///< the matrix is so large that the estimate is too rough, or near 1
};

struct Spectrum {
  Settling settling = Settling::Settles;
  double radius = 0;    ///< of I - A/D: an estimate; where a bound decided, that bound
  double absolute = 0;  ///< of |I - A/D|: bounded from above
};

/// Requires a weighted graph, and its diagonal, which has no zero. Looks at every entry at most 600 times
/// where there are few, and as often as 200 million looks allow, but 20 times, where there are many.
[[nodiscard]] Spectrum judge_spectrum(const Graph& graph, std::span<const double> diagonal);

// Partial differential equations on sparse matrices and grids: the iteration is for A u = b, until it rests.
//
// The equation. A weighted graph is a matrix, its lists the rows, and b is 1 everywhere. An unweighted
// graph (a grid, say) stands for A = (5/4) D - W, D its degrees and W its arcs: every cell exchanges heat
// with its neighbours and loses a quarter of that to its surroundings; cells whose number is a multiple of
// 16 are heated with their degree, the others not. A cell without neighbours is 1 if heated, else 0.
// CellValues replaces b, the values that the iteration begins with (0 without it), and makes cells keep a value (a
// Dirichlet boundary): such a cell's row of A is the unit row.
//
// Heat: u' = (b - sum of the others' a u) / a_ii, the implicit heat equation's relaxation (Jacobi, or
// Gauss-Seidel where values are used at once). Wave: the damped wave equation, u' = u + beta (u - u before)
// + (heat's step - u): cells overshoot and settle at the same u. Beta is chosen so small that it settles
// under every schedule if heat does.
//
// Both end when no cell moves by more than `tolerance` times the largest b_i / a_ii or value at the beginning, nor by
// what moves another that reads it by more than that: on a badly scaled matrix little of one cell is much of another.
// Heat settles under
// every schedule if the spectral radius of |I - A/D| is below 1 (Chazan & Miranker, 1969); where that of
// I - A/D itself is not below 1 it diverges, which `make` finds before any work starts unless the matrix is so
// large that it cannot tell. A cell whose value has outgrown the numbers counts as at rest, so that the run
// ends, and has no result.

/// Immutable; shared by the copies of a program.
struct LinearProblem {
  std::vector<double> diagonal;    ///< by vertex; infinite for a cell that keeps its value
  std::vector<double> right_side;  ///< by vertex; the value of such a cell
  std::vector<double> start;       ///< by vertex
  double sign =
      -1;  ///< what a_ij u_j is multiplied by: an unweighted arc is a_ij = -1, given as +1
  double largest = 1;  ///< of |b_i / a_ii| and |start_i|
  /// By vertex: the most of |a_ij / a_ii| with which another reads it, if that is above 1. Empty: nowhere.
  std::vector<double> amplified;
  double absolute_radius = 0;  ///< of |I - A/D|, or a bound of it from above

  [[nodiscard]] bool fixed(VertexId vertex) const { return std::isinf(diagonal[vertex.index()]); }
  /// A cell that moves by no more than this is at rest.
  [[nodiscard]] double rests_within(VertexId vertex, double tolerance) const {
    const double all = tolerance * largest;
    return amplified.empty() ? all : all / amplified[vertex.index()];
  }
  /// Heat's next value of a cell that is not fixed.
  [[nodiscard]] double relaxed(VertexId vertex, double others) const {
    const std::size_t v = vertex.index();
    return (right_side[v] + sign * others) / diagonal[v];
  }

  /// The equation alone, without `amplified` and the radius. An Input error for a zero diagonal, and for a rating or
  /// complex matrix. In the time of a look at every entry.
  static Result<LinearProblem> state(const Graph& graph, const CellValues& cells);
  /// With both; an error also for one that is found to diverge. In the time of one more look at
  /// every entry than judge_spectrum takes.
  static Result<std::shared_ptr<const LinearProblem>> make(const Graph& graph,
                                                           const CellValues& cells);
};

/// A as a weighted graph; a graph that is weighted and has no fixed cells is that already.
Result<Graph> matrix_of(const Graph& graph, const LinearProblem& problem);

class Heat {
 public:
  using Value = double;
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
           !(std::abs(now - old) <= problem_->rests_within(vertex, tolerance_));
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
  static constexpr bool kMovesOn = true;  // a cell swings on by itself

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
  /// At a turning point a cell stands still for a moment, so its speed counts too.
  [[nodiscard]] bool changed(VertexId vertex, const Swinging& old, const Swinging& now) const {
    const double within = problem_->rests_within(vertex, tolerance_);
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
