// What is simulated, whichever engine steps it: the first state, and what a run says, checks and writes of the
// last. An engine adds how it is stepped (run_tick.cc, run_piece.cc).
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "leeway/cli/options.h"
#include "leeway/cli/result_table.h"
#include "leeway/programs/scene/fish.h"
#include "leeway/programs/scene/nbody.h"
#include "leeway/programs/scene/plate.h"

namespace leeway::cli {

/// Things at some ticks, by id: views of what a run holds.
template <class Thing>
using Pictures = std::vector<std::pair<std::uint32_t, std::span<const Thing>>>;

template <class Thing>
struct Scene {
  std::string name;          ///< "1000 fish in a basin of 100 x 100"
  std::string identity;      ///< and what else tells it from others, for snapshots
  std::uint64_t count = 0;   ///< of things or cells
  std::vector<Thing> first;  ///< empty in a process that need not know it
  /// Of every parameter of the model and the first state: two runs of as many ticks that have the same one compute the
  /// same, whatever engine runs them; `leeway compare` warns of others.
  std::string hash;
  std::function<bool(std::uint64_t ticks)> verifies;
  /// The sequential answer.
  std::function<std::vector<Thing>(std::vector<Thing> first, std::uint32_t ticks)> after;
  std::function<ResultTable(std::span<const Thing>)> table;
  /// For a player; none: it does not move.
  std::function<std::string(std::span<const Thing>, const Pictures<Thing>&)> film = {};
};

[[nodiscard]] scene::FishModel fish_model(const Options& options);
[[nodiscard]] scene::Plate plate_of(const Options& options);

/// `made`: this process is to know the first state. What they refer to of `options` outlives them.
[[nodiscard]] Scene<scene::Fish> fish_scene(const Options& options, bool made);
[[nodiscard]] Scene<double> plate_scene(const Options& options, bool made);
/// Puts the traps of the scene's groups into `model`.
[[nodiscard]] Scene<scene::Body> nbody_scene(const Options& options, scene::NBodyModel& model);

}  // namespace leeway::cli
