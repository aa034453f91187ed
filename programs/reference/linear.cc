#include <algorithm>
#include <cmath>
#include <string>

#include "leeway/base/check.h"
#include "leeway/programs/reference/oracles.h"

namespace leeway::reference {
namespace {

constexpr int kMostSweeps = 200'000;

double diagonal(const Graph& matrix, VertexId row) {
  double sum = 0;
  const auto columns = matrix.neighbors(row);
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (columns[i] == row) sum += matrix.weights(row)[i];
  }
  return sum;
}

double off_diagonal_product(const Graph& matrix, VertexId row, std::span<const double> x) {
  double sum = 0;
  const auto columns = matrix.neighbors(row);
  const auto values = matrix.weights(row);
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (columns[i] != row) sum += values[i] * x[columns[i].index()];
  }
  return sum;
}

}  // namespace

Result<std::vector<double>> linear_solution(const Graph& matrix, std::span<const double> right_side,
                                            double tolerance) {
  LEEWAY_CHECK(right_side.size() == matrix.vertex_count());
  LEEWAY_CHECK(matrix.weighted());
  std::vector<double> diagonals(matrix.vertex_count());
  for (VertexId row(0); row.value() < matrix.vertex_count(); row = row.next()) {
    diagonals[row.index()] = diagonal(matrix, row);
    if (diagonals[row.index()] == 0) {
      return fail(input_error("row " + matrix.names().name(row), "its diagonal entry is zero",
                              "Jacobi-like methods divide by it: permute the rows first"));
    }
  }
  std::vector<double> x(matrix.vertex_count());
  for (int sweep = 0; sweep < kMostSweeps; ++sweep) {
    double largest = 0;
    double moved = 0;
    for (VertexId row(0); row.value() < matrix.vertex_count(); row = row.next()) {
      const double fresh =
          (right_side[row.index()] - off_diagonal_product(matrix, row, x)) / diagonals[row.index()];
      moved = std::max(moved, std::abs(fresh - x[row.index()]));
      largest = std::max(largest, std::abs(fresh));
      x[row.index()] = fresh;
    }
    if (!std::isfinite(moved)) break;
    if (moved <= tolerance * largest) return x;
  }
  return fail(
      input_error("", "Gauss-Seidel does not settle on this matrix",
                  "use a matrix that is diagonally dominant or symmetric positive definite"));
}

double residual(const Graph& matrix, std::span<const double> right_side,
                std::span<const double> solution) {
  double worst = 0;
  double scale = 0;
  for (VertexId row(0); row.value() < matrix.vertex_count(); row = row.next()) {
    const double product =
        off_diagonal_product(matrix, row, solution) + diagonal(matrix, row) * solution[row.index()];
    worst = std::max(worst, std::abs(right_side[row.index()] - product));
    scale = std::max(scale, std::abs(right_side[row.index()]));
  }
  return worst / (scale == 0 ? 1.0 : scale);
}

}  // namespace leeway::reference
