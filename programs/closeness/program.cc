#include "programs/catalog/program_rows.h"
#include "programs/closeness/closeness_run.h"

namespace leeway {

const Program& programs::closeness() {
  static const Program kProgram = {
      .name = "closeness",
      .summary = "closeness centrality, from all vertices or a sample",
      .result = "reciprocal of the mean distance from other vertices",
      .known_as = {"closeness_centrality", "Closeness", "ApproxCloseness"},
      .verify = verify_distance_sums<DistanceTerm::Distance>,
      .engines = {{.engine = EngineName::Vertex,
                   .takes = {Parameter::Samples, Parameter::ByWeight, Parameter::Seed},
                   .staged = true,
                   .memory = vertex_memory<DistanceSums<true>>,
                   .run = on_whole<run_distance_sums<DistanceTerm::Distance>>,
                   .run_part = on_part<run_distance_sums<DistanceTerm::Distance>>}},
  };
  return kProgram;
}

}  // namespace leeway
