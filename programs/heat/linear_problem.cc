#include "programs/heat/linear_problem.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/format.h"
#include "datasets/build_graph.h"
#include "runtime/graph/halo.h"

namespace leeway {

namespace {

constexpr int kMostSteps = 300;
constexpr int kFewestSteps = 10;
constexpr std::uint64_t kMostLooks =
    100'000'000;  // visited entries, for each of the two iterations
constexpr double kRounding = 1e-12;
constexpr double kDoubt = 0.05;  // possible error of an estimate after few steps

int steps_for(std::uint64_t entries) {
  const std::uint64_t steps = kMostLooks / std::max<std::uint64_t>(1, entries);
  return static_cast<int>(std::clamp<std::uint64_t>(steps, kFewestSteps, kMostSteps));
}

/// A vector over all rows of a matrix: the elements of this node's rows, then copies of those that these rows read.
using Elements = std::vector<double>;

/// This node's rows of a matrix whose rows are divided among the nodes.
class MatrixRows {
 public:
  /// Borrows the weights of the part, and its columns if all are here. Collective.
  static Result<MatrixRows> make(Group& group, const GraphPart& part) {
    MatrixRows rows(group, part);
    LEEWAY_TRY(group.agree(rows.number_columns()));
    return rows;
  }

  [[nodiscard]] std::uint32_t rows() const { return part_->size(); }
  [[nodiscard]] std::uint64_t entries_of_all() const { return part_->totals.arcs; }
  [[nodiscard]] Elements elements(double value) const { return Elements(halo_.indices(), value); }
  /// Number of the row in the whole matrix.
  [[nodiscard]] VertexId number(std::uint32_t row) const { return part_->vertex(row); }

  /// Calls use(column, entry) for each off-diagonal entry of the row; `column`: index of the column's element.
  template <class Use>
  void each_other(std::uint32_t row, Use&& use) const {
    const auto& offsets = part_->lists.offsets;
    for (std::uint64_t i = offsets[row]; i < offsets[row + std::size_t{1}]; ++i) {
      if (columns_[i] != row) use(columns_[i], part_->lists.weights[i]);
    }
  }

  /// Renews the copies. Collective.
  void refresh(Elements& x) const {
    halo_.publish<double>(
        *group_, 0, rows(), [](std::uint32_t) { return true; },
        [&](std::uint32_t row) { return x[row]; },
        [&](std::uint32_t index, double value) { x[index] = value; });
  }
  /// Gives each copy's value to its row's node, which keeps the greatest of them and its own. Collective.
  void keep_greatest(Elements& x) const {
    halo_.give_back<double>(
        *group_, [](std::uint32_t) { return true; }, [&](std::uint32_t index) { return x[index]; },
        [&](std::uint32_t row, double value) { x[row] = std::max(x[row], value); });
  }

  // Over all nodes. Collective.

  [[nodiscard]] double least(double mine) const { return of_all(mine, least_of); }
  [[nodiscard]] double greatest(double mine) const { return of_all(mine, greatest_of); }
  [[nodiscard]] double sum(double mine) const { return of_all(mine, std::plus<>()); }
  [[nodiscard]] std::uint64_t count(std::uint64_t mine) const { return group_->sum(mine); }

 private:
  MatrixRows(Group& group, const GraphPart& part)
      : group_(&group), part_(&part), halo_(group, part.ranges, {part.lists.targets.span()}) {}

  Status number_columns() {
    const auto targets = part_->lists.targets.span();
    if (halo_.indices() == rows() && part_->first() == 0) {
      columns_ = as_numbers(targets);
      return {};
    }
    LEEWAY_ASSIGN(columns_, Array<std::uint32_t>::make(targets.size()));
    for (std::size_t i = 0; i < targets.size(); ++i)
      columns_.mutable_span()[i] = halo_.index(targets[i]);
    return {};
  }

  static double least_of(double a, double b) { return std::min(a, b); }
  static double greatest_of(double a, double b) { return std::max(a, b); }
  template <class Join>
  [[nodiscard]] double of_all(double mine, const Join& join) const {
    const std::vector<double> all = group_->share(mine);
    double joined = all.front();
    for (std::size_t i = 1; i < all.size(); ++i) joined = join(joined, all[i]);
    return joined;
  }

