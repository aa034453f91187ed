// What a simulation under the piece engine gives back: what there was at the end, ordered by id, what
// there was at some ticks before, and how the run went.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
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

/// Where a run begins, and what is kept of it under way, to begin with: all things in the order of the result.
template <class Thing>
struct PieceEnds {
  const std::vector<Thing>* from = nullptr;  ///< null: at the beginning
  std::uint32_t every = 0;                   ///< ticks between two calls of `keep`; 0: never
  std::function<void(TickId, const std::vector<Thing>&)> keep;
};

/// The engine's options, with what is kept put by `things_of` into things.
template <class Thing, class ThingsOf>
[[nodiscard]] Options with_keeper(const Options& options, const PieceEnds<Thing>& ends,
                                  ThingsOf things_of) {
  Options keeping = options;
  keeping.keep_every = ends.every;  // also where only another process keeps what is sent for it
  keeping.keep = [keep = ends.keep, things_of](TickId tick,
                                               std::span<const std::vector<std::byte>> pieces) {
    if (keep) keep(tick, things_of(pieces));
  };
  return keeping;
}

template <class Thing>
[[nodiscard]] std::vector<Thing> things_by_id(std::span<const std::vector<std::byte>> pieces) {
  std::vector<Thing> things = objects_of<Thing>(pieces);
  std::sort(things.begin(), things.end(),
            [](const Thing& a, const Thing& b) { return a.id < b.id; });
  return things;
}

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
  for (const TickValues& snapshot : run.snapshots) {
    std::vector<Thing> things = things_by_id<Thing>(snapshot.pieces);
    if (frames) simulation.frames.emplace_back(snapshot.tick.value(), things);
    simulation.things = std::move(things);
  }
  simulation.record = std::move(run.record);
  return simulation;
}

}  // namespace leeway::piece
