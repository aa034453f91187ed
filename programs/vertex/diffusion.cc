#include "programs/vertex/diffusion.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "base/bytes.h"
#include "base/format.h"
#include "datasets/build_graph.h"

namespace leeway {

namespace {

constexpr int kMostSteps = 300;
constexpr int kFewestSteps = 10;
constexpr std::uint64_t kMostLooks =
    100'000'000;  // visited entries, for each of the two iterations
constexpr double kRounding = 1e-12;
constexpr double kDoubt = 0.05;  // possible error of an estimate after few steps

int steps_for(const Graph& graph) {
  const std::uint64_t steps = kMostLooks / std::max<std::uint64_t>(1, graph.arc_count());
  return static_cast<int>(std::clamp<std::uint64_t>(steps, kFewestSteps, kMostSteps));
}

/// Calls use(column, entry) for each off-diagonal entry of the row.
template <class Use>
void each_other(const Graph& graph, VertexId row, Use&& use) {
  const auto columns = graph.neighbors(row);
  const auto entries = graph.weights(row);
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (columns[i] != row) use(columns[i].index(), entries[i]);
  }
}

/// Row sums of |I - A/D|; the maximum bounds its spectral radius (Gershgorin).
std::vector<double> row_sums(const Graph& graph, std::span<const double> diagonal) {
  std::vector<double> sums(diagonal.size());
  for (VertexId row(0); row.index() < sums.size(); row = row.next()) {
    double sum = 0;
    each_other(graph, row, [&](std::size_t, double entry) { sum += std::abs(entry); });
    sums[row.index()] = sum / std::abs(diagonal[row.index()]);
  }
  return sums;
}

/// True if no row sum exceeds 1 and every row is connected by entries to a row with a smaller sum: then the radius is
/// below 1 (Taussky, 1949, for each part). Searches by alternating sweeps, so it may miss long winding connections.
bool leaks_everywhere(const Graph& graph, std::span<const double> sums) {
  constexpr int kSweeps = 20;
  std::vector<std::uint8_t> leaks(sums.size());
  std::size_t left = 0;
  for (std::size_t row = 0; row < sums.size(); ++row) {
    if (!(sums[row] <= 1 + kRounding)) return false;
    leaks[row] = sums[row] < 1 - kRounding ? 1 : 0;
    left += 1 - leaks[row];
  }
  const auto visit = [&](std::size_t row) {
    if (leaks[row] != 0) return;
    bool leads = false;
    each_other(graph, VertexId(static_cast<std::uint32_t>(row)),
               [&](std::size_t column, double entry) {
                 leads = leads || (entry != 0 && leaks[column] != 0);
               });
    if (!leads) return;
    leaks[row] = 1;
    --left;
  };
  for (int sweep = 0; sweep < kSweeps && left > 0; ++sweep) {
    for (std::size_t i = 0; i < sums.size(); ++i) visit(sweep % 2 == 0 ? i : sums.size() - 1 - i);
  }
  return left == 0;
}

struct Bounds {
  double least = 0;
  double most = 0;
};

/// Bounds of the radius of |I - A/D|: for a nonnegative M and any positive x, it is between the minimum and maximum
/// of (M x)_i / x_i (Collatz, 1942). With M = (I + |I - A/D|) / 2, x stays positive, and M's radius determines the
/// other.
Bounds absolute_bounds(const Graph& graph, std::span<const double> diagonal, int steps) {
  std::vector<double> x(diagonal.size(), 1.0);
  std::vector<double> next(diagonal.size());
  Bounds bounds{.least = 0, .most = std::numeric_limits<double>::infinity()};
  for (int step = 0; step < steps; ++step) {
    double least = std::numeric_limits<double>::infinity();
    double most = 0;
    double largest = 0;
    for (VertexId row(0); row.index() < x.size(); row = row.next()) {
      double sum = 0;
      each_other(graph, row,
                 [&](std::size_t column, double entry) { sum += std::abs(entry) * x[column]; });
      const double own = x[row.index()];
      next[row.index()] = (own + sum / std::abs(diagonal[row.index()])) / 2;
      const double growth = next[row.index()] / own;
      least = std::min(least, growth);
      most = std::max(most, growth);
      largest = std::max(largest, next[row.index()]);
    }
    if (!std::isfinite(largest)) break;
    bounds.least = std::max(bounds.least, 2 * least - 1);
    bounds.most = std::min(bounds.most, 2 * most - 1);
    if (most - least < 1e-3 || largest == 0) break;
    // Keeps x positive: very small values must not become 0.
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = std::max(next[i] / largest, 1e-280);
  }
  return bounds;
}

/// True if no entry of I - A/D is negative, so that it equals |I - A/D|.
bool nonnegative(const Graph& graph, std::span<const double> diagonal) {
  bool found = true;
  for (VertexId row(0); found && row.index() < diagonal.size(); row = row.next()) {
    const bool above = diagonal[row.index()] > 0;
    each_other(graph, row, [&](std::size_t, double entry) {
      found = found && (entry == 0 || (entry < 0) == above);
    });
  }
  return found;
}

/// The radius of I - A/D by power iteration: the mean growth over the second half of the steps; the first half aligns
/// x.
double estimate(const Graph& graph, std::span<const double> diagonal, int steps) {
  std::vector<double> x(diagonal.size());
  std::vector<double> next(diagonal.size());
  for (std::size_t v = 0; v < x.size(); ++v)
    x[v] = 0.5 + static_cast<double>(mix64(v) % 1024) / 1024;
  double log_growth = 0;
  for (int step = 0; step < steps; ++step) {
    double norm = 0;
    for (VertexId row(0); row.index() < x.size(); row = row.next()) {
      double sum = 0;
      each_other(graph, row, [&](std::size_t column, double entry) { sum += entry * x[column]; });
      sum /= -diagonal[row.index()];
      next[row.index()] = sum;
      norm += sum * sum;
    }
    norm = std::sqrt(norm);
    if (norm == 0) return 0;
    if (step >= steps / 2 && step > 0) log_growth += std::log(norm);  // x has length 1
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = next[i] / norm;
  }
  return std::exp(log_growth / (steps - std::max(1, steps / 2)));
}

}  // namespace

