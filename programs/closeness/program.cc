#include "programs/catalog/program_rows.h"
#include "programs/closeness/closeness_run.h"

namespace leeway {

namespace {

Result<std::string> verify_closeness(const Graph& graph, const ProgramParameters& parameters,
                                     const RunOptions& options, const ProgramValues& values) {
  return verify_distance_sums(graph, parameters, options, values, DistanceTerm::Distance);
}

Result<ProgramResult> run_closeness(const JobGraph& graph, const ProgramParameters& parameters,
                                    const RunOptions& options) {
  return run_distance_sums(graph, parameters, options, DistanceTerm::Distance);
}

}  // namespace

const Program& programs::closeness() {
  static const Program kProgram = {
      .name = "closeness",
      .summary = "closeness centrality, from all vertices or a sample",
      .result = "reciprocal of the mean distance from other vertices",
      .known_as = {"closeness_centrality", "Closeness", "ApproxCloseness"},
      .verify = verify_closeness,
      .engines = {{.engine = EngineName::Vertex,
                   .takes = {Parameter::Samples, Parameter::ByWeight, Parameter::Seed},
                   .staged = true,
                   .memory = vertex_memory<DistanceSums<true>>,
                   .run = on_whole<run_closeness>,
                   .run_part = on_part<run_closeness>}},
  };
  return kProgram;
}

}  // namespace leeway
