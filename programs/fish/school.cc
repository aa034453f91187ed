#include "programs/fish/school.h"

#include "base/format.h"

namespace leeway {

scene::FishModel fish_model(const SceneParameters& choices) {
  scene::FishModel model;
  model.width = choices.width;
  model.height = choices.height;
  model.visibility = choices.visibility;
  model.reach = choices.reach;
  return model;
}

tick::FishParameters fish_parameters(const TickedSettings& settings, std::uint32_t count) {
  const SceneParameters& choices = settings.scene;
  return {
      .model = fish_model(choices),
      .count = count,
      .informed = choices.informed,
      .goals = choices.goals,
      .seed = settings.seed,
      .partition = choices.quadtree ? tick::FishPartition::Quadtree : tick::FishPartition::Grid};
}

std::string fish_identity(const std::string& name, const TickedSettings& settings) {
  return format("{}, visibility {}, reach {}, seed {}", name, settings.scene.visibility,
                settings.scene.reach, settings.seed);
}

}  // namespace leeway
