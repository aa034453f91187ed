#include <algorithm>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "base/parallel.h"
#include "programs/catalog/continuation.h"
#include "programs/catalog/pie_run.h"
#include "programs/catalog/program_rows.h"
#include "programs/catalog/verify.h"
#include "programs/catalog/vertex_run.h"
#include "programs/pagerank/pie.h"
#include "programs/pagerank/ticked.h"
#include "programs/pagerank/vertex.h"
#include "programs/reference/kernels.h"
#include "programs/reference/oracles.h"
#include "runtime/cluster/group.h"

namespace leeway {

namespace {

Status admit_restarts(const Graph&, const ProgramParameters& parameters) {
  const std::vector<double>& shares = parameters.personalization;
  if (parameters.precision == Precision::Single && (parameters.by_weight || !shares.empty()))
    return fail(input_error("--precision", "a biased walk has values of double precision only",
                            "leave --precision out"));
  if (parameters.continuation && parameters.precision == Precision::Single)
    return fail(input_error("--precision",
                            "a run that continues has values of double precision only",
                            "leave --precision out"));
  if (shares.empty()) return {};
  const bool negative = std::any_of(shares.begin(), shares.end(), [](double x) { return x < 0; });
  if (!negative && sum_of(shares) > 0) return {};
  return fail(input_error("--personalization",
                          negative ? "a share is negative" : "all shares are 0",
                          "give weights of at least 0, one of them above 0"));
}

Verified verify_pagerank(const Graph& graph, const ProgramParameters& parameters,
                         const RunOptions& options, const ProgramValues& values) {
  reference::OraclePageRank how{.damping = parameters.damping,
                                .restart = parameters.personalization,
                                .by_weight = parameters.by_weight};
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

/// The rows of a biased walk, for the vertices of this process.
Result<std::vector<SurferRow>> surfer_rows(const JobGraph& graph,
                                           const ProgramParameters& parameters,
                                           const RunOptions& options) {
  std::vector<SurferRow> rows;
  LEEWAY_TRY(on_rows(graph, options, [&](Group&, const GraphPart& part) -> Status {
    for (std::uint32_t v = 0; v < part.size(); ++v)
      rows.push_back({.strength = row_strength(part, v, parameters.by_weight), .restart = 1});
    return {};
  }));
  const std::vector<double>& shares = parameters.personalization;
  const double sum = sum_of(shares);
  for (std::size_t v = 0; v < shares.size(); ++v)
    rows[v].restart = shares[v] / sum * static_cast<double>(shares.size());
  return rows;
}

/// Gives the rows the ranks before the changes, and marks the readers of vertices whose arcs have changed. Returns their number.
std::size_t continue_in(std::vector<SurferRow>& rows, const Graph& graph,
                        const Continuation& from) {
  for (std::size_t v = 0; v < rows.size(); ++v) rows[v].rank = from.old[v];
  for (const ArcChange& arc : from.arcs) {
    rows[arc.target.index()].starts = true;
    for (const VertexId reader : graph.neighbors(arc.source)) rows[reader.index()].starts = true;
  }
  return static_cast<std::size_t>(
      std::count_if(rows.begin(), rows.end(), [](const SurferRow& row) { return row.starts; }));
}

/// The old rank of the vertices that had no arcs.
double dangling_before(const Graph& graph, const Continuation& from) {
  std::vector<std::int64_t> arcs(from.old.size());
  for (std::uint32_t v = 0; v < arcs.size(); ++v)
    arcs[v] = static_cast<std::int64_t>(graph.degree(VertexId(v)));
  for (const ArcChange& arc : from.arcs)
    arcs[arc.source.index()] += std::int64_t{arc.before} - std::int64_t{arc.after};
  double rank = 0;
  for (std::size_t v = 0; v < arcs.size(); ++v) rank += arcs[v] == 0 ? from.old[v] : 0;
  return rank;
}

/// Continues from the changes, or if they touch many vertices, in sweeps over all of them: these adapt the rank that all vertices get
/// alike, and need fewer sweeps.
template <SurferWalk kWalk>
Result<ProgramResult> continue_pagerank(const JobGraph& graph, const ProgramParameters& parameters,
                                        const RunOptions& options) {
  constexpr std::size_t kMostStarting = 8;  // as a share of the vertices
  LEEWAY_ASSIGN(std::vector<SurferRow> rows, surfer_rows(graph, parameters, options));
  const std::size_t starting = continue_in(rows, *graph.whole, *parameters.continuation);
  const VertexRecords records{std::span<const SurferRow>(rows)};
  PageRankParameters how = parameters.pagerank();
  ProgramResult run;
  if (starting > rows.size() / kMostStarting) {
    constexpr SurferWalk kBiased = kWalk == SurferWalk::Uniform ? SurferWalk::Personal : kWalk;
    LEEWAY_ASSIGN(run, measured(
                           graph.with(records),
                           [&] { return PageRankOf<double, kBiased>(graph.totals(), how); },
                           options, Shown::Real));
  } else {
    how.rescale = false;
    const double dangling = dangling_before(*graph.whole, *parameters.continuation);
    LEEWAY_ASSIGN(
        run, measured(
                 graph.with(records),
                 [&] { return PageRankOf<double, kWalk, true>(graph.totals(), how, dangling); },
                 options, Shown::Real));
  }
  auto& ranks = std::get<std::vector<double>>(run.values.by_vertex);
  scale_to_one(ranks, sum_of(ranks));
  return run;
}

template <class Real, SurferWalk kWalk = SurferWalk::Uniform>
Result<ProgramResult> run_pagerank_of(const JobGraph& given, const ProgramParameters& parameters,
                                      const RunOptions& options) {
  if constexpr (std::is_same_v<Real, double>) {
    if (parameters.continuation) return continue_pagerank<kWalk>(given, parameters, options);
  }
  PageRankParameters how = parameters.pagerank();
  if (options.vertex.iterations)
    how.tolerance = 0;  // every change counts in a fixed number of iterations
  JobGraph graph = given;
  std::vector<SurferRow> rows;
  VertexRecords records;
  if constexpr (kWalk != SurferWalk::Uniform) {
    LEEWAY_ASSIGN(rows, surfer_rows(graph, parameters, options));
    records = VertexRecords(std::span<const SurferRow>(rows));
    graph = graph.with(records);
  }
  LEEWAY_ASSIGN(auto result,
                run_made(
                    graph, [&] { return PageRankOf<Real, kWalk>(graph.totals(), how); }, options));
  if (options.vertex.scheduler != Scheduler::Bsp || !options.vertex.iterations) {
    LEEWAY_ASSIGN(const double sum, sum_of_values(graph, options, sum_of(result.values)));
    scale_to_one(result.values, sum);
  }
  return ProgramResult{{std::move(result.values), Shown::Real}, std::move(result.record)};
}

Result<ProgramResult> run_pagerank(const JobGraph& graph, const ProgramParameters& parameters,
                                   const RunOptions& options) {
  if (parameters.by_weight)
    return run_pagerank_of<double, SurferWalk::Weighted>(graph, parameters, options);
  if (!parameters.personalization.empty())
    return run_pagerank_of<double, SurferWalk::Personal>(graph, parameters, options);
  if (parameters.precision == Precision::Single)
    return run_pagerank_of<float>(graph, parameters, options);
  return run_pagerank_of<double>(graph, parameters, options);
}

double pull_pagerank(const Graph& graph, const ProgramParameters&, std::uint32_t iterations) {
  const reference::PullPageRank kernel(graph);
  return time_of([&] { return kernel.run(iterations); });
}

Result<ProgramResult> run_pagerank_fragments(const Graph& graph,
                                             const ProgramParameters& parameters,
                                             const RunOptions& options) {
  const pie::PiePageRank program =
      pie::quick_pagerank(graph, parameters.pagerank(), options.vertex.threads);
  const auto scaled = [](std::vector<double> values) {
    scale_to_one(values, sum_of(values));
    return ProgramValues{std::move(values), Shown::Real};
  };
  if (!parameters.continuation) return answered(graph, program, options, scaled);
  const Continuation& from = *parameters.continuation;
  const double damping = parameters.damping;
  // The scores before: each vertex had 1 - d besides what its arcs brought, and those without arcs spread nothing.
  const double sum = (1 - damping) / (1 - damping + damping * dangling_before(graph, from)) *
                     static_cast<double>(graph.vertex_count());
  std::vector<double> scores = from.old;
  for (double& score : scores) score *= sum;
  return answered(graph, pie::ContinuedPiePageRank(program, scores), options, scaled);
}

Result<ProgramResult> run_pagerank_fragments_of_part(GraphPart& part,
                                                     const ProgramParameters& parameters,
                                                     const RunOptions& options) {
  pie::PiePageRank program;
  LEEWAY_TRY(with_group(options.cluster, [&](Group& group) -> Status {
    program = pie::quick_pagerank(group, part, parameters.pagerank(), options.vertex.threads);
    return {};
  }));
  LEEWAY_ASSIGN(ProgramResult run, answered(part, program, options, [](std::vector<double> values) {
                  return ProgramValues{std::move(values), Shown::Real};
                }));
  auto& ranks = std::get<std::vector<double>>(run.values.by_vertex);
  LEEWAY_ASSIGN(const double sum, sum_of_parts(options.cluster, sum_of(ranks)));
  scale_to_one(ranks, sum);
  return run;
}

Result<pie::ConditionReport> check_pagerank(const Graph& graph, const ProgramParameters& parameters,
                                            const RunOptions& options,
                                            const pie::CheckOptions& how) {
  return checked(graph, pie::quick_pagerank(graph, parameters.pagerank()), options, how);
}

}  // namespace

const Program& programs::pagerank() {
  static const Program kProgram = {
      .name = "pagerank",
      .summary = "share of a random surfer's time at each vertex",
      .result = "rank; all sum to 1",
      .known_as = {"page_rank", "personalized_pagerank", "weighted_pagerank"},
      .checks_rounds = true,
      .scaled = true,
      .ldbc = Ldbc::Rounds,
      .ldbc_name = "pr",
      .baseline = {"tuned pull kernel, equal number of iterations", pull_pagerank},
      .admit = admit_restarts,
      .verify = verify_pagerank,
      .engines = {{.engine = EngineName::Vertex,
                   .takes = {Parameter::Damping, Parameter::Tolerance, Parameter::ToleranceOf,
                             Parameter::Precision, Parameter::Patience, Parameter::ByWeight,
                             Parameter::Personalization},
                   .rounds_visit_all = true,
                   .continues = true,
                   .memory = vertex_memory<PageRank>,
                   .run = on_whole<run_pagerank>,
                   .run_part = on_part<run_pagerank>},
                  {.engine = EngineName::Pie,
                   .takes = {Parameter::Damping, Parameter::Tolerance, Parameter::ToleranceOf,
                             Parameter::Patience},
                   .splits_rounds = true,
                   .continues = true,
                   .adds_up = pie::adds_up<pie::PiePageRank>(),
                   .memory = fragment_memory<pie::PiePageRank>,
                   .run = run_pagerank_fragments,
                   .run_part = run_pagerank_fragments_of_part,
                   .check = check_pagerank},
                  {.engine = EngineName::Tick,
                   .takes = {Parameter::Damping},
                   .whole = {.arc = 14.8, .vertex = 80},
                   .ticked = ranks_in_ticks},
                  {.engine = EngineName::Piece,
                   .takes = {Parameter::Damping, Parameter::Tolerance},
                   .whole = {.arc = 10.3, .vertex = 36},
                   .ticked = ranks_in_pieces}},
  };
  return kProgram;
}

}  // namespace leeway