double diagonal_of(const Graph& matrix, VertexId row) {
  const auto columns = matrix.neighbors(row);
  const auto weights = matrix.weights(row);
  double sum = 0;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (columns[i] == row) sum += weights[i];
  }
  return sum;
}

Spectrum judge_spectrum(const Graph& graph, std::span<const double> diagonal) {
  const std::vector<double> sums = row_sums(graph, diagonal);
  const double greatest = sums.empty() ? 0 : *std::max_element(sums.begin(), sums.end());
  Spectrum spectrum{.settling = Settling::Settles, .radius = greatest, .absolute = greatest};
  if (greatest < 1 - kRounding || leaks_everywhere(graph, sums)) return spectrum;
  const int steps = steps_for(graph);
  const Bounds bounds = absolute_bounds(graph, diagonal, steps);
  spectrum.absolute = std::min(greatest, bounds.most);
  spectrum.radius = spectrum.absolute;
  if (spectrum.absolute < 1) return spectrum;
  if (bounds.least >= 1 - kRounding && nonnegative(graph, diagonal)) {
    return {.settling = Settling::Diverges, .radius = bounds.least, .absolute = spectrum.absolute};
  }
  spectrum.radius = estimate(graph, diagonal, steps);
  if (steps == kMostSteps) {
    if (!(spectrum.radius < 1)) spectrum.settling = Settling::Diverges;
  } else if (!(spectrum.radius < 1 - kDoubt)) {
    spectrum.settling = spectrum.radius < 1 + kDoubt ? Settling::Unknown : Settling::Diverges;
  }
  return spectrum;
}

namespace {

constexpr double kLoss = 0.25;
constexpr std::uint32_t kHeatedEvery = 16;

/// Marks fixed cells, which need no equation, by an infinite diagonal.
void fix_cells(const CellValues& cells, LinearProblem& problem) {
  for (std::size_t v = 0; v < cells.fixed.size(); ++v) {
    if (std::isnan(cells.fixed[v])) continue;
    problem.diagonal[v] = std::numeric_limits<double>::infinity();
    problem.right_side[v] = problem.start[v] = cells.fixed[v];
  }
}

Status fill_from_matrix(const Graph& graph, const CellValues& cells, LinearProblem& problem) {
  for (VertexId v(0); v.value() < graph.vertex_count(); v = v.next()) {
    const auto columns = graph.neighbors(v);
    if (problem.fixed(v)) continue;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (!std::isfinite(graph.weights(v)[i])) {
        return fail(input_error(format("row {}", graph.names().name(v)),
                                "has an entry that is not a number", "fix the matrix"));
      }
    }
    problem.diagonal[v.index()] = diagonal_of(graph, v);
    if (problem.diagonal[v.index()] == 0) {
      return fail(input_error(
          format("row {}", graph.names().name(v)),
          "its diagonal entry is zero or missing, and heat and wave divide by it",
          "reorder the rows, or give --weights none to take the graph's own Laplacian instead"));
    }
    problem.right_side[v.index()] = cells.right_side.empty() ? 1 : cells.right_side[v.index()];
  }
  return {};
}

