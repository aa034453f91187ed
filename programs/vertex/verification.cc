#include "leeway/programs/vertex/verification.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "leeway/base/format.h"
#include "leeway/programs/reference/oracles.h"
#include "leeway/programs/vertex/diffusion.h"

namespace leeway {

namespace {

constexpr double kRelative = 1e-6;
constexpr double kResidual = 1e-8;  // some times the programs' own tolerance

using Counts = std::vector<std::uint64_t>;
using Reals = std::vector<double>;

Error wrong(const Graph& graph, std::size_t vertex, const std::string& found,
            const std::string& expected) {
  return {ErrorKind::Environment,
          format("vertex {}", graph.names().name(VertexId(static_cast<std::uint32_t>(vertex)))),
          format("the result is wrong: {} where the oracle finds {}", found, expected),
          "this is a bug of Leeway: report it, with the command and the graph"};
}

template <class T, class U>
Verified same(const Graph& graph, const std::vector<T>& found, const std::vector<U>& expected) {
  for (std::size_t v = 0; v < expected.size(); ++v) {
    if (found[v] != static_cast<T>(expected[v]))
      return fail(wrong(graph, v, format("{}", found[v]), format("{}", expected[v])));
  }
  return std::string("equals the sequential oracle");
}

Verified close(const Graph& graph, const Reals& found, const Reals& expected, double least) {
  double worst = 0;
  for (std::size_t v = 0; v < expected.size(); ++v) {
    const double error = std::abs(found[v] - expected[v]) / std::max(std::abs(expected[v]), least);
    if (!(error <= kRelative))
      return fail(wrong(graph, v, format("{}", found[v]), format("{}", expected[v])));
    worst = std::max(worst, error);
  }
  return format("within {:.1e} of the sequential oracle", worst);
}

const Counts& counts(const ProgramValues& values) { return std::get<Counts>(values.by_vertex); }
const Reals& reals(const ProgramValues& values) { return std::get<Reals>(values.by_vertex); }

}  // namespace

Verified verify_pagerank(const Graph& graph, const ProgramSettings& settings,
                         const ProgramOptions& options, const ProgramValues& values) {
  reference::PageRankOptions how{.damping = settings.damping};
  if (options.engine.iterations) {
    if (options.engine.scheduler != Scheduler::Bsp)
      return std::string("not checked: so many sweeps in place have no sequential counterpart");
    how.iterations = options.engine.iterations;
  } else if (settings.tolerance.value_or(0) > 1e-8) {
    return std::string("not checked: the tolerance is wider than the check");
  }
  return close(graph, reals(values), reference::pagerank(graph, how), 0);
}

Verified verify_sssp(const Graph& graph, const ProgramSettings& settings, const ProgramOptions&,
                     const ProgramValues& values) {
  if (graph.vertex_count() == 0) return std::string("nothing to check");
  return same(graph, reals(values), reference::shortest_distances(graph, settings.source));
}

Verified verify_bfs(const Graph& graph, const ProgramSettings& settings, const ProgramOptions&,
                    const ProgramValues& values) {
  if (graph.vertex_count() == 0) return std::string("nothing to check");
  return same(graph, counts(values), reference::depths(graph, settings.source));
}

Verified verify_paths(const Graph& graph, const ProgramSettings& settings, const ProgramOptions&,
                      const ProgramValues& values) {
  if (graph.vertex_count() == 0) return std::string("nothing to check");
  return same(graph, counts(values), reference::path_counts(graph, settings.source));
}

Verified verify_shortest_path_counts(const Graph& graph, const ProgramSettings& settings,
                                     const ProgramOptions&, const ProgramValues& values) {
  if (graph.vertex_count() == 0) return std::string("nothing to check");
  const auto expected = reference::shortest_path_counts(graph, settings.source);
  if (!expected) return "not checked: " + expected.error().to_string();
  return same(graph, counts(values), *expected);
}

Verified verify_cc(const Graph& graph, const ProgramSettings&, const ProgramOptions&,
                   const ProgramValues& values) {
  return same(graph, counts(values), reference::components(graph));
}

Verified verify_cdlp(const Graph& graph, const ProgramSettings& settings,
                     const ProgramOptions& options, const ProgramValues& values) {
  using reference::OwnLabel;
  const Counts& labels = counts(values);
  const OwnLabel own = settings.ldbc ? OwnLabel::LeftOut : OwnLabel::Counts;
  if (options.engine.iterations) {
    if (options.engine.scheduler != Scheduler::Bsp)
      return std::string("not checked: so many sweeps in place have no sequential counterpart");
    Counts first(graph.vertex_count());
    std::iota(first.begin(), first.end(), 0);
    return same(graph, labels,
                reference::communities(graph, first, *options.engine.iterations, own));
  }
  // One more round must change nothing: every label is what the rule gives.
  LEEWAY_TRY(same(graph, labels, reference::communities(graph, labels, 1, own)));
  return std::string("stable: one more sequential round changes nothing");
}

Verified verify_coloring(const Graph& graph, const ProgramSettings&, const ProgramOptions&,
                         const ProgramValues& values) {
  std::vector<std::uint32_t> colours;
  for (const std::uint64_t colour : counts(values))
    colours.push_back(static_cast<std::uint32_t>(colour));
  if (const auto clash = reference::first_clash(graph, colours)) {
    return fail(wrong(graph, clash->first.index(),
                      format("colour {}", colours[clash->first.index()]),
                      format("neighbour {} of the same", graph.names().name(clash->second))));
  }
  const std::set<std::uint32_t> used(colours.begin(), colours.end());
  return format("proper, with {} colours", used.size());
}

Verified verify_diffusion(const Graph& graph, const ProgramSettings& settings,
                          const ProgramOptions&, const ProgramValues& values) {
  if (settings.tolerance.value_or(0) > 1e-9)
    return std::string("not checked: the tolerance is wider than the check");
  LEEWAY_ASSIGN(const LinearProblem problem, LinearProblem::state(graph, settings.cells));
  Graph made;
  const bool is_matrix = graph.weighted() && settings.cells.fixed.empty();
  if (!is_matrix) {
    LEEWAY_ASSIGN(made, matrix_of(graph, problem));
  }
  const Graph& matrix = is_matrix ? graph : made;
  LEEWAY_ASSIGN(const Reals expected, reference::linear_solution(matrix, problem.right_side));
  double largest = problem.largest;  // by which the programs measure what a cell moves
  for (const double value : expected) largest = std::max(largest, std::abs(value));
  Verified near = close(graph, reals(values), expected, largest);
  if (near) return near;
  // Where the matrix is nearly singular, values far from the solution satisfy the equations as well as the
  // tolerance asks; then nobody knows the solution any closer.
  const double residual = reference::residual(matrix, problem.right_side, reals(values));
  if (!(residual <= kResidual)) return near;
  return format("the equations hold within {:.1e}, which for this matrix leaves the solution open",
                residual);
}

Verified verify_lcc(const Graph& graph, const ProgramSettings&, const ProgramOptions&,
                    const ProgramValues& values) {
  return close(graph, reals(values), reference::clustering(graph), 1e-9);
}

Verified verify_degree(const Graph& graph, const ProgramSettings&, const ProgramOptions&,
                       const ProgramValues& values) {
  Counts expected;
  for (VertexId v(0); v.value() < graph.vertex_count(); v = v.next())
    expected.push_back(graph.neighbors(v).size());
  return same(graph, counts(values), expected);
}

}  // namespace leeway
