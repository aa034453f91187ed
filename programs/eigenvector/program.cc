#include <utility>
#include <vector>

#include "base/format.h"
#include "programs/catalog/program_rows.h"
#include "programs/catalog/verify.h"
#include "programs/catalog/vertex_run.h"
#include "programs/eigenvector/vertex.h"
#include "programs/reference/centrality.h"

namespace leeway {

namespace {

constexpr double kPowerTolerance = 1e-9;

Verified verify_eigenvector(const Graph& graph, const ProgramParameters& parameters,
                            const RunOptions& options, const ProgramValues& values) {
  if (options.vertex.iterations || parameters.tolerance.value_or(0) > kPowerTolerance)
    return std::string("not checked: the run does not end at the eigenvector");
  return stays(reference::eigenvector_error(graph, reals(values), parameters.by_weight));
}

template <bool kByWeight>
Result<ProgramResult> run_eigenvector_of(const JobGraph& graph, const ProgramParameters& parameters,
                                         const RunOptions& options) {
  LEEWAY_ASSIGN(const double strongest, strongest_row(graph, options, kByWeight));
  // The sum of all values, between 1 and `strongest` + 1, is added up in whole units of 2^-60 of its bound, rounded for each vertex.
  constexpr double kMostSpread = 1125899906842624.0;  // 2^50
  if (strongest * static_cast<double>(graph.totals().vertices) > kMostSpread) {
    return fail(input_error("--by-weight",
                            format("the weights of a vertex's arcs sum to {:.3g}, too much for "
                                   "exact sums over {} vertices",
                                   strongest, graph.totals().vertices),
                            "divide all weights by a number: the eigenvector stays the same"));
  }
  const double tolerance = tolerance_for(parameters, options, kPowerTolerance);
  LEEWAY_ASSIGN(auto run, measured(
                              graph,
                              [&] {
                                return EigenvectorPower<kByWeight>(graph.totals().vertices,
                                                                   strongest, tolerance);
                              },
                              with_limit(options), Shown::Real));
  LEEWAY_TRY(
      scale_to_norm_one(graph, options, std::get<std::vector<double>>(run.values.by_vertex)));
  return run;
}

Result<ProgramResult> run_eigenvector(const JobGraph& graph, const ProgramParameters& parameters,
                                      const RunOptions& options) {
  return parameters.by_weight ? run_eigenvector_of<true>(graph, parameters, options)
                              : run_eigenvector_of<false>(graph, parameters, options);
}

}  // namespace

const Program& programs::eigenvector() {
  static const Program kProgram = {
      .name = "eigenvector",
      .summary = "eigenvector centrality, by power iteration",
      .result = "centrality; the sum of squares is 1",
      .known_as = {"eigenvector_centrality", "EigenvectorCentrality"},
      .verify = verify_eigenvector,
      .engines = {{.engine = EngineName::Vertex,
                   .takes = {Parameter::ByWeight, Parameter::Tolerance, Parameter::Patience},
                   .rounds_visit_all = true,
                   .needs_supersteps = true,
                   .memory = vertex_memory<EigenvectorPower<true>>,
                   .run = on_whole<run_eigenvector>,
                   .run_part = on_part<run_eigenvector>}},
  };
  return kProgram;
}

}  // namespace leeway
