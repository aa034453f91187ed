#include "leeway/programs/vertex/diffusion.h"

#include <algorithm>
#include <limits>

#include "leeway/base/format.h"
#include "leeway/datasets/build_graph.h"
#include "leeway/programs/vertex/spectrum.h"

namespace leeway {

namespace {

constexpr double kLoss = 0.25;
constexpr std::uint32_t kHeatedEvery = 16;

/// The fixed cells, which need no equation; the others are found by what is not infinite.
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
                                "has an entry that is no number", "repair the matrix"));
      }
      if (columns[i] == v) problem.diagonal[v.index()] += graph.weights(v)[i];
    }
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
