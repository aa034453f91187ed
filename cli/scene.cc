#include "cli/scene.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <initializer_list>
#include <limits>

#include "base/bytes.h"
#include "base/format.h"
#include "base/json.h"
#include "cli/job_agreement.h"
#include "cli/result_table.h"
#include "cli/run.h"
#include "cli/scene_file.h"
#include "leeway/graph.h"
#include "programs/reference/oracles.h"

namespace leeway::cli {

namespace {

/// Positions are integers in units of 1/4096 of the longer side: finer than a screen, shorter than decimals.
constexpr double kSteps = 4096;
/// Number of shades between the smallest and greatest value of a film.
constexpr std::int64_t kShades = 255;

std::int64_t in_steps(double value, double side) {
  return std::isfinite(value) ? std::llround(value / side * kSteps) : -1;
}

}  // namespace

std::string film_json(const Film& film) {
  const double side = std::max(film.width, film.height);
  JsonWriter json(JsonWriter::JsonLayout::Lines);
  json.object([&] {
    json.member("leeway_film", 1).member("program", film.program);
    json.member("width", film.width).member("height", film.height).member("steps", kSteps);
    json.member("kinds", film.kinds);
    json.key("frames").array(film.pictures, [&](const Film::FilmFrame& picture) {
      json.object([&] {
        json.member("tick", picture.tick).key("at").array([&] {
          for (const auto& [x, y] : picture.places)
            json.value(in_steps(x, side)).value(in_steps(y, side));
        });
      });
    });
  });
  return std::move(json).text();
}

std::string film_json(const CellFilm& film) {
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  for (const auto& picture : film.pictures) {
    for (const double value : picture.values) {
      if (!std::isfinite(value)) continue;
      low = std::min(low, value);
      high = std::max(high, value);
    }
  }
  if (!(low <= high)) low = high = 0;
  const double range = high > low ? high - low : 1;
  JsonWriter json(JsonWriter::JsonLayout::Lines);
  json.object([&] {
    json.member("leeway_film", 1).member("program", film.program);
    json.member("width", film.width).member("height", film.height).member("steps", kShades);
    json.member("low", low).member("high", high);
    json.key("kinds").array([] {});
    json.key("frames").array(film.pictures, [&](const CellFilm::CellFrame& picture) {
      json.object([&] {
        json.member("tick", picture.iteration).key("cells").array([&] {
          for (const double value : picture.values)
            json.value(std::isfinite(value) ? std::llround((value - low) / range * kShades)
                                            : std::int64_t{-1});
        });
      });
    });
  });
  return std::move(json).text();
}

std::optional<std::pair<std::uint32_t, std::uint32_t>> plane_of(std::string_view graph) {
  const auto size = size_of_spec(graph, {});
  if (!size || size->width == 0) return std::nullopt;
  return std::pair(size->width, size->height);
}

namespace {

/// A hash over words, like a graph's, so that padding bytes do not matter.
class SceneHash {
 public:
  void add(std::uint64_t word) { hash_ = mix64(hash_ ^ word) + 1; }
  void add(std::initializer_list<double> numbers) {
    for (const double number : numbers) add(std::bit_cast<std::uint64_t>(number));
  }
  [[nodiscard]] std::string text() const { return format("{:016x}", mix64(hash_)); }

