#include "programs/catalog/program_rows.h"
#include "programs/closeness/closeness_run.h"

namespace leeway {

namespace {

Result<std::string> verify_harmonic(const Graph& graph, const ProgramParameters& parameters,
                                    const RunOptions& options, const ProgramValues& values) {
  return verify_distance_sums(graph, parameters, options, values, DistanceTerm::Reciprocal);
}

Result<ProgramResult> run_harmonic(const JobGraph& graph, const ProgramParameters& parameters,
                                   const RunOptions& options) {
  return run_distance_sums(graph, parameters, options, DistanceTerm::Reciprocal);
}

}  // namespace

const Program& programs::harmonic() {
  static const Program kProgram = {
      .name = "harmonic",
      .summary = "harmonic centrality, from all vertices or a sample",
      .result = "sum of the reciprocal distances from other vertices",
      .known_as = {"harmonic_centrality", "HarmonicCloseness"},
      .verify = verify_harmonic,
      .engines = {{.engine = EngineName::Vertex,
                   .takes = {Parameter::Samples, Parameter::ByWeight, Parameter::Seed},
                   .staged = true,
                   .memory = vertex_memory<DistanceSums<true>>,
                   .run = on_whole<run_harmonic>,
                   .run_part = on_part<run_harmonic>}},
  };
  return kProgram;
}

}  // namespace leeway
