#include <algorithm>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "programs/catalog/program_rows.h"
#include "programs/catalog/scene_run.h"
#include "programs/reference/oracles.h"
#include "programs/scene/hash.h"
#include "programs/scene/scene_file.h"
#include "programs/scene/scenes.h"
#include "programs/scene/spatial.h"

namespace leeway {

namespace {

std::string hash_of(const scene::NBodyModel& model, std::span<const scene::Body> bodies) {
  SceneHash hash;
  hash.add({model.width, model.height, model.radius, model.reach, model.strength, model.softening});
  hash.add(model.traps.size());
  for (const scene::Trap& trap : model.traps) hash.add({trap.x, trap.y, trap.stiffness});
  hash.add(bodies.size());
  for (const scene::Body& body : bodies) {
    hash.add(body.id);
    hash.add(body.trap);
    hash.add({body.x, body.y, body.vx, body.vy});
  }
  return hash.text();
}

class BodiesInPieces final : public SceneInPieces<scene::NBodyModel, scene::Body> {
 public:
  using SceneInPieces::SceneInPieces;

  [[nodiscard]] std::vector<MemoryDemand> memory() const override {
    if (is_read()) return {};
    return {{"--bodies", "bodies", bodies(), 4 * sizeof(scene::Body)}};
  }

 private:
  [[nodiscard]] std::uint32_t bodies() const {
    return settings().scene.bodies.value_or(SceneParameters::kBodies);
  }

  /// Also sets the model, with the traps of the scene's groups.
  Result<Scene<scene::Body>> make() override {
    const SceneParameters& choices = settings().scene;
    model_.width = choices.box_width;
    model_.height = choices.box_height;
    model_.radius = choices.cutoff;
    model_.reach = std::min(choices.box_width, choices.box_height) / 16;
    Scene<scene::Body> scene;
    scene.first = scene::nbody_scene(
        {.bodies = is_read() ? 0 : bodies(), .groups = choices.groups, .seed = settings().seed},
        model_);
    if (is_read()) {
      LEEWAY_ASSIGN(scene.first, read_bodies(choices.file, model_));
      LEEWAY_TRY(check_count(choices, "bodies", "bodies", choices.bodies, scene.first.size()));
    }
    scene.count = scene.first.size();
    scene.name =
        format("{} bodies in a box of {} x {}", scene.count, choices.box_width, choices.box_height);
    scene.identity = format("{}, cutoff {}, groups {}, seed {}", scene.name, choices.cutoff,
                            choices.groups, settings().seed);
    scene.hash = hash_of(model_, scene.first);
    scene.after = [model = model_](std::vector<scene::Body> first, std::uint32_t ticks) {
      return reference::bodies_after(model, std::move(first), ticks);
    };
    set_moving(programs::nbody().name, {choices.cutoff, choices.box_width, choices.box_height},
               &scene::Body::trap, scene);
    return scene;
  }
  [[nodiscard]] scene::NBodyModel model() const override { return model_; }

  scene::NBodyModel model_;
};

}  // namespace

const Program& programs::nbody() {
  static const Program kProgram = {
      .name = "nbody",
      .summary = "bodies that attract each other up to a distance",
      .result = "frames, with --frames",
      .input = ProgramInput::Scene,
      .exact = true,
      .engines = {{.engine = EngineName::Piece,
                   .takes = {Parameter::SceneSeed, Parameter::Bodies, Parameter::SceneFile,
                             Parameter::Frames},
                   .ticked = ticked_by<BodiesInPieces>}},
  };
  return kProgram;
}

}  // namespace leeway
