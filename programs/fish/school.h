// The fish of a school from the user's choices, for all programs with fish and both engines.
#pragma once

#include "programs/catalog/ticked_run.h"
#include "programs/fish/tick.h"
#include "programs/scene/hash.h"
#include "programs/scene/scenes.h"

namespace leeway {

[[nodiscard]] scene::FishModel fish_model(const SceneParameters& choices);
/// `count`: number of fish.
[[nodiscard]] tick::FishParameters fish_parameters(const TickedSettings& settings,
                                                   std::uint32_t count);
/// The basin and all other parameters, for snapshots. `name`: of the scene.
[[nodiscard]] std::string fish_identity(const std::string& name, const TickedSettings& settings);

/// Adds the model and the fish.
template <class Fishes>
void add_school(const scene::FishModel& model, const Fishes& school, SceneHash& hash) {
  hash.add({model.width, model.height, model.visibility, model.reach, model.personal, model.turn,
            model.noise, model.insistence});
  for (const scene::Heading& goal : model.goals) hash.add({goal.x, goal.y});
  hash.add(school.size());
  for (const scene::Fish& fish : school) {
    hash.add(fish.id);
    hash.add(fish.goal);
    hash.add({fish.x, fish.y, fish.vx, fish.vy});
    hash.add(fish.random);
  }
}

}  // namespace leeway
