// The analysis of a matrix by heat and wave before they start, and its cost.
#include <catch2/catch.hpp>
#include <cmath>
#include <ctime>

#include "base/random.h"
#include "leeway/job.h"
#include "programs/catalog/program.h"
#include "programs/heat/linear_problem.h"
#include "programs/heat/vertex.h"
#include "test/support/small_graphs.h"

using namespace leeway;
using leeway::testing::graph_of;
using leeway::testing::TestEdge;

namespace {

/// The five-point Laplacian of a square with boundary values of 0, or with a free boundary, if
/// `free`: then rows sum to 0.
Graph laplacian(std::uint32_t side, bool free = false) {
  std::vector<TestEdge> entries;
  entries.reserve(std::size_t{5} * side * side);
  for (std::uint32_t row = 0; row < side; ++row) {
    for (std::uint32_t column = 0; column < side; ++column) {
      const std::uint32_t cell = row * side + column;
      int neighbours = 0;
      const auto entry = [&](std::uint32_t other) {
        entries.push_back({cell, other, -1});
        ++neighbours;
      };
      if (row > 0) entry(cell - side);
      if (column > 0) entry(cell - 1);
      if (column + 1 < side) entry(cell + 1);
      if (row + 1 < side) entry(cell + side);
      entries.push_back({cell, cell, free ? static_cast<double>(neighbours) : 4.0});
    }
  }
  return graph_of(side * side, entries, true, WeightKind::Real);
}

std::vector<double> diagonal_of_rows(const Graph& matrix) {
  std::vector<double> diagonal;
  const LinearProblem problem = LinearProblem::state(matrix, {}).value();
  for (const CellRow& row : problem.rows) diagonal.push_back(row.diagonal);
  return diagonal;
}

Spectrum judged(const Graph& matrix) {
  return judge_spectrum(matrix, diagonal_of_rows(matrix)).value();
}

/// Squares I - A/D `doublings` times and takes the root of its norm: the spectral radius.
double radius_by_squaring(const Graph& matrix, bool absolute) {
  const std::size_t count = matrix.vertex_count();
  const auto diagonal = diagonal_of_rows(matrix);
  std::vector<double> power(count * count);
  for (VertexId row(0); row.index() < count; row = row.next()) {
    for (std::size_t i = 0; i < matrix.neighbors(row).size(); ++i) {
      const VertexId column = matrix.neighbors(row)[i];
      if (column != row)
        power[row.index() * count + column.index()] -=
            matrix.weights(row)[i] / diagonal[row.index()];
    }
  }
  for (double& entry : power) entry = absolute ? std::abs(entry) : entry;
  constexpr int kDoublings = 14;
  double log_scale = 0;
  for (int doubling = 0; doubling < kDoublings; ++doubling) {
    std::vector<double> square(count * count);
    double norm = 0;
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t k = 0; k < count; ++k) {
        for (std::size_t j = 0; j < count; ++j)
          square[i * count + j] += power[i * count + k] * power[k * count + j];
      }
    }
    for (const double entry : square) norm = std::max(norm, std::abs(entry));
    if (norm == 0) return 0;
    for (double& entry : square) entry /= norm;
    log_scale = 2 * log_scale + std::log(norm);
    power = std::move(square);
  }
  return std::exp(log_scale / std::exp2(kDoublings));
}

}  // namespace

TEST_CASE("a matrix is accepted according to its spectral radius, and the bound holds") {
  int settling = 0;
  int diverging = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    const auto count = static_cast<std::uint32_t>(2 + random.below(9));
    const double strength = 1 + static_cast<double>(random.below(40)) / 4;
    std::vector<TestEdge> entries;
    for (std::uint32_t row = 0; row < count; ++row) {
      entries.push_back({row, row, random.below(2) == 0 ? strength : -strength});
      for (int i = 0; i < 4; ++i)
        entries.push_back({row, static_cast<std::uint32_t>(random.below(count)),
                           static_cast<double>(random.below(9)) - 4});
    }
    const Graph matrix = graph_of(count, entries, true, WeightKind::Real);
    if (!LinearProblem::state(matrix, {})) continue;
    const double radius = radius_by_squaring(matrix, false);
    const Spectrum spectrum = judged(matrix);
    CHECK(spectrum.absolute >= radius_by_squaring(matrix, true) * (1 - 1e-3));
    if (std::abs(radius - 1) < 0.05) continue;  // too close to decide
    CHECK((spectrum.settling == Settling::Settles) == (radius < 1));
    ++(radius < 1 ? settling : diverging);
  }
  CHECK(settling > 20);
  CHECK(diverging > 20);
}

