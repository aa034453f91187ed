#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "programs/betweenness/vertex.h"
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
  std::vector<VertexId> begun;
  for (std::uint64_t i = 0; i < sources.count(); ++i) begun.push_back(sources.at(i));
  Reals expected = reference::dependencies(graph, begun);
  const double scale = scale_of(graph.vertex_count(), sources.count());
  for (double& value : expected) value *= scale;
  return close(graph, reals(values), expected, 1e-12);
}

Result<ProgramResult> run_betweenness(const JobGraph& graph, const ProgramParameters& parameters,
                                      const RunOptions& options) {
  const GraphTotals totals = graph.totals();
  const auto sources =
      std::make_shared<const PathSources>(totals, parameters, options.cluster.seed);
  LEEWAY_ASSIGN(auto run, measured(
                              graph, [&] { return BetweennessStages(sources, totals.directed); },
                              options, Shown::Real));
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
                   .memory = vertex_memory<BetweennessStages>,
                   .run = on_whole<run_betweenness>,
                   .run_part = on_part<run_betweenness>}},
  };
  return kProgram;
}

}  // namespace leeway