 private:
  std::uint64_t hash_ = 0;
};

std::string scene_hash(const scene::FishModel& model, std::span<const scene::Fish> school) {
  SceneHash hash;
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
  return hash.text();
}

std::string scene_hash(const scene::NBodyModel& model, std::span<const scene::Body> bodies) {
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

std::string scene_hash(const scene::Plate& plate, std::span<const double> heat) {
  SceneHash hash;
  hash.add(plate.columns);
  hash.add(plate.rows);
  for (const double cell : heat) hash.add({cell});
  return hash.text();
}

/// Sets verification, table and frames of a scene whose things interact up to distance `range`. `kind`: the member by
/// which a player colours them.
template <class Thing>
void set_moving(const CommandOptions& options, std::string program, double range, double width,
                double height, std::uint32_t Thing::*kind, Scene<Thing>& scene) {
  scene.verifies = [&options, count = scene.count, range, width](std::uint64_t ticks) {
    return verifies_pairs(options, count, range, width, ticks);
  };
  scene.table = things_table<std::span<const Thing>>;
  scene.film = [=](std::span<const Thing> things, const Pictures<Thing>& pictures) {
    Film film{.program = program, .width = width, .height = height};
    for (const Thing& thing : things) film.kinds.push_back(thing.*kind);
    for (const auto& [tick, shown] : pictures) film.add(tick, shown);
    return film_json(film);
  };
}

}  // namespace

scene::FishModel fish_model(const CommandOptions& options) {
  const SceneParameters& choices = options.scene;
  scene::FishModel model;
  model.width = choices.width;
  model.height = choices.height;
  model.visibility = choices.visibility;
  model.reach = choices.reach;
  return model;
}

scene::Plate plate_of(const CommandOptions& options) {
  return {options.scene.columns, options.scene.rows};
}

namespace {

/// Checks the number of things in the file against a number that was given.
Status check_count(const CommandOptions& options, std::string_view flag, std::string_view things,
                   std::uint64_t given, std::uint64_t count) {
  const bool asked = find_given(options, flag) != nullptr;
  if (!asked || given == count) return {};
  return fail(input_error(options.scene.file,
                          format("it has {} {}, and --{} asks for {}", count, things, flag, given),
                          format("leave --{} out", flag)));
}

/// The things of --scene, which all processes of `job` must have read alike. Collective.
template <class Model, class Thing>
Result<std::vector<Thing>> agreed_things(const CommandOptions& options, std::string_view flag,
                                         std::string_view name, std::uint64_t given,
                                         const Model& model, Job* job,
                                         Result<std::vector<Thing>> read) {
  if (read) {
    if (Status same = check_count(options, flag, name, given, read->size()); !same)
      read = fail(std::move(same).error());
  }
  LEEWAY_ASSIGN(std::vector<Thing> things, agree_in_job(job, std::move(read)));
  LEEWAY_TRY(agree_on_content(job, options.scene.file, scene_hash(model, things)));
  return things;
}

}  // namespace

Result<Scene<scene::Fish>> fish_scene(const CommandOptions& options, bool made, Job* job) {
  const SceneParameters& choices = options.scene;
  const scene::FishModel model = fish_model(options);
  const std::uint64_t seed = options.load.seed;
  Scene<scene::Fish> scene;
  scene.count = choices.fish;
  if (!choices.file.empty()) {
    LEEWAY_ASSIGN(scene.first, agreed_things(options, "fish", "fish", choices.fish, model, job,
                                             read_fish(choices.file, model, seed)));
    scene.count = scene.first.size();
  } else if (made) {
    scene.first = scene::school(model, choices.fish, choices.informed, choices.goals, seed);
  }
  scene.name = format("{} fish in a basin of {} x {}", scene.count, choices.width, choices.height);
  scene.identity = format("{}, visibility {}, reach {}, seed {}", scene.name, choices.visibility,
                          choices.reach, seed);
  scene.hash = scene_hash(model, scene.first);
  scene.after = [model](std::vector<scene::Fish> first, std::uint32_t ticks) {
    return reference::fish_after(model, std::move(first), ticks);
  };
  set_moving(options, "fish", choices.visibility, choices.width, choices.height, &scene::Fish::goal,
             scene);
  return scene;
}

Result<Scene<scene::Body>> nbody_scene(const CommandOptions& options, scene::NBodyModel& model,
                                       Job* job) {
  const SceneParameters& choices = options.scene;
  model.width = choices.box_width;
  model.height = choices.box_height;
  model.radius = choices.cutoff;
  model.reach = std::min(choices.box_width, choices.box_height) / 16;
  const bool read = !choices.file.empty();
  Scene<scene::Body> scene;
  scene.first = scene::nbody_scene(
      {.bodies = read ? 0 : choices.bodies, .groups = choices.groups, .seed = options.load.seed},
      model);
  if (read) {
    LEEWAY_ASSIGN(scene.first, agreed_things(options, "bodies", "bodies", choices.bodies, model,
                                             job, read_bodies(choices.file, model)));
  }
  scene.count = scene.first.size();
  scene.name =
      format("{} bodies in a box of {} x {}", scene.count, choices.box_width, choices.box_height);
  scene.identity = format("{}, cutoff {}, groups {}, seed {}", scene.name, choices.cutoff,
                          choices.groups, options.load.seed);
  scene.hash = scene_hash(model, scene.first);
  scene.after = [model](std::vector<scene::Body> first, std::uint32_t ticks) {
    return reference::bodies_after(model, std::move(first), ticks);
  };
  set_moving(options, "nbody", choices.cutoff, choices.box_width, choices.box_height,
             &scene::Body::trap, scene);
  return scene;
}

Scene<double> plate_scene(const CommandOptions& options, bool made) {
  const scene::Plate plate = plate_of(options);
  Scene<double> scene;
  scene.name = format("a plate of {} x {} cells", plate.columns, plate.rows);
  scene.identity = format("{}, seed {}", scene.name, options.load.seed);
  scene.count = plate.cells();
  if (made) scene.first = scene::first_plate(plate, options.load.seed);
  scene.hash = scene_hash(plate, scene.first);
  scene.verifies = [&options, plate](std::uint64_t ticks) {
    return verifies_cells(options, plate.cells(), ticks);
  };
  scene.after = [plate](std::vector<double> first, std::uint32_t ticks) {
    return reference::plate_after(plate, std::move(first), ticks);
  };
  scene.table = [plate](std::span<const double> heat) { return plate_table(plate.columns, heat); };
  return scene;
}

}  // namespace leeway::cli
