#include "programs/catalog/program_rows.h"
#include "programs/closeness/closeness_run.h"

namespace leeway {

const Program& programs::harmonic() {
  static const Program kProgram = {
      .name = "harmonic",
      .summary = "harmonic centrality, from all vertices or a sample",
      .result = "sum of the reciprocal distances from other vertices",
      .known_as = {"harmonic_centrality", "HarmonicCloseness"},
      .verify = verify_distance_sums<DistanceTerm::Reciprocal>,
      .engines = {{.engine = EngineName::Vertex,
                   .takes = {Parameter::Samples, Parameter::ByWeight, Parameter::Seed},
                   .staged = true,
                   .memory = vertex_memory<DistanceSums<true>>,
                   .run = on_whole<run_distance_sums<DistanceTerm::Reciprocal>>,
                   .run_part = on_part<run_distance_sums<DistanceTerm::Reciprocal>>}},
  };
  return kProgram;
}

}  // namespace leeway