TEST_CASE("a plate with a fixed boundary converges, one with a free boundary does not") {
  CHECK(judged(laplacian(50)).settling == Settling::Settles);
  CHECK(judged(laplacian(50, true)).settling == Settling::Diverges);
}

TEST_CASE("five iterations on a million cells start without a long estimate", "[clock]") {
  const Graph matrix = laplacian(1000);
  const std::clock_t started = std::clock();  // processor time, because the machine is shared
  CHECK(judged(matrix).settling == Settling::Settles);
  // Limits the number of passes over the matrix: an estimate that takes 600 passes needs about 25 s
  // on the same machine.
  CHECK(std::clock() - started < 4 * CLOCKS_PER_SEC);
  RunOptions options;
  options.vertex.iterations = 5;
  const auto run = find_run("heat", EngineName::Vertex)->run(matrix, {}, options);
  REQUIRE(run.has_value());
  CHECK(run->record.phases.setup < 8);
}

TEST_CASE("a matrix whose radius cannot be estimated is not refused") {
  // Alternating signs, so that no bound decides, and a radius of 1.02, too close to 1 for the
  // number of steps.
  std::vector<TestEdge> entries;
  constexpr std::uint32_t kCells = 400'000;
  for (std::uint32_t cell = 0; cell < kCells; ++cell) {
    entries.push_back({cell, cell, 1});
    entries.push_back({cell, (cell + 1) % kCells, 0.51});
    entries.push_back({cell, (cell + kCells - 1) % kCells, -0.51});
  }
  const Graph matrix = graph_of(kCells, entries, true, WeightKind::Real);
  const Spectrum spectrum = judged(matrix);
  CHECK(spectrum.settling == Settling::Unknown);
  CHECK(spectrum.radius == Approx(1.02).epsilon(0.04));
  CHECK(LinearProblem::make(matrix, {}).has_value());
}

TEST_CASE("nodes that each have a range of the rows state the same equations") {
  for (std::uint64_t seed = 0; seed < 80; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    const auto count = static_cast<std::uint32_t>(1 + random.below(40));
    std::vector<TestEdge> entries;
    for (std::uint32_t row = 0; row < count; ++row) {
      entries.push_back({row, row, 2 + static_cast<double>(random.below(6))});
      for (int i = 0; i < 3; ++i)
        entries.push_back({row, static_cast<std::uint32_t>(random.below(count)),
                           static_cast<double>(random.below(9)) / 4 - 1});
    }
    const Graph matrix = graph_of(count, entries, true, WeightKind::Real);
    const auto whole = LinearProblem::make(matrix, {});
    RunOptions options;
    options.cluster.nodes = static_cast<std::uint32_t>(2 + seed % 3);
    std::vector<CellRow> rows(count);
    const Status made = with_group(options.cluster, [&](Group& group) -> Status {
      LEEWAY_ASSIGN(const GraphPart part,
                    part_of(matrix, group.self(), group.count(), BalanceBy::Arcs));
      LEEWAY_ASSIGN(const LinearProblem problem, LinearProblem::make(group, part, {}));
      if (whole) group.require(problem.largest == whole->largest, group.self());
      std::copy(problem.rows.begin(), problem.rows.end(), &rows[part.first()]);
      return {};
    });
    REQUIRE(made.has_value() == whole.has_value());
    if (!whole) continue;
    for (std::uint32_t row = 0; row < count; ++row) {
      REQUIRE(rows[row].diagonal == whole->rows[row].diagonal);
      REQUIRE(rows[row].amplified == whole->rows[row].amplified);
    }
  }
}

TEST_CASE("a run whose values overflow ends") {
  const Graph matrix =
      graph_of(2, {{0, 0, 1}, {0, 1, -3}, {1, 0, -3}, {1, 1, 1}}, true, WeightKind::Real);
  const LinearProblem problem = LinearProblem::state(matrix, {}).value();
  const VertexRecords records{std::span<const CellRow>(problem.rows)};
  RunOptions options;
  const auto run = run_job(JobGraph(matrix).with(records), Heat(problem, 1e-9), options);
  REQUIRE(run.has_value());
  CHECK(run->record.iterations() < 1000);
  CHECK_FALSE(std::isfinite(run->values[0]));
}
