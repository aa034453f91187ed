// Partial differential equations on sparse matrices and grids: what is iterated is A u = b, until it rests.
//
// The equation. A weighted graph is a matrix, its lists the rows, and b is 1 everywhere. An unweighted
// graph (a grid, say) stands for A = (5/4) D - W, D its degrees and W its arcs: every cell exchanges heat
// with its neighbours and loses a quarter of that to its surroundings; cells whose number is a multiple of
// 16 are heated with their degree, the others not. A cell without neighbours is 1 if heated, else 0.
//
// Heat: u' = (b - sum of the others' a u) / a_ii, the implicit heat equation's relaxation (Jacobi, or
// Gauss-Seidel where values are used at once). Wave: the damped wave equation, u' = u + beta (u - u before)
// + (heat's step - u): cells overshoot and settle at the same u. Beta is chosen so small that it settles
// under every schedule if heat does.
//
// Both end when no cell moves by more than `tolerance` times the largest b_i / a_ii, nor by what moves another
// that reads it by more than that: on a badly scaled matrix little of one cell is much of another. Heat settles under
// every schedule if the spectral radius of |I - A/D| is below 1 (Chazan & Miranker, 1969); where that of
// I - A/D itself is not below 1 it diverges, which `make` finds before any work starts unless the matrix is so
// large that it cannot tell. A cell whose value has outgrown the numbers counts as at rest, so that the run
// ends, and has no result.
#pragma once

#include <cmath>
#include <cstdint>
#include <memory>
#include <vector>

#include "leeway/base/result.h"
#include "leeway/base/strand_sum.h"
#include "leeway/datasets/graph.h"
#include "leeway/runtime/vertex_program.h"

namespace leeway {

/// Immutable; shared by the copies of a program.
struct LinearProblem {
  std::vector<double> diagonal;    ///< by vertex
  std::vector<double> right_side;  ///< by vertex
  double sign =
      -1;  ///< what a_ij u_j is multiplied by: an unweighted arc is a_ij = -1, given as +1
  double largest = 1;  ///< of |b_i / a_ii|
  /// By vertex: the most of |a_ij / a_ii| with which another reads it, if that is above 1. Empty: nowhere.
  std::vector<double> amplified;
  double absolute_radius = 0;  ///< of |I - A/D|, or a bound of it from above

  /// A cell that moves by no more than this is at rest.
  [[nodiscard]] double rests_within(VertexId vertex, double tolerance) const {
    const double all = tolerance * largest;
    return amplified.empty() ? all : all / amplified[vertex.index()];
  }

  /// An Input error for a zero diagonal, and for a rating or complex matrix. In the time of a look at every
  /// entry.
  static Status admit(const Graph& graph);
  /// The equation alone, without `amplified` and the radius; errors as `admit`.
  static Result<LinearProblem> state(const Graph& graph);
  /// With both; an error also for one that is found to diverge. In the time of one more look at
  /// every entry than judge_spectrum takes.
  static Result<std::shared_ptr<const LinearProblem>> make(const Graph& graph);
};

/// The matrix as a weighted graph, which a graph that is one already has no need of.
Result<Graph> matrix_of(const Graph& graph);

class Heat {
 public:
  using Value = double;
  static constexpr Reads kReads = Reads::Out;
  static constexpr bool kWeights = true;
  static constexpr bool kDropLoops = true;

  Heat(std::shared_ptr<const LinearProblem> problem, double tolerance)
      : problem_(std::move(problem)), tolerance_(tolerance) {}

  [[nodiscard]] double init(VertexId) const { return 0; }
  [[nodiscard]] double update(const Vertex<double>& vertex) const {
    StrandSum sum;
    vertex.each([&](double value, double weight) { sum.add(weight * value); });
    const std::size_t v = vertex.id().index();
    return (problem_->right_side[v] + problem_->sign * sum.total()) / problem_->diagonal[v];
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

  [[nodiscard]] Swinging init(VertexId) const { return {}; }
  [[nodiscard]] Swinging update(const Vertex<Swinging>& vertex) const {
    StrandSum sum;
    vertex.each([&](const Swinging& value, double weight) { sum.add(weight * value.now); });
    const std::size_t v = vertex.id().index();
    const double rest =
        (problem_->right_side[v] + problem_->sign * sum.total()) / problem_->diagonal[v];
    const Swinging own = vertex.value();
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
