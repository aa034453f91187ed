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
#include "datasets/graph.h"
#include "programs/reference/oracles.h"

namespace leeway::cli {

namespace {

/// Positions are integers in units of 1/4096 of the longer side: finer than a screen, shorter than decimals.
constexpr double kSteps = 4096;
/// The colour class of food in a film, after those of fish: 0 to the number of goals.
constexpr std::uint32_t kFoodKind = 3;
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

std::string scene_hash(const scene::FishModel& model, std::span<const scene::Fish> school) {
  SceneHash hash;
  add_school(model, school, hash);
  return hash.text();
}

std::string scene_hash(const scene::FishModel& model, const scene::FoodModel& food,
                       const scene::Pond& pond) {
  SceneHash hash;
  add_school(model, pond.fish, hash);
  for (const scene::Forager& fish : pond.fish) hash.add(fish.eaten);
  hash.add({food.sight, food.mouth, food.drift, food.scatter});
  hash.add(food.bites);
  hash.add(static_cast<std::uint64_t>(food.weight));
  hash.add(pond.food.size());
  for (const scene::Food& piece : pond.food) {
    hash.add(piece.id);
    hash.add(piece.bites);
    hash.add({piece.x, piece.y, piece.vx, piece.vy});
    hash.add(piece.random);
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

std::vector<PondRow> pond_rows(std::span<const scene::Forager> fish,
                               std::span<const scene::Food> food) {
  std::vector<PondRow> rows;
  rows.reserve(fish.size() + food.size());
  for (const scene::Forager& each : fish) rows.push_back({each, false});
  for (const scene::Food& piece : food) {
    PondRow& row = rows.emplace_back();
    row.food = true;
    row.id = piece.id;
    row.goal = kFoodKind;
    row.x = piece.x;
    row.y = piece.y;
    row.vx = piece.vx;
    row.vy = piece.vy;
    row.random = piece.random;
    row.eaten = piece.bites;
  }
  return rows;
}

scene::Pond pond_of(std::span<const PondRow> rows) {
  scene::Pond pond;
  for (const PondRow& row : rows) {
    if (row.food) {
      pond.food.push_back({.id = row.id,
                           .bites = static_cast<std::uint32_t>(row.eaten),
                           .x = row.x,
                           .y = row.y,
                           .vx = row.vx,
                           .vy = row.vy,
                           .random = row.random});
    } else {
      pond.fish.push_back(row);
    }
  }
  return pond;
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

/// The things of --scene. Collective.
template <class Thing>
Result<std::vector<Thing>> agreed_things(const CommandOptions& options, std::string_view flag,
                                         std::string_view name, std::uint64_t given, Job* job,
                                         Result<std::vector<Thing>> read) {
  if (read) {
    if (Status same = check_count(options, flag, name, given, read->size()); !same)
      read = fail(std::move(same).error());
  }
  return agree_in_job(job, std::move(read));
}

/// Fish and food of --scene. Collective.
Result<scene::Pond> agreed_pond(const CommandOptions& options, const scene::FishModel& model,
                                scene::FoodModel& food, Job* job) {
  const SceneParameters& choices = options.scene;
  Result<scene::Pond> read = read_pond(choices.file, model, food, options.load.seed);
  if (read) {
    Status same = check_count(options, "fish", "fish", choices.fish, read->fish.size());
    if (same)
      same = check_count(options, "food", "pieces of food", choices.food, read->food.size());
    if (!same) read = fail(std::move(same).error());
  }
  return agree_in_job(job, std::move(read));
}

}  // namespace

Result<Scene<scene::Fish>> fish_scene(const CommandOptions& options, bool made, Job* job) {
  const SceneParameters& choices = options.scene;
  const scene::FishModel model = fish_model(options);
  const std::uint64_t seed = options.load.seed;
  Scene<scene::Fish> scene;
  scene.count = choices.fish;
  if (!choices.file.empty()) {
    LEEWAY_ASSIGN(scene.first, agreed_things(options, "fish", "fish", choices.fish, job,
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

namespace {

ResultTable pond_table(std::span<const PondRow> rows) {
  ResultTable table;
  table.columns = {"table", "id", "x", "y", "vx", "vy", "bites"};
  table.named = 2;
  table.rows = rows.size();
  table.rank = [](const std::vector<ResultCell>& cells) {
    return static_cast<double>(std::get<std::uint64_t>(cells.back()));
  };
  table.fill = [rows](std::uint64_t row, std::vector<ResultCell>& cells) {
    const PondRow& at = rows[static_cast<std::size_t>(row)];
    const auto name = at.food ? scene::Food::kTable : scene::Forager::kTable;
    cells = {std::string(name), std::uint64_t{at.id}, at.x, at.y, at.vx, at.vy, at.eaten};
  };
  return table;
}

}  // namespace

Result<Scene<PondRow>> pond_scene(const CommandOptions& options, bool made, Job* job,
                                  scene::FoodModel& food) {
  const SceneParameters& choices = options.scene;
  const scene::FishModel model = fish_model(options);
  const std::uint64_t seed = options.load.seed;
  food = scene::food_in(model);
  scene::Pond pond;
  std::uint64_t fish = choices.fish;
  std::uint64_t pieces = choices.food;
  if (!choices.file.empty()) {
    LEEWAY_ASSIGN(pond, agreed_pond(options, model, food, job));
    fish = pond.fish.size();
    pieces = pond.food.size();
  } else if (made) {
    pond = scene::pond(model, food,
                       scene::school(model, choices.fish, choices.informed, choices.goals, seed),
                       choices.food, seed);
  }
  Scene<PondRow> scene;
  scene.count = fish + pieces;
  scene.first = pond_rows(pond.fish, pond.food);
  scene.hash = scene_hash(model, food, pond);
  scene.name = format("{} fish and {} pieces of food in a basin of {} x {}", fish, pieces,
                      choices.width, choices.height);
  scene.identity = format("{}, visibility {}, reach {}, seed {}", scene.name, choices.visibility,
                          choices.reach, seed);
  scene.after = [model, food](const std::vector<PondRow>& first, std::uint32_t ticks) {
    const scene::Pond last = reference::pond_after(model, food, pond_of(first), ticks);
    return pond_rows(last.fish, last.food);
  };
  set_moving<PondRow>(options, "fish-food", std::max(choices.visibility, food.sight), choices.width,
                      choices.height, &PondRow::goal, scene);
  scene.table = pond_table;
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
    LEEWAY_ASSIGN(scene.first, agreed_things(options, "bodies", "bodies", choices.bodies, job,
                                             read_bodies(choices.file, model)));
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
