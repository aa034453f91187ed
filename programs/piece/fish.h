// AsyTick's first benchmark under the piece engine: Couzin's school of fish, as Algorithm 3 writes it.
// The same bits as reference/fish.h gives, on any number of nodes, in any of the four systems.
#pragma once

#include <vector>

#include "leeway/programs/piece/simulation.h"
#include "leeway/programs/scene/fish.h"

namespace leeway::piece {

struct FishJob {
  scene::FishModel model;
  std::vector<scene::Fish> fish;
  std::uint32_t pieces = 16;  ///< a worker's
  Prices prices;
};

/// An Input error for fish that cannot be simulated, or no pieces.
Result<SimulationRun<scene::Fish>> run_fish(const FishJob& job, const ClusterOptions& cluster,
                                            const Options& options,
                                            const PieceEnds<scene::Fish>& ends = {});

}  // namespace leeway::piece
