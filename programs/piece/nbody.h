// The n-body benchmark of AsyTick under the piece engine: bodies that pull at each other up to a cut-off.
// The same bits as reference/nbody.h gives, on any number of nodes, in any of the four systems.
#pragma once

#include <vector>

#include "leeway/programs/piece/simulation.h"
#include "leeway/programs/scene/nbody.h"

namespace leeway::piece {

struct NBodyJob {
  scene::NBodyModel model;
  std::vector<scene::Body> bodies;
  std::uint32_t pieces = 16;  ///< a worker's
  Prices prices;
};

/// An Input error for bodies that cannot be simulated, or no pieces.
Result<SimulationRun<scene::Body>> run_nbody(const NBodyJob& job, const ClusterOptions& cluster,
                                             const Options& options,
                                             const PieceEnds<scene::Body>& ends = {});

}  // namespace leeway::piece
