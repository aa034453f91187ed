// Scenes from files (--scene): the fish, fish and food, or bodies at the start of a simulation, from a CSV file with one row each.
// The columns have the names of the members of scene::Fish, Food and Body; docs/formats.md describes them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "programs/scene/scenes.h"

namespace leeway {

/// Sorted by id. A random state that the file does not have is drawn from `seed` and the id, as for a generated school.
/// Returns an Input error with file and line.
Result<std::vector<scene::Fish>> read_fish(const std::string& path, const scene::FishModel& model,
                                           std::uint64_t seed);

/// Both sorted by id; the column `table` distinguishes fish and food. Raises the model's `drift` to the speed of the
/// fastest piece. Returns an Input error with file and line.
Result<scene::Pond> read_pond(const std::string& path, const scene::FishModel& model,
                              scene::FoodModel& food, std::uint64_t seed);

/// Sorted by id; `model` has the traps that bodies may be bound to. Returns an Input error with file and line.
Result<std::vector<scene::Body>> read_bodies(const std::string& path,
                                             const scene::NBodyModel& model);

}  // namespace leeway
