// What a simulation under the piece engine gives back: what there was at the end, ordered by id, what
// there was at some ticks before, and how the run went.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "leeway/runtime/piece/run_pieces.h"

namespace leeway::piece {

/// Picoseconds of computing, for where time is virtual.
struct Prices {
  std::uint64_t pair = 10'000;   ///< one thing's effect on another
  std::uint64_t thing = 60'000;  ///< a thing's next state, from its sum
  std::uint64_t look = 5'000;    ///< a thing that arrived, sorted or passed over
};

template <class Thing>
struct SimulationRun {
  std::vector<Thing> things;  ///< after the last tick, by id
  /// (tick, all things by id) of each tick that was asked for.
  std::vector<std::pair<std::uint32_t, std::vector<Thing>>> frames;
  PieceRecord record;
};

template <class Thing>
[[nodiscard]] SimulationRun<Thing> simulation_of(PieceRun run, bool frames) {
  SimulationRun<Thing> simulation;
  for (const Snapshot& snapshot : run.snapshots) {
    std::vector<Thing> things = objects_of<Thing>(snapshot.pieces);
    std::sort(things.begin(), things.end(),
              [](const Thing& a, const Thing& b) { return a.id < b.id; });
    if (frames) simulation.frames.emplace_back(snapshot.tick.value(), things);
    simulation.things = std::move(things);
  }
  simulation.record = std::move(run.record);
  return simulation;
}

}  // namespace leeway::piece
