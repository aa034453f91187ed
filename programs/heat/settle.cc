#include "programs/heat/settle.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "base/format.h"
#include "programs/reference/oracles.h"

namespace leeway {

namespace {

constexpr double kResidual = 1e-8;  // ten times the programs' own tolerance

}  // namespace

Status admit_diffusion(const Graph& graph, const ProgramParameters& parameters) {
  LEEWAY_ASSIGN([[maybe_unused]] const LinearProblem problem,
                LinearProblem::state(graph, parameters.cells));
  return {};
}

void continue_in(LinearProblem& problem, const Continuation& from) {
  for (std::size_t cell = 0; cell < problem.rows.size(); ++cell) {
    CellRow& row = problem.rows[cell];
    row.start = row.fixed() ? row.right_side : from.old[cell];
  }
  for (const ArcChange& arc : from.arcs) problem.rows[arc.source.index()].starts = true;
}

Verified verify_diffusion(const Graph& graph, const ProgramParameters& parameters,
                          const RunOptions&, const ProgramValues& values) {
  if (parameters.tolerance.value_or(0) > kSettlingTolerance)
    return std::string("not checked: the tolerance is wider than the check");
  LEEWAY_ASSIGN(const LinearProblem problem, LinearProblem::state(graph, parameters.cells));
  Graph made;
  const bool is_matrix = graph.weighted() && parameters.cells.fixed.empty();
  if (!is_matrix) {
    LEEWAY_ASSIGN(made, matrix_of(graph, problem));
  }
  const Graph& matrix = is_matrix ? graph : made;
  Reals right_side;
  for (const CellRow& row : problem.rows) right_side.push_back(row.right_side);
  LEEWAY_ASSIGN(const Reals expected, reference::linear_solution(matrix, right_side));
  double largest = problem.largest;  // scale of the programs' tolerance
  for (const double value : expected) largest = std::max(largest, std::abs(value));
  Verified near = close(graph, reals(values), expected, largest);
  if (near) return near;
  // If the matrix is nearly singular, values far from the solution satisfy the equations within the tolerance; then
  // the solution is not determined more exactly.
  const double residual = reference::residual(matrix, right_side, reals(values));
  if (!(residual <= kResidual)) return near;
  return format(
      "the equations hold within {:.1e}; the matrix does not determine the solution more exactly",
      residual);
}

Status refuse_wild(const VertexNames& names, std::span<const double> values) {
  const auto wild = std::find_if_not(values.begin(), values.end(),
                                     [](double value) { return std::isfinite(value); });
  if (wild == values.end()) return {};
  const VertexId row(static_cast<std::uint32_t>(wild - values.begin()));
  return fail(input_error(format("row {}", names.name(row)),
                          "its value overflowed: heat and wave diverge on this matrix",
                          "use a matrix whose diagonal outweighs the rest of each row"));
}

}  // namespace leeway
