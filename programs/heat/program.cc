#include "programs/catalog/program_rows.h"
#include "programs/heat/settle.h"
#include "programs/heat/vertex.h"

namespace leeway {

const Program& programs::heat() {
  static const Program kProgram = {
      .name = "heat",
      .summary = "heat that spreads over a matrix or grid until convergence",
      .result = "temperature",
      .admit = admit_diffusion,
      .verify = verify_diffusion,
      .engines = {{.engine = EngineName::Vertex,
                   .takes = {Parameter::RightSide, Parameter::Fixed, Parameter::Tolerance,
                             Parameter::Patience, Parameter::Frames},
                   .continues = true,
                   .memory = vertex_memory<Heat, CellRow>,
                   .run = on_whole<settled<Heat>>,
                   .run_part = on_part<settled<Heat>>}},
  };
  return kProgram;
}

}  // namespace leeway
