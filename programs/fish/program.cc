#include <span>
#include <string>
#include <utility>
#include <vector>

#include "programs/catalog/program_rows.h"
#include "programs/catalog/scene_run.h"
#include "programs/fish/school.h"
#include "programs/fish/tick.h"
#include "programs/reference/oracles.h"
#include "programs/scene/scene_file.h"
#include "programs/scene/spatial.h"

namespace leeway {

namespace {

std::string hash_of(const scene::FishModel& model, std::span<const scene::Fish> school) {
  SceneHash hash;
  add_school(model, school, hash);
  return hash.text();
}

std::uint32_t fish_asked(const SceneParameters& choices) {
  return choices.fish.value_or(SceneParameters::kFish);
}

std::vector<MemoryDemand> room_for_fish(const TickedSettings& settings, std::uint64_t bytes_each) {
  if (!settings.scene.file.empty()) return {};
  return {{"--fish", "fish", fish_asked(settings.scene), bytes_each}};
}

/// `made`: this process needs the initial state, although it is generated.
Result<Scene<scene::Fish>> school_of(const TickedSettings& settings, bool made) {
  const SceneParameters& choices = settings.scene;
  const scene::FishModel model = fish_model(choices);
  Scene<scene::Fish> scene;
  scene.count = fish_asked(choices);
  if (!choices.file.empty()) {
    LEEWAY_ASSIGN(scene.first, read_fish(choices.file, model, settings.seed));
    scene.count = scene.first.size();
    LEEWAY_TRY(check_count(choices, "fish", "fish", choices.fish, scene.count));
  } else if (made) {
    scene.first =
        scene::school(model, fish_asked(choices), choices.informed, choices.goals, settings.seed);
  }
  scene.name = format("{} fish in a basin of {} x {}", scene.count, choices.width, choices.height);
  scene.identity = fish_identity(scene.name, settings);
  scene.hash = hash_of(model, scene.first);
  scene.after = [model](std::vector<scene::Fish> first, std::uint32_t ticks) {
    return reference::fish_after(model, std::move(first), ticks);
  };
  set_moving(programs::fish().name, {choices.visibility, choices.width, choices.height},
             &scene::Fish::goal, scene);
  return scene;
}

class SchoolInTicks final : public SceneInTicks<scene::Fish, tick::FishTable> {
 public:
  using SceneInTicks::SceneInTicks;

  [[nodiscard]] std::vector<MemoryDemand> memory() const override {
    return room_for_fish(settings(), tuple_bytes(sizeof(scene::Fish), settings().cluster));
  }

 private:
  Result<Scene<scene::Fish>> make() override {
    return school_of(settings(), settings().makes_state);
  }
  [[nodiscard]] Box all() const override { return Box::everywhere(); }
  Result<tick::FishRun> step(const tick::TickOptions& options,
                             const tick::FishEnds& ends) override {
    const tick::FishParameters fish =
        fish_parameters(settings(), static_cast<std::uint32_t>(scene().count));
    return is_read() ? run_fish(fish, scene().first, options, settings().cluster, ends)
                     : run_fish(fish, options, settings().cluster, ends);
  }
  [[nodiscard]] std::span<const scene::Fish> things_of(const tick::FishTable& state) override {
    return state.tuples();
  }
};

class SchoolInPieces final : public SceneInPieces<scene::FishModel, scene::Fish> {
 public:
  using SceneInPieces::SceneInPieces;

  [[nodiscard]] std::vector<MemoryDemand> memory() const override {
    return room_for_fish(settings(), 4 * sizeof(scene::Fish));
  }

 private:
  Result<Scene<scene::Fish>> make() override { return school_of(settings(), true); }
  [[nodiscard]] scene::FishModel model() const override { return fish_model(settings().scene); }
};

}  // namespace

const Program& programs::fish() {
  constexpr ParameterSet kTakes = {Parameter::Seed, Parameter::Fish, Parameter::SceneFile,
                                   Parameter::Frames};
  static const Program kProgram = {
      .name = "fish",
      .summary = "a school of fish that keep together (Couzin)",
      .result = "frames, with --frames",
      .input = ProgramInput::Scene,
      .exact = true,
      .engines = {{.engine = EngineName::Tick, .takes = kTakes, .ticked = ticked_by<SchoolInTicks>},
                  {.engine = EngineName::Piece,
                   .takes = kTakes,
                   .ticked = ticked_by<SchoolInPieces>}},
  };
  return kProgram;
}

}  // namespace leeway
