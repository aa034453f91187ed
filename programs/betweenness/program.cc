#include <utility>
#include <vector>

#include "programs/betweenness/levels.h"
#include "programs/betweenness/vertex.h"
#include "programs/catalog/found_values.h"
#include "programs/catalog/program_rows.h"
#include "programs/catalog/verify.h"
#include "programs/catalog/vertex_run.h"
#include "programs/reference/centrality.h"

namespace leeway {

namespace {

/// NetworkX's factor: pairs of other vertices, and the share of sources that were used.
double scale_of(std::uint64_t vertices, std::uint64_t sources) {
  const auto n = static_cast<double>(vertices);
  if (vertices <= 2 || sources == 0) return 1;
  return n / static_cast<double>(sources) / ((n - 1) * (n - 2));
}

Verified verify_betweenness(const Graph& graph, const ProgramParameters& parameters,
                            const RunOptions& options, const ProgramValues& values) {
  const PathSources sources(graph, parameters, options.cluster.seed);
  Reals expected = reference::dependencies(graph, sources.list());
  const double scale = scale_of(graph.vertex_count(), sources.count());
  for (double& value : expected) value *= scale;
  return close(graph, reals(values), expected, 1e-12);
}

/// The supersteps of bsp. The virtual cluster simulates them by the stages instead.
Result<ProgramResult> run_levels(const JobGraph& graph, const PathSources& sources,
                                 const RunOptions& options) {
  std::uint64_t supersteps = 0;
  const auto find = [&](Group& group, const GraphPart& part) -> Result<Array<DependencyRow>> {
    LEEWAY_ASSIGN(auto found, sum_dependencies(group, part, sources, threads_here(options)));
    supersteps = found.supersteps;
    return std::move(found.rows);
  };
  LEEWAY_ASSIGN(auto run, run_found(graph, options, find));
  return ProgramResult{{std::move(run.values), Shown::Real},
                       std::move(run.record),
                       {{"supersteps", static_cast<double>(supersteps)}}};
}

Result<ProgramResult> run_betweenness(const JobGraph& graph, const ProgramParameters& parameters,
                                      const RunOptions& options) {
  const GraphTotals totals = graph.totals();
  const auto sources = PathSources::for_run(totals, parameters, options.cluster.seed);
  const bool by_levels = options.vertex.scheduler == Scheduler::Bsp &&
                         options.cluster.fabric != Fabric::Sim && !options.snapshots &&
                         !options.resume;
  ProgramResult run;
  if (by_levels) {
    LEEWAY_ASSIGN(run, run_levels(graph, *sources, options));
  } else {
    LEEWAY_ASSIGN(run, measured(
                           graph, [&] { return BetweennessStages(sources, totals.directed); },
                           options, Shown::Real));
  }
  auto& values = std::get<std::vector<double>>(run.values.by_vertex);
  const double scale = scale_of(totals.vertices, sources->count());
  for (double& value : values) value *= scale;
  return run;
}

double brandes(const Graph& graph, const ProgramParameters& parameters, std::uint32_t) {
  return time_of([&] { return reference::dependencies(graph, {parameters.source}); });
}

}  // namespace

const Program& programs::betweenness() {
  static const Program kProgram = {
      .name = "betweenness",
      .summary = "share of shortest paths through each vertex, from all vertices, a sample or one",
      .result = "share of the pairs of other vertices",
      .known_as = {"betweenness_centrality", "Betweenness", "bc"},
      .baseline = {"sequential Brandes, one source", brandes},
      .verify = verify_betweenness,
      .engines = {{.engine = EngineName::Vertex,
                   .takes = {Parameter::Source, Parameter::Samples, Parameter::Seed},
                   .staged = true,
                   .by_levels = true,
                   .memory = vertex_memory<BetweennessStages>,
                   .run = on_whole<run_betweenness>,
                   .run_part = on_part<run_betweenness>}},
  };
  return kProgram;
}

}  // namespace leeway
