#include "programs/catalog/program_rows.h"
#include "programs/heat/settle.h"
#include "programs/wave/vertex.h"

namespace leeway {

const Program& programs::wave() {
  static const Program kProgram = {
      .name = "wave",
      .summary = "a damped wave on a matrix or grid until convergence",
      .result = "height",
      .admit = admit_diffusion,
      .verify = verify_diffusion,
      .engines = {{.engine = EngineName::Vertex,
                   .takes = {Parameter::RightSide, Parameter::Fixed, Parameter::Tolerance,
                             Parameter::Patience, Parameter::Frames},
                   .memory = vertex_memory<Wave, CellRow>,
                   .run = on_whole<settled<Wave>>,
                   .run_part = on_part<settled<Wave>>}},
  };
  return kProgram;
}

}  // namespace leeway
