#include "programs/vertex/catalog.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "base/check.h"
#include "base/clock.h"
#include "base/format.h"
#include "base/parallel.h"
#include "programs/reference/kernels.h"
#include "programs/reference/oracles.h"
#include "programs/vertex/diffusion.h"
#include "programs/vertex/grouping.h"
#include "programs/vertex/pagerank.h"
#include "programs/vertex/paths.h"
#include "programs/vertex/structure.h"
#include "runtime/cluster/group.h"
#include "runtime/graph/graph_part.h"
#include "runtime/graph/lists.h"

namespace leeway {

namespace {

constexpr std::string_view kLdbcUnreached = "9223372036854775807";

std::string shown_real(double value, bool ldbc) {
  if (std::isinf(value)) return "infinity";
  return ldbc ? format("{:.15e}", value) : format("{}", value);
}

}  // namespace

std::string shown_value(const ProgramValues& values, VertexId vertex, const VertexNames& names,
                        bool ldbc) {
  if (values.row > 0) {
    std::string text;
    for (std::size_t k = 0; k < values.row; ++k)
      text += format("{}{}", k == 0 ? "" : " ", values.rows[vertex.index() * values.row + k]);
    return text;
  }
  if (const auto* reals = std::get_if<std::vector<double>>(&values.by_vertex))
    return shown_real((*reals)[vertex.index()], ldbc);
  const std::uint64_t value =
      std::get<std::vector<std::uint64_t>>(values.by_vertex)[vertex.index()];
  constexpr std::uint64_t kNone = std::numeric_limits<std::uint64_t>::max();
  if (values.shown == Shown::Vertex) return names.name(VertexId(static_cast<std::uint32_t>(value)));
  if (value == kNone && values.shown == Shown::Depth)
    return std::string(ldbc ? kLdbcUnreached : "unreachable");
  if (value == kNone && values.shown == Shown::Paths) return format("more than {}", kLdbcUnreached);
  return std::to_string(value);
}

namespace {

// Requirements on input, checked before any work. Every error contains a remedy.

Status admit_source(const GraphTotals& graph, const ProgramParameters& parameters) {
  if (parameters.source.value() < graph.vertices || graph.vertices == 0) return {};
  return fail(input_error("--source", "the source is not in the graph",
                          format("the graph has {} vertices", graph.vertices)));
}

Status admit_source(const Graph& graph, const ProgramParameters& parameters) {
  return admit_source(GraphTotals(graph), parameters);
}

Error negative(const std::string& arc, double weight) {
  return input_error(arc,
                     format("its weight is {}: shortest paths need weights of at least 0", weight),
                     "correct the weight, or give --weights none to count arcs");
}

/// The source exists and all weights are at least 0.
Status admit_sssp(const Graph& graph, const ProgramParameters& parameters) {
  LEEWAY_TRY(admit_source(graph, parameters));
  if (!graph.weighted()) return {};
  for (VertexId v(0); v.value() < graph.vertex_count(); v = v.next()) {
    const auto weights = graph.weights(v);
    for (std::size_t i = 0; i < weights.size(); ++i) {
      if (weights[i] >= 0) continue;
      return fail(negative(
          format("arc {} -> {}", graph.names().name(v), graph.names().name(graph.neighbors(v)[i])),
          weights[i]));
    }
  }
  return {};
}

/// All weights of the part are at least 0.
Status admit_weights(const GraphPart& part) {
  const VertexNames& names = part.lists.names;
  for (std::uint32_t v = 0; v < part.size() && part.totals.weighted(); ++v) {
    for (std::uint64_t i = part.lists.offsets[v]; i < part.lists.offsets[v + std::size_t{1}]; ++i) {
      const double weight = part.lists.weights[i];
      if (weight >= 0) continue;
      // For vertices of other ranges, this process has only consecutive numeric names.
      const VertexId target = part.lists.targets[i];
      const std::string to = names.kind() == NameKind::Sequence
                                 ? std::to_string(names.first() - part.first() + target.value())
                             : part.holds(target)
                                 ? names.name(VertexId(target.value() - part.first()))
                                 : "another vertex";
      return fail(negative(format("arc {} -> {}", names.name(VertexId(v)), to), weight));
    }
  }
  return {};
}

/// No diagonal entry is zero. Convergence is checked when the program is created.
Status admit_diffusion(const Graph& graph, const ProgramParameters& parameters) {
  LEEWAY_ASSIGN([[maybe_unused]] const LinearProblem problem,
                LinearProblem::state(graph, parameters.cells));
  return {};
}

bool needs_symmetry(const ProgramInfo& program, const ProgramParameters& parameters) {
  return program.symmetric && !parameters.ldbc;
}

Error not_symmetric(const ProgramInfo& program) {
  return input_error(
      "--graph",
      format("{} needs arcs that go both ways, and this graph has one without its reverse",
             program.name),
      program.ldbc != Ldbc::Nothing
          ? "give --undirected if the file lists each edge once, --symmetrize to add the reverses, "
            "or --ldbc to read every arc both ways"
          : "give --undirected if the file lists each edge once, or --symmetrize to add the "
            "reverses");
}

/// Refuses parameters that the program does not use.
Status admit_parameters(const ProgramInfo& program, const ProgramParameters& parameters) {
  if (parameters.source_given && !program.source) {
    return fail(input_error("--source", format("{} does not start from a vertex", program.name),
                            "leave --source out"));
  }
  if (parameters.ldbc && program.ldbc == Ldbc::Nothing) {
    return fail(input_error("--ldbc", format("LDBC Graphalytics does not define {}", program.name),
                            "leave --ldbc out; it defines bfs, cc, cdlp, lcc, pagerank and sssp"));
  }
  return {};
}

Status admit_schedule(const ProgramInfo& program, const ProgramParameters& parameters,
                      const EngineOptions& engine) {
  const bool bsp = engine.scheduler == Scheduler::Bsp;
  const bool pie = program.engine == "pie";
  if (parameters.ldbc && pie && !program.exact) {
    return fail(input_error(
        "--engine",
        format("LDBC defines {} by rounds over all vertices, which the pie engine does not run",
               program.name),
        "give --engine vertex --scheduler bsp"));
  }
  if (parameters.ldbc && !bsp && !program.exact) {
    return fail(input_error("--scheduler",
                            format("LDBC defines {} by synchronous rounds, which {} does not run",
                                   program.name, scheduler_name(engine.scheduler)),
                            "give --scheduler bsp"));
  }
  return {};
}

}  // namespace

Status admit(const ProgramInfo& program, const Graph& graph, const ProgramParameters& parameters,
             const RunOptions& options) {
  LEEWAY_TRY(admit_parameters(program, parameters));
  LEEWAY_TRY(admit_schedule(program, parameters, options.vertex));
  if (program.admit != nullptr) LEEWAY_TRY(program.admit(graph, parameters));
  if (!needs_symmetry(program, parameters) || is_symmetric(graph)) return {};
  return fail(not_symmetric(program));
}

Status admit_part(const ProgramInfo& program, const GraphPart& part,
                  const ProgramParameters& parameters, const RunOptions& options) {
  const auto admit_totals = [&]() -> Status {
    LEEWAY_TRY(admit_parameters(program, parameters));
    LEEWAY_TRY(admit_schedule(program, parameters, options.vertex));
    if (!program.source) return {};
    return admit_source(part.totals, parameters);
  };
  return with_group(options.cluster, [&](Group& group) -> Status {
    if (Status refused = admit_totals(); !refused)
      return fail(group.found_by_all(std::move(refused).error()));
    if (program.weighted) LEEWAY_TRY(group.agree(admit_weights(part)));
    if (!needs_symmetry(program, parameters) || is_symmetric(group, part)) return {};
    return fail(group.found_by_all(not_symmetric(program)));
  });
}

namespace {

constexpr double kRelative = 1e-6;
constexpr double kResidual = 1e-8;  // ten times the programs' own tolerance

using Counts = std::vector<std::uint64_t>;
using Reals = std::vector<double>;

Error wrong(const Graph& graph, std::size_t vertex, const std::string& found,
            const std::string& expected) {
  return {ErrorKind::Environment,
          format("vertex {}", graph.names().name(VertexId(static_cast<std::uint32_t>(vertex)))),
          format("the result is wrong: {} where the oracle finds {}", found, expected),
          "this is a bug of Leeway: report it, with the command and the graph"};
}

/// The outcome of a comparison with the sequential oracles of programs/reference, which share no code with the engines. An
/// error states where the result is wrong, which is a bug of Leeway.
using Verified = Result<std::string>;

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

/// The sum of all differences, at most `most`.
Verified close_in_sum(const Reals& found, const Reals& expected, double most) {
  double sum = 0;
  for (std::size_t v = 0; v < expected.size(); ++v) sum += std::abs(found[v] - expected[v]);
  if (sum <= most)
    return format("within {:.1e} of the sequential oracle in the sum of all differences", sum);
  return fail(Error{
      ErrorKind::Environment, "",
      format("the result is wrong: its differences from the oracle's add up to {:.1e}, and only "
             "{:.1e} is within the tolerance",
             sum, most),
      "this is a bug of Leeway: report it, with the command and the graph"});
}

const Counts& counts(const ProgramValues& values) { return std::get<Counts>(values.by_vertex); }
const Reals& reals(const ProgramValues& values) { return std::get<Reals>(values.by_vertex); }

Verified verify_pagerank(const Graph& graph, const ProgramParameters& parameters,
                         const RunOptions& options, const ProgramValues& values) {
  reference::OraclePageRank how{.damping = parameters.damping};
  if (options.vertex.iterations) {
    if (options.vertex.scheduler != Scheduler::Bsp)
      return std::string(
          "not checked: a fixed number of sweeps in place has no sequential counterpart");
    how.iterations = options.vertex.iterations;
  } else if (parameters.tolerance.value_or(0) > 1e-8) {
    return std::string("not checked: the tolerance is wider than the check");
  }
  const Reals expected = reference::pagerank(graph, how);
  const double damping = parameters.damping;
  const bool single = parameters.precision == Precision::Single;
  const double tolerance =
      parameters.tolerance.value_or(single ? PageRankOf<float>::kTolerance : PageRank::kTolerance);
  // The error of a float is up to 6e-8 of it, also in the sum of all ranks.
  if (single)
    return close_in_sum(reals(values), expected, how.iterations ? 1e-5 : 1e-5 + 12 * tolerance);
  if (how.iterations || tolerance <= 0 ||
      PageRank::change_of(parameters.tolerance_of, graph.vertex_count()) == RankChange::Each)
    return close(graph, reals(values), expected, 0);
  // Ranks that would move by the tolerance, or 1.25 times as much with the moves that are not stored, have at most
  // 1 / (1 - damping) times that to go; scaling can double it.
  return close_in_sum(reals(values), expected, 2.5 * tolerance / (1 - damping) + 1e-10);
}

Verified verify_sssp(const Graph& graph, const ProgramParameters& parameters, const RunOptions&,
                     const ProgramValues& values) {
  if (graph.vertex_count() == 0) return std::string("nothing to check");
  return same(graph, reals(values), reference::shortest_distances(graph, parameters.source));
}

Verified verify_bfs(const Graph& graph, const ProgramParameters& parameters, const RunOptions&,
                    const ProgramValues& values) {
  if (graph.vertex_count() == 0) return std::string("nothing to check");
  return same(graph, counts(values), reference::depths(graph, parameters.source));
}

Verified verify_paths(const Graph& graph, const ProgramParameters& parameters, const RunOptions&,
                      const ProgramValues& values) {
  if (graph.vertex_count() == 0) return std::string("nothing to check");
  return same(graph, counts(values), reference::path_counts(graph, parameters.source));
}

Verified verify_shortest_path_counts(const Graph& graph, const ProgramParameters& parameters,
                                     const RunOptions&, const ProgramValues& values) {
  if (graph.vertex_count() == 0) return std::string("nothing to check");
  const auto expected = reference::shortest_path_counts(graph, parameters.source);
  if (!expected) return "not checked: " + expected.error().to_string();
  return same(graph, counts(values), *expected);
}

Verified verify_cc(const Graph& graph, const ProgramParameters&, const RunOptions&,
                   const ProgramValues& values) {
  return same(graph, counts(values), reference::components(graph));
}

Verified verify_cdlp(const Graph& graph, const ProgramParameters& parameters,
                     const RunOptions& options, const ProgramValues& values) {
  using reference::OwnLabel;
  const Counts& labels = counts(values);
  const OwnLabel own = parameters.ldbc ? OwnLabel::LeftOut : OwnLabel::Counts;
  if (options.vertex.iterations) {
    if (options.vertex.scheduler != Scheduler::Bsp)
      return std::string(
          "not checked: a fixed number of sweeps in place has no sequential counterpart");
    Counts first(graph.vertex_count());
    std::iota(first.begin(), first.end(), 0);
    return same(graph, labels,
                reference::communities(graph, first, *options.vertex.iterations, own));
  }
  // If one more round changes nothing, every label satisfies the rule.
  LEEWAY_TRY(same(graph, labels, reference::communities(graph, labels, 1, own)));
  return std::string("stable: one more sequential round changes nothing");
}

Verified verify_coloring(const Graph& graph, const ProgramParameters&, const RunOptions&,
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

Verified verify_diffusion(const Graph& graph, const ProgramParameters& parameters,
                          const RunOptions&, const ProgramValues& values) {
  if (parameters.tolerance.value_or(0) > 1e-9)
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

Verified verify_lcc(const Graph& graph, const ProgramParameters&, const RunOptions&,
                    const ProgramValues& values) {
  return close(graph, reals(values), reference::clustering(graph), 1e-9);
}

Verified verify_degree(const Graph& graph, const ProgramParameters&, const RunOptions&,
                       const ProgramValues& values) {
  Counts expected;
  for (VertexId v(0); v.value() < graph.vertex_count(); v = v.next())
    expected.push_back(graph.neighbors(v).size());
  return same(graph, counts(values), expected);
}

// The shipped programs, each created from a graph and parameters and run as a job. All have one of two signatures, so that
// the catalog can list them.

/// Runs the program that `make` returns; its creation counts as set-up time.
template <class Make>
auto run_made(const JobGraph& graph, const Make& make, const RunOptions& options) {
  const Stopwatch watch;
  const auto program = make();
  const double making = watch.elapsed_seconds();
  auto result = run_job(graph, program, options);
  if (result) result->record.phases.setup += making;
  return result;
}

template <class Make>
Result<ProgramResult> counted(const JobGraph& graph, const Make& make, const RunOptions& options,
                              Shown shown) {
  LEEWAY_ASSIGN(auto result, run_made(graph, make, options));
  std::vector<std::uint64_t> values(result.values.begin(), result.values.end());
  return ProgramResult{{std::move(values), shown}, std::move(result.record)};
}

template <class Make>
Result<ProgramResult> measured(const JobGraph& graph, const Make& make, const RunOptions& options,
                               Shown shown) {
  LEEWAY_ASSIGN(auto result, run_made(graph, make, options));
  return ProgramResult{{std::move(result.values), shown}, std::move(result.record)};
}

template <class Real>
Result<ProgramResult> run_pagerank_of(const JobGraph& graph, const ProgramParameters& parameters,
                                      const RunOptions& options) {
  PageRankParameters how = parameters.pagerank();
  if (options.vertex.iterations)
    how.tolerance = 0;  // every change counts in a fixed number of iterations
  LEEWAY_ASSIGN(auto result,
                run_made(
                    graph, [&] { return PageRankOf<Real>(graph.totals(), how); }, options));
  if (options.vertex.scheduler != Scheduler::Bsp || !options.vertex.iterations) {
    double sum = sum_of(result.values);
    if (graph.part != nullptr) {
      LEEWAY_ASSIGN(sum, sum_of_parts(options.cluster, sum));
    }
    scale_to_one(result.values, sum);
  }
  return ProgramResult{{std::move(result.values), Shown::Real}, std::move(result.record)};
}

Result<ProgramResult> run_pagerank(const JobGraph& graph, const ProgramParameters& parameters,
                                   const RunOptions& options) {
  if (parameters.precision == Precision::Single)
    return run_pagerank_of<float>(graph, parameters, options);
  return run_pagerank_of<double>(graph, parameters, options);
}

Result<ProgramResult> run_sssp(const JobGraph& graph, const ProgramParameters& parameters,
                               const RunOptions& options) {
  if (graph.part == nullptr) {
    return measured(
        graph, [&] { return Sssp(*graph.whole, parameters.source); }, options, Shown::Distance);
  }
  LEEWAY_ASSIGN(const double weights,
                sum_of_parts(options.cluster, sum_of(graph.part->lists.weights.span())));
  return measured(
      graph, [&] { return Sssp(graph.part->totals, weights, parameters.source); }, options,
      Shown::Distance);
}

Result<ProgramResult> run_bfs(const JobGraph& graph, const ProgramParameters& parameters,
                              const RunOptions& options) {
  LEEWAY_ASSIGN(auto run,
                counted(
                    graph, [&] { return Bfs(parameters.source); }, options, Shown::Depth));
  for (std::uint64_t& depth : std::get<std::vector<std::uint64_t>>(run.values.by_vertex)) {
    if (depth == Bfs::kFar) depth = std::numeric_limits<std::uint64_t>::max();
  }
  return run;
}

Result<ProgramResult> run_paths(const JobGraph& graph, const ProgramParameters& parameters,
                                const RunOptions& options) {
  return counted(
      graph, [&] { return PathCount(graph.totals(), parameters.source); }, options, Shown::Paths);
}

Result<ProgramResult> run_shortest_path_counts(const JobGraph& graph,
                                               const ProgramParameters& parameters,
                                               const RunOptions& options) {
  return counted(
      graph, [&] { return ShortestPathCount(parameters.source); }, options, Shown::Paths);
}

Result<ProgramResult> run_cc(const JobGraph& graph, const ProgramParameters&,
                             const RunOptions& options) {
  return counted(
      graph, [&] { return Components(graph.totals()); }, options, Shown::Vertex);
}

Result<ProgramResult> run_cdlp(const JobGraph& graph, const ProgramParameters& parameters,
                               const RunOptions& options) {
  return counted(
      graph, [&] { return Communities(!parameters.ldbc); }, options, Shown::Vertex);
}

Result<ProgramResult> run_coloring(const JobGraph& graph, const ProgramParameters&,
                                   const RunOptions& options) {
  return counted(
      graph, [&] { return Colouring(); }, options, Shown::Count);
}

/// Runs a collective step on the part of a graph, or on a whole graph.
Status on_rows(const JobGraph& graph, const RunOptions& options,
               const std::function<Status(Group&, const GraphPart&)>& body) {
  if (graph.part == nullptr) return with_whole(*graph.whole, body);
  return with_group(options.cluster, [&](Group& group) { return body(group, *graph.part); });
}

/// The threads of all nodes in this process.
unsigned threads_here(const RunOptions& options) {
  const unsigned each = options.vertex.threads;
  if (each == 0 || options.cluster.job != nullptr) return each;
  return std::min(thread_count(0), each * options.cluster.nodes);
}

Result<ProgramResult> run_lcc(const JobGraph& graph, const ProgramParameters&,
                              const RunOptions& options) {
  const Stopwatch watch;
  std::vector<ClusteringRow> rows;
  LEEWAY_TRY(on_rows(graph, options, [&](Group& group, const GraphPart& part) -> Status {
    LEEWAY_ASSIGN(rows, count_clustering(group, part, threads_here(options)));
    return {};
  }));
  const double counting = watch.elapsed_seconds();
  const VertexRecords records{std::span<const ClusteringRow>(rows)};
  LEEWAY_ASSIGN(auto result, run_job(graph.with(records), Clustering(), options));
  // The virtual cluster charges the entries that were visited.
  if (!result.record.simulated) result.record.phases.compute += counting;
  return ProgramResult{{std::move(result.values), Shown::Real}, std::move(result.record)};
}

Result<ProgramResult> run_degree(const JobGraph& graph, const ProgramParameters&,
                                 const RunOptions& options) {
  return counted(
      graph, [&] { return Degree(); }, options, Shown::Count);
}

constexpr double kTolerance = 1e-9;

/// An error for a value that is infinite or NaN.
Status refuse_wild(const VertexNames& names, std::span<const double> values) {
  const auto wild = std::find_if_not(values.begin(), values.end(),
                                     [](double value) { return std::isfinite(value); });
  if (wild == values.end()) return {};
  const VertexId row(static_cast<std::uint32_t>(wild - values.begin()));
  return fail(input_error(format("row {}", names.name(row)),
                          "its value overflowed: heat and wave diverge on this matrix",
                          "use a matrix whose diagonal outweighs the rest of each row"));
}

template <class P>
Result<ProgramResult> settled(const JobGraph& graph, const ProgramParameters& parameters,
                              const RunOptions& options) {
  const Stopwatch watch;
  LinearProblem problem;
  LEEWAY_TRY(on_rows(graph, options, [&](Group& group, const GraphPart& part) -> Status {
    LEEWAY_ASSIGN(problem, LinearProblem::make(group, part, parameters.cells));
    return {};
  }));
  const double making = watch.elapsed_seconds();
  const double tolerance = parameters.tolerance.value_or(kTolerance);
  const VertexRecords records{std::span<const CellRow>(problem.rows)};
  LEEWAY_ASSIGN(auto result, run_job(graph.with(records), P(problem, tolerance), options));
  result.record.phases.setup += making;
  if (graph.part == nullptr) {
    LEEWAY_TRY(refuse_wild(graph.whole->names(), result.values));
  } else {
    LEEWAY_TRY(with_group(options.cluster, [&](Group& group) {
      return group.agree(refuse_wild(graph.part->lists.names, result.values));
    }));
  }
  return ProgramResult{{std::move(result.values), Shown::Real}, std::move(result.record)};
}

using RunOnGraph = Result<ProgramResult>(const JobGraph&, const ProgramParameters&,
                                         const RunOptions&);

template <RunOnGraph Run>
Result<ProgramResult> on_whole(const Graph& graph, const ProgramParameters& parameters,
                               const RunOptions& options) {
  return Run(JobGraph(graph), parameters, options);
}
template <RunOnGraph Run>
Result<ProgramResult> on_part(GraphPart& part, const ProgramParameters& parameters,
                              const RunOptions& options) {
  return Run(JobGraph(part), parameters, options);
}

// The single-thread baselines of --cost (COST: McSherry, Isard & Murray, 2015).

template <class Work>
double time_of(Work&& work) {
  const Stopwatch watch;
  (void)work();
  return watch.elapsed_seconds();
}

double pull_pagerank(const Graph& graph, const ProgramParameters&, std::uint32_t iterations) {
  const reference::PullPageRank kernel(graph);
  return time_of([&] { return kernel.run(iterations); });
}
double delta_stepping(const Graph& graph, const ProgramParameters& parameters, std::uint32_t) {
  const reference::DeltaStepping kernel(graph);
  return time_of([&] { return kernel.run(parameters.source); });
}
double union_find(const Graph& graph, const ProgramParameters&, std::uint32_t) {
  return time_of([&] { return reference::sampled_components(graph); });
}
double count_paths(const Graph& graph, const ProgramParameters& parameters, std::uint32_t) {
  return time_of([&] { return reference::path_counts(graph, parameters.source); });
}
double count_shortest_paths(const Graph& graph, const ProgramParameters& parameters,
                            std::uint32_t) {
  return time_of([&] { return reference::shortest_path_counts(graph, parameters.source); });
}
double label_rounds(const Graph& graph, const ProgramParameters& parameters,
                    std::uint32_t iterations) {
  const auto own = parameters.ldbc ? reference::OwnLabel::LeftOut : reference::OwnLabel::Counts;
  std::vector<std::uint64_t> labels(graph.vertex_count());
  std::iota(labels.begin(), labels.end(), 0);
  return time_of([&] { return reference::communities(graph, labels, iterations, own); });
}
double cluster(const Graph& graph, const ProgramParameters&, std::uint32_t) {
  return time_of([&] { return reference::clustering(graph); });
}

template <class P, class VertexRecord = void>
ProgramMemory memory_of() {
  ProgramMemory memory{.needs = needs_of<P>({}), .value_bytes = sizeof(typename P::Value)};
  if constexpr (!std::is_void_v<VertexRecord>) memory.record_bytes = sizeof(VertexRecord);
  return memory;
}

ProgramMemory memory_of_clustering() {
  ProgramMemory memory = memory_of<Clustering, ClusteringRow>();
  memory.counts_triangles = true;
  return memory;
}

constexpr std::array kPrograms = {
    ProgramInfo{.name = "pagerank",
                .summary = "share of a random surfer's time at each vertex",
                .result = "rank; all sum to 1",
                .may_stall = true,
                .checks_rounds = true,
                .ldbc = Ldbc::Rounds,
                .baseline = {"tuned pull kernel, equal number of iterations", pull_pagerank},
                .memory = memory_of<PageRank>,
                .run = on_whole<run_pagerank>,
                .run_part = on_part<run_pagerank>,
                .verify = verify_pagerank},
    ProgramInfo{.name = "sssp",
                .summary = "length of the shortest path from a source",
                .result = "length, or infinity",
                .source = true,
                .exact = true,
                .selects = true,
                .weighted = true,
                .ldbc = Ldbc::Values,
                .shown = Shown::Distance,
                .baseline = {"tuned delta-stepping", delta_stepping},
                .admit = admit_sssp,
                .memory = memory_of<Sssp>,
                .run = on_whole<run_sssp>,
                .run_part = on_part<run_sssp>,
                .verify = verify_sssp},
    ProgramInfo{.name = "bfs",
                .summary = "least number of arcs from a source",
                .result = "arcs, or unreachable",
                .source = true,
                .exact = true,
                .selects = true,
                .ldbc = Ldbc::Values,
                .shown = Shown::Depth,
                .baseline = {"tuned delta-stepping", delta_stepping},
                .admit = admit_source,
                .memory = memory_of<Bfs>,
                .run = on_whole<run_bfs>,
                .run_part = on_part<run_bfs>,
                .verify = verify_bfs},
    ProgramInfo{.name = "paths",
                .summary = "number of paths from a source",
                .result = "count; more than 2^63 - 1 if a cycle leads to the vertex",
                .source = true,
                .exact = true,
                .shown = Shown::Paths,
                .baseline = {"sequential count", count_paths},
                .admit = admit_source,
                .memory = memory_of<PathCount>,
                .run = on_whole<run_paths>,
                .run_part = on_part<run_paths>,
                .verify = verify_paths},
    ProgramInfo{.name = "shortest-path-counts",
                .summary = "number of paths with the fewest arcs from a source",
                .result = "count; parallel arcs make different paths",
                .source = true,
                .exact = true,
                .shown = Shown::Paths,
                .baseline = {"sequential count", count_shortest_paths},
                .admit = admit_source,
                .memory = memory_of<ShortestPathCount>,
                .run = on_whole<run_shortest_path_counts>,
                .run_part = on_part<run_shortest_path_counts>,
                .verify = verify_shortest_path_counts},
    ProgramInfo{.name = "cc",
                .summary = "connected components, arcs read both ways",
                .result = "first vertex of the component",
                .exact = true,
                .selects = true,
                .contracts = true,
                .ldbc = Ldbc::Values,
                .shown = Shown::Vertex,
                .groups = "components",
                .baseline = {"sampled union-find", union_find},
                .memory = memory_of<Components>,
                .run = on_whole<run_cc>,
                .run_part = on_part<run_cc>,
                .verify = verify_cc},
    ProgramInfo{.name = "cdlp",
                .summary = "communities by label propagation",
                .result = "vertex of the label",
                .symmetric = true,
                .may_stall = true,
                .checks_rounds = true,
                .ldbc = Ldbc::Rounds,
                .shown = Shown::Vertex,
                .groups = "communities",
                .baseline = {"sequential rounds", label_rounds},
                .patience = 1000,  // alternating labels do so from one iteration to the next
                .memory = memory_of<Communities>,
                .run = on_whole<run_cdlp>,
                .run_part = on_part<run_cdlp>,
                .verify = verify_cdlp},
    ProgramInfo{.name = "coloring",
                .summary = "colours that differ between neighbours",
                .result = "colour, from 0",
                .symmetric = true,
                .shown = Shown::Count,
                .groups = "colours",
                .memory = memory_of<Colouring>,
                .run = on_whole<run_coloring>,
                .run_part = on_part<run_coloring>,
                .verify = verify_coloring},
    ProgramInfo{.name = "heat",
                .summary = "heat that spreads over a matrix or grid until convergence",
                .result = "temperature",
                .may_stall = true,
                .admit = admit_diffusion,
                .memory = memory_of<Heat, CellRow>,
                .run = on_whole<settled<Heat>>,
                .run_part = on_part<settled<Heat>>,
                .verify = verify_diffusion},
    ProgramInfo{.name = "wave",
                .summary = "a damped wave on a matrix or grid until convergence",
                .result = "height",
                .may_stall = true,
                .admit = admit_diffusion,
                .memory = memory_of<Wave, CellRow>,
                .run = on_whole<settled<Wave>>,
                .run_part = on_part<settled<Wave>>,
                .verify = verify_diffusion},
    ProgramInfo{.name = "lcc",
                .summary = "local clustering coefficients",
                .result = "share of pairs of neighbours that are connected",
                .symmetric = true,
                .exact = true,
                .ldbc = Ldbc::Values,
                .baseline = {"sequential clustering", cluster},
                .memory = memory_of_clustering,
                .run = on_whole<run_lcc>,
                .run_part = on_part<run_lcc>,
                .verify = verify_lcc},
    ProgramInfo{.name = "degree",
                .summary = "number of outgoing arcs of each vertex",
                .result = "count",
                .exact = true,
                .shown = Shown::Count,
                .memory = memory_of<Degree>,
                .run = on_whole<run_degree>,
                .run_part = on_part<run_degree>,
                .verify = verify_degree},
};

}  // namespace

std::string_view shown_name(Shown shown) {
  switch (shown) {
    case Shown::Real:
      return "real";
    case Shown::Distance:
      return "distance";
    case Shown::Count:
      return "count";
    case Shown::Depth:
      return "depth";
    case Shown::Paths:
      return "paths";
    case Shown::Vertex:
      return "vertex";
  }
  LEEWAY_UNREACHABLE(shown);
}

std::span<const ProgramInfo> vertex_programs() { return kPrograms; }

const ProgramInfo* find_vertex_program(std::string_view name) {
  const auto all = vertex_programs();
  const auto found = std::find_if(all.begin(), all.end(),
                                  [&](const ProgramInfo& each) { return each.name == name; });
  return found == all.end() ? nullptr : &*found;
}

}  // namespace leeway