  Group* group_;
  const GraphPart* part_;
  Halo halo_;
  Array<std::uint32_t> columns_;  // by entry: halo index of its column
};

/// Row sums of |I - A/D|; the maximum bounds its spectral radius (Gershgorin).
std::vector<double> row_sums(const MatrixRows& matrix, std::span<const double> diagonal) {
  std::vector<double> sums(diagonal.size());
  for (std::uint32_t row = 0; row < sums.size(); ++row) {
    double sum = 0;
    matrix.each_other(row, [&](std::size_t, double entry) { sum += std::abs(entry); });
    sums[row] = sum / std::abs(diagonal[row]);
  }
  return sums;
}

/// True if no row sum exceeds 1 and every row is connected by entries to a row with a smaller sum: then the radius is
/// below 1 (Taussky, 1949, for each part). Searches by alternating sweeps, so it may miss long winding connections.
bool leaks_everywhere(const MatrixRows& matrix, std::span<const double> sums) {
  constexpr int kSweeps = 20;
  Elements leaks = matrix.elements(0);  // 1: connected
  std::uint64_t left = 0;
  bool small = true;
  for (std::size_t row = 0; row < sums.size(); ++row) {
    small = small && sums[row] <= 1 + kRounding;
    leaks[row] = sums[row] < 1 - kRounding ? 1 : 0;
    left += leaks[row] == 0 ? 1 : 0;
  }
  if (matrix.count(small ? 0 : 1) > 0) return false;
  const auto visit = [&](std::uint32_t row) {
    if (leaks[row] != 0) return;
    bool leads = false;
    matrix.each_other(row, [&](std::size_t column, double entry) {
      leads = leads || (entry != 0 && leaks[column] != 0);
    });
    if (!leads) return;
    leaks[row] = 1;
    --left;
  };
  const auto rows = static_cast<std::uint32_t>(sums.size());
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    if (matrix.count(left) == 0) return true;
    matrix.refresh(leaks);
    for (std::uint32_t i = 0; i < rows; ++i) visit(sweep % 2 == 0 ? i : rows - 1 - i);
  }
  return matrix.count(left) == 0;
}

struct Bounds {
  double least = 0;
  double most = 0;
};

/// Bounds of the radius of |I - A/D|: for a nonnegative M and any positive x, it is between the minimum and maximum
/// of (M x)_i / x_i (Collatz, 1942). With M = (I + |I - A/D|) / 2, x stays positive, and M's radius determines the
/// other.
Bounds absolute_bounds(const MatrixRows& matrix, std::span<const double> diagonal, int steps) {
  Elements x = matrix.elements(1);
  std::vector<double> next(diagonal.size());
  Bounds bounds{.least = 0, .most = std::numeric_limits<double>::infinity()};
  for (int step = 0; step < steps; ++step) {
    double least = std::numeric_limits<double>::infinity();
    double most = 0;
    double largest = 0;
    for (std::uint32_t row = 0; row < next.size(); ++row) {
      double sum = 0;
      matrix.each_other(
          row, [&](std::size_t column, double entry) { sum += std::abs(entry) * x[column]; });
      const double own = x[row];
      next[row] = (own + sum / std::abs(diagonal[row])) / 2;
      const double growth = next[row] / own;
      least = std::min(least, growth);
      most = std::max(most, growth);
      largest = std::max(largest, next[row]);
    }
    least = matrix.least(least);
    most = matrix.greatest(most);
    largest = matrix.greatest(largest);
    if (!std::isfinite(largest)) break;
    bounds.least = std::max(bounds.least, 2 * least - 1);
    bounds.most = std::min(bounds.most, 2 * most - 1);
    if (most - least < 1e-3 || largest == 0) break;
    // Keeps x positive: very small values must not become 0.
    for (std::size_t i = 0; i < next.size(); ++i) x[i] = std::max(next[i] / largest, 1e-280);
    matrix.refresh(x);
  }
  return bounds;
}

/// True if no entry of I - A/D is negative, so that it equals |I - A/D|.
bool nonnegative(const MatrixRows& matrix, std::span<const double> diagonal) {
  bool found = true;
  for (std::uint32_t row = 0; found && row < diagonal.size(); ++row) {
    const bool above = diagonal[row] > 0;
    matrix.each_other(row, [&](std::size_t, double entry) {
      found = found && (entry == 0 || (entry < 0) == above);
    });
  }
  return matrix.count(found ? 0 : 1) == 0;
}

/// The radius of I - A/D by power iteration: the mean growth over the second half of the steps; the first half aligns
/// x.
double estimate(const MatrixRows& matrix, std::span<const double> diagonal, int steps) {
  Elements x = matrix.elements(0);
  std::vector<double> next(diagonal.size());
  for (std::uint32_t row = 0; row < next.size(); ++row)
    x[row] = 0.5 + static_cast<double>(mix64(matrix.number(row).value()) % 1024) / 1024;
  double log_growth = 0;
  for (int step = 0; step < steps; ++step) {
    matrix.refresh(x);
    double norm = 0;
    for (std::uint32_t row = 0; row < next.size(); ++row) {
      double sum = 0;
      matrix.each_other(row, [&](std::size_t column, double entry) { sum += entry * x[column]; });
      sum /= -diagonal[row];
      next[row] = sum;
      norm += sum * sum;
    }
    norm = std::sqrt(matrix.sum(norm));
    if (norm == 0) return 0;
    if (step >= steps / 2 && step > 0) log_growth += std::log(norm);  // x has length 1
    for (std::size_t i = 0; i < next.size(); ++i) x[i] = next[i] / norm;
  }
  return std::exp(log_growth / (steps - std::max(1, steps / 2)));
}

/// As judge_spectrum. Collective.
Spectrum judge(const MatrixRows& matrix, std::span<const double> diagonal) {
  const std::vector<double> sums = row_sums(matrix, diagonal);
  const double greatest =
      matrix.greatest(sums.empty() ? 0 : *std::max_element(sums.begin(), sums.end()));
  Spectrum spectrum{.settling = Settling::Settles, .radius = greatest, .absolute = greatest};
  if (greatest < 1 - kRounding || leaks_everywhere(matrix, sums)) return spectrum;
  const int steps = steps_for(matrix.entries_of_all());
  const Bounds bounds = absolute_bounds(matrix, diagonal, steps);
  spectrum.absolute = std::min(greatest, bounds.most);
  spectrum.radius = spectrum.absolute;
  if (spectrum.absolute < 1) return spectrum;
  if (bounds.least >= 1 - kRounding && nonnegative(matrix, diagonal)) {
    return {.settling = Settling::Diverges, .radius = bounds.least, .absolute = spectrum.absolute};
  }
  spectrum.radius = estimate(matrix, diagonal, steps);
  if (steps == kMostSteps) {
    if (!(spectrum.radius < 1)) spectrum.settling = Settling::Diverges;
  } else if (!(spectrum.radius < 1 - kDoubt)) {
    spectrum.settling = spectrum.radius < 1 + kDoubt ? Settling::Unknown : Settling::Diverges;
  }
  return spectrum;
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

Result<Spectrum> judge_spectrum(const Graph& matrix, std::span<const double> diagonal) {
  Spectrum spectrum;
  LEEWAY_TRY(with_whole(matrix, [&](Group& group, const GraphPart& part) -> Status {
    LEEWAY_ASSIGN(const MatrixRows rows, MatrixRows::make(group, part));
    spectrum = judge(rows, diagonal);
    return {};
  }));
  return spectrum;
}

namespace {

constexpr double kLoss = 0.25;
constexpr std::uint32_t kHeatedEvery = 16;

/// The equations of the cells of one range.
class EquationWriter {
 public:
  EquationWriter(const GraphPart& part, const CellValues& cells, std::vector<CellRow>& rows)
      : part_(part), cells_(cells), rows_(rows) {
    rows_.resize(part.size());
  }

  Status write() {
    for (std::size_t v = 0; v < cells_.start.size(); ++v) rows_[v].start = cells_.start[v];
    fix_cells();
    if (part_.totals.weighted()) return write_from_matrix();
    write_from_graph();
    return {};
  }

  [[nodiscard]] double largest() const {
    double largest = 0;
    for (const CellRow& row : rows_)
      largest = std::max({largest, std::abs(row.right_side / row.diagonal), std::abs(row.start)});
    return largest;
  }

 private:
  /// Marks fixed cells, which need no equation, by an infinite diagonal.
  void fix_cells() {
    for (std::size_t v = 0; v < cells_.fixed.size(); ++v) {
      if (std::isnan(cells_.fixed[v])) continue;
      rows_[v].diagonal = std::numeric_limits<double>::infinity();
      rows_[v].right_side = rows_[v].start = cells_.fixed[v];
    }
  }

  [[nodiscard]] double right_side(std::uint32_t v, double otherwise) const {
    return cells_.right_side.empty() ? otherwise : cells_.right_side[v];
  }

  Status write_from_matrix() {
    const auto row_name = [&](std::uint32_t v) {
      return format("row {}", part_.lists.names.name(VertexId(v)));
    };
    for (std::uint32_t v = 0; v < part_.size(); ++v) {
      CellRow& row = rows_[v];
      if (row.fixed()) continue;
      const auto columns = part_.list(v);
      const double* const entries = part_.lists.weights.data() + part_.lists.offsets[v];
      for (std::size_t i = 0; i < columns.size(); ++i) {
        if (!std::isfinite(entries[i])) {
          return fail(
              input_error(row_name(v), "has an entry that is not a number", "fix the matrix"));
        }
        if (columns[i] == part_.vertex(v)) row.diagonal += entries[i];
      }
      if (row.diagonal == 0) {
        return fail(input_error(
            row_name(v), "its diagonal entry is zero or missing, and heat and wave divide by it",
            "reorder the rows, or give --weights none to take the graph's own Laplacian instead"));
      }
      row.right_side = right_side(v, 1);
    }
    return {};
  }

  void write_from_graph() {
    for (std::uint32_t v = 0; v < part_.size(); ++v) {
      CellRow& row = rows_[v];
      if (row.fixed()) continue;
      const auto neighbors = part_.list(v);
      const auto loops = std::count(neighbors.begin(), neighbors.end(), part_.vertex(v));
      const double degree = static_cast<double>(neighbors.size()) - static_cast<double>(loops);
      const bool heated = part_.vertex(v).value() % kHeatedEvery == 0;
      row.diagonal = degree == 0 ? 1 : (1 + kLoss) * degree;
      row.right_side = right_side(v, heated ? std::max(degree, 1.0) : 0);
    }
  }

  const GraphPart& part_;
  const CellValues& cells_;
  std::vector<CellRow>& rows_;
};

/// Requires the diagonal. Collective.
void find_amplified(const MatrixRows& matrix, std::vector<CellRow>& rows) {
  Elements most = matrix.elements(1);
  for (std::uint32_t v = 0; v < rows.size(); ++v) {
    matrix.each_other(v, [&](std::size_t column, double entry) {
      most[column] = std::max(most[column], std::abs(entry / rows[v].diagonal));
    });
  }
  matrix.keep_greatest(most);
  for (std::size_t v = 0; v < rows.size(); ++v) rows[v].amplified = most[v];
}

/// Runs one of LinearProblem's functions on a whole graph.
template <class Make>
Result<LinearProblem> of_whole(const Graph& graph, const CellValues& cells, const Make& make) {
  LinearProblem problem;
  LEEWAY_TRY(with_whole(graph, [&](Group& group, const GraphPart& part) -> Status {
    LEEWAY_ASSIGN(problem, make(group, part, cells));
    return {};
  }));
  return problem;
}

}  // namespace

Result<LinearProblem> LinearProblem::state(Group& group, const GraphPart& part,
                                           const CellValues& cells) {
  if (part.totals.left_count > 0) {
    return fail(group.found_by_all(input_error("--graph",
                                               "heat and wave need a square matrix of real numbers",
                                               "give a real matrix, or an unweighted graph")));
  }
  LinearProblem problem;
  problem.sign = part.totals.weighted() ? -1 : 1;
  EquationWriter writer(part, cells, problem.rows);
  LEEWAY_TRY(group.agree(writer.write()));
  double largest = 0;
  for (const double each : group.share(writer.largest())) largest = std::max(largest, each);
  problem.largest = largest == 0 ? 1 : largest;
  return problem;
}

Result<LinearProblem> LinearProblem::make(Group& group, const GraphPart& part,
                                          const CellValues& cells) {
  LEEWAY_ASSIGN(LinearProblem problem, state(group, part, cells));
  if (!part.totals.weighted()) {
    problem.absolute_radius = 1 / (1 + kLoss);
    return problem;
  }
  LEEWAY_ASSIGN(const MatrixRows matrix, MatrixRows::make(group, part));
  find_amplified(matrix, problem.rows);
  std::vector<double> diagonal;
  diagonal.reserve(problem.rows.size());
  for (const CellRow& row : problem.rows) diagonal.push_back(row.diagonal);
  const Spectrum spectrum = judge(matrix, diagonal);
  problem.absolute_radius = spectrum.absolute;
  if (spectrum.settling == Settling::Diverges) {
    return fail(group.found_by_all(input_error(
        "--graph",
        format(
            "heat and wave diverge on this matrix: the spectral radius of I - A/D is about {:.4f}",
            spectrum.radius),
        "use a matrix whose diagonal outweighs the rest of each row")));
  }
  return problem;
}

Result<LinearProblem> LinearProblem::state(const Graph& graph, const CellValues& cells) {
  return of_whole(graph, cells, [](auto&... given) { return state(given...); });
}

Result<LinearProblem> LinearProblem::make(const Graph& graph, const CellValues& cells) {
  return of_whole(graph, cells, [](auto&... given) { return make(given...); });
}

Result<Graph> matrix_of(const Graph& graph, const LinearProblem& problem) {
  EdgeChunkBuilder edges;
  for (VertexId v(0); v.value() < graph.vertex_count(); v = v.next()) {
    edges.add(v, v, problem.rows[v.index()].fixed() ? 1 : problem.rows[v.index()].diagonal);
    if (problem.rows[v.index()].fixed()) continue;
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
