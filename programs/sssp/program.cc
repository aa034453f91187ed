#include <utility>
#include <vector>

#include "base/parallel.h"
#include "programs/catalog/pie_run.h"
#include "programs/catalog/program_rows.h"
#include "programs/catalog/verify.h"
#include "programs/catalog/vertex_run.h"
#include "programs/reference/oracles.h"
#include "programs/sssp/continued_run.h"
#include "programs/sssp/pie.h"
#include "programs/sssp/vertex.h"
#include "runtime/cluster/group.h"

namespace leeway {

namespace {

Verified verify_sssp(const Graph& graph, const ProgramParameters& parameters, const RunOptions&,
                     const ProgramValues& values) {
  if (graph.vertex_count() == 0) return std::string("nothing to check");
  return same(graph, reals(values), reference::shortest_distances(graph, parameters.source));
}

Result<ProgramResult> run_sssp(const JobGraph& graph, const ProgramParameters& parameters,
                               const RunOptions& options) {
  if (parameters.continuation) return run_continued(graph, parameters, options, true);
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

ProgramValues distances(std::vector<double> values) { return {std::move(values), Shown::Distance}; }

Result<ProgramResult> run_sssp_fragments(const Graph& graph, const ProgramParameters& parameters,
                                         const RunOptions& options) {
  const pie::PieSssp program(graph, parameters.source, pie::arcs_a_round(graph, options));
  if (parameters.continuation)
    return run_continued_fragments(graph, program, parameters, options, distances);
  return answered(graph, program, options, distances);
}

Result<ProgramResult> run_sssp_fragments_of_part(GraphPart& part,
                                                 const ProgramParameters& parameters,
                                                 const RunOptions& options) {
  LEEWAY_ASSIGN(const double weights,
                sum_of_parts(options.cluster, sum_of(part.lists.weights.span())));
  const pie::PieSssp program(part.totals, weights, parameters.source,
                             pie::arcs_a_round(part.totals, options));
  return answered(part, program, options, distances);
}

Result<pie::ConditionReport> check_sssp(const Graph& graph, const ProgramParameters& parameters,
                                        const RunOptions& options, const pie::CheckOptions& how) {
  return checked(graph, pie::PieSssp(graph, parameters.source, pie::arcs_a_round(graph, options)),
                 options, how);
}

}  // namespace

const Program& programs::sssp() {
  static const Program kProgram = {
      .name = "sssp",
      .summary = "length of the shortest path from a source",
      .result = "length, or infinity",
      .known_as = {"single_source_dijkstra", "single_source_dijkstra_path_length", "dijkstra",
                   "dijkstra_path_length", "single_source_bellman_ford_path_length",
                   "shortest_path", "shortest_path_length", "shortest_paths"},
      .exact = true,
      .weighted = true,
      .ldbc = Ldbc::Values,
      .ldbc_name = "sssp",
      .shown = Shown::Distance,
      .baseline = {"tuned delta-stepping", time_delta_stepping},
      .verify = verify_sssp,
      .engines = {{.engine = EngineName::Vertex,
                   .takes = {Parameter::Source},
                   .selects = true,
                   .continues = true,
                   .memory = vertex_memory<Sssp>,
                   .run = on_whole<run_sssp>,
                   .run_part = on_part<run_sssp>},
                  {.engine = EngineName::Pie,
                   .takes = {Parameter::Source},
                   .continues = true,
                   .memory = fragment_memory<pie::PieSssp>,
                   .run = run_sssp_fragments,
                   .run_part = run_sssp_fragments_of_part,
                   .check = check_sssp}},
  };
  return kProgram;
}

}  // namespace leeway