/// Requires the diagonal.
void find_amplified(const Graph& graph, LinearProblem& problem) {
  std::vector<double> most(graph.vertex_count(), 1);
  bool any = false;
  for (VertexId v(0); v.value() < graph.vertex_count(); v = v.next()) {
    const auto columns = graph.neighbors(v);
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const double share = std::abs(graph.weights(v)[i] / problem.diagonal[v.index()]);
      if (columns[i] == v || !(share > most[columns[i].index()])) continue;
      most[columns[i].index()] = share;
      any = true;
    }
  }
  if (any) problem.amplified = std::move(most);
}

void fill_from_graph(const Graph& graph, const CellValues& cells, LinearProblem& problem) {
  problem.sign = 1;
  for (VertexId v(0); v.value() < graph.vertex_count(); v = v.next()) {
    if (problem.fixed(v)) continue;
    const auto neighbors = graph.neighbors(v);
    const auto loops = std::count(neighbors.begin(), neighbors.end(), v);
    const double degree = static_cast<double>(neighbors.size()) - static_cast<double>(loops);
    const bool heated = v.value() % kHeatedEvery == 0;
    problem.diagonal[v.index()] = degree == 0 ? 1 : (1 + kLoss) * degree;
    const double heat = heated ? std::max(degree, 1.0) : 0;
    problem.right_side[v.index()] = cells.right_side.empty() ? heat : cells.right_side[v.index()];
  }
}

}  // namespace

Result<LinearProblem> LinearProblem::state(const Graph& graph, const CellValues& cells) {
  if (graph.left_count() > 0 || graph.weight_kind() == WeightKind::Complex) {
    return fail(input_error("--graph", "heat and wave need a square matrix of real numbers",
                            "give a real matrix, or an unweighted graph"));
  }
  LinearProblem problem;
  problem.diagonal.resize(graph.vertex_count());
  problem.right_side.resize(graph.vertex_count());
  problem.start = cells.start;
  problem.start.resize(graph.vertex_count());
  fix_cells(cells, problem);
  if (graph.weighted()) {
    LEEWAY_TRY(fill_from_matrix(graph, cells, problem));
  } else {
    fill_from_graph(graph, cells, problem);
  }
  double largest = 0;
  for (std::size_t v = 0; v < problem.diagonal.size(); ++v) {
    const double own = std::abs(problem.right_side[v] / problem.diagonal[v]);
    largest = std::max({largest, own, std::abs(problem.start[v])});
  }
  problem.largest = largest == 0 ? 1 : largest;
  return problem;
}

Result<std::shared_ptr<const LinearProblem>> LinearProblem::make(const Graph& graph,
                                                                 const CellValues& cells) {
  LEEWAY_ASSIGN(LinearProblem problem, state(graph, cells));
  if (!graph.weighted()) {
    problem.absolute_radius = 1 / (1 + kLoss);
    return std::make_shared<const LinearProblem>(std::move(problem));
  }
  find_amplified(graph, problem);
  const Spectrum spectrum = judge_spectrum(graph, problem.diagonal);
  problem.absolute_radius = spectrum.absolute;
  if (spectrum.settling == Settling::Diverges) {
    return fail(input_error(
        "--graph",
        format(
            "heat and wave diverge on this matrix: the spectral radius of I - A/D is about {:.4f}",
            spectrum.radius),
        "use a matrix whose diagonal outweighs the rest of each row"));
  }
  return std::make_shared<const LinearProblem>(std::move(problem));
}

Result<Graph> matrix_of(const Graph& graph, const LinearProblem& problem) {
  EdgeChunkBuilder edges;
  for (VertexId v(0); v.value() < graph.vertex_count(); v = v.next()) {
    edges.add(v, v, problem.fixed(v) ? 1 : problem.diagonal[v.index()]);
    if (problem.fixed(v)) continue;
    const auto neighbors = graph.neighbors(v);
    for (std::size_t i = 0; i < neighbors.size(); ++i) {
      if (neighbors[i] != v)
        edges.add(v, neighbors[i], graph.weighted() ? graph.weights(v)[i] : -1.0);
    }
  }
  EdgeList list;
  LEEWAY_ASSIGN(auto chunk, edges.finish());
  list.chunks.push_back(std::move(chunk));
  list.weight_kind = WeightKind::Real;
  GraphShape shape;
  shape.vertex_count = graph.vertex_count();
  shape.directed = true;
  shape.names = VertexNames::sequence(0, graph.vertex_count());
  return build_graph(std::move(list), std::move(shape), {});
}

}  // namespace leeway
