#include <algorithm>
#include <deque>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "programs/catalog/program_rows.h"
#include "programs/catalog/scene_run.h"
#include "programs/fish/school.h"
#include "programs/fish_food/tick.h"
#include "programs/reference/oracles.h"
#include "programs/scene/scene_file.h"

namespace leeway {

namespace {

/// The colour class of food in a film, after those of fish: 0 to the number of goals.
constexpr std::uint32_t kFoodKind = 3;

/// A fish or a piece of food, as a row of one table: of food, `eaten` is the number of bites left.
struct PondRow : scene::Forager {
  bool food = false;

  friend bool operator==(const PondRow&, const PondRow&) = default;
};

/// The fish, then the food.
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

/// The inverse of pond_rows.
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

std::string hash_of(const scene::FishModel& model, const scene::FoodModel& food,
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

class PondInTicks final : public SceneInTicks<PondRow, tick::FishFoodTables> {
 public:
  using SceneInTicks::SceneInTicks;

  [[nodiscard]] std::vector<MemoryDemand> memory() const override {
    if (is_read()) return {};
    const std::uint64_t each = tuple_bytes(sizeof(PondRow), settings().cluster) + sizeof(PondRow);
    return {{"--fish", "fish", fish(), each}, {"--food", "pieces of food", food(), each}};
  }

 private:
  [[nodiscard]] std::uint32_t fish() const {
    return settings().scene.fish.value_or(SceneParameters::kFish);
  }
  [[nodiscard]] std::uint32_t food() const {
    return settings().scene.food.value_or(SceneParameters::kFood);
  }

  /// Also sets the model of the food.
  Result<scene::Pond> read(const scene::FishModel& fish) {
    const SceneParameters& choices = settings().scene;
    LEEWAY_ASSIGN(scene::Pond pond, read_pond(choices.file, fish, model_, settings().seed));
    LEEWAY_TRY(check_count(choices, "fish", "fish", choices.fish, pond.fish.size()));
    LEEWAY_TRY(check_count(choices, "food", "pieces of food", choices.food, pond.food.size()));
    return pond;
  }

  Result<Scene<PondRow>> make() override {
    const SceneParameters& choices = settings().scene;
    const scene::FishModel model = fish_model(choices);
    model_ = scene::food_in(model);
    scene::Pond pond;
    if (is_read()) {
      LEEWAY_ASSIGN(pond, read(model));
    } else if (settings().makes_state) {
      pond = scene::pond(
          model, model_,
          scene::school(model, fish(), choices.informed, choices.goals, settings().seed), food(),
          settings().seed);
    }
    const std::uint64_t swimming = is_read() ? pond.fish.size() : fish();
    const std::uint64_t drifting = is_read() ? pond.food.size() : food();
    Scene<PondRow> scene;
    scene.count = swimming + drifting;
    scene.first = pond_rows(pond.fish, pond.food);
    scene.hash = hash_of(model, model_, pond);
    scene.name = format("{} fish and {} pieces of food in a basin of {} x {}", swimming, drifting,
                        choices.width, choices.height);
    scene.identity = fish_identity(scene.name, settings());
    scene.after = [model, food = model_](const std::vector<PondRow>& first, std::uint32_t ticks) {
      const scene::Pond last = reference::pond_after(model, food, pond_of(first), ticks);
      return pond_rows(last.fish, last.food);
    };
    set_moving<PondRow>(programs::fish_food().name,
                        {std::max(choices.visibility, model_.sight), choices.width, choices.height},
                        &PondRow::goal, scene);
    scene.table = pond_table;
    return scene;
  }

  [[nodiscard]] tick::FishFood::Query all() const override {
    return tick::FishFood::Query::everywhere();
  }
  Result<tick::FishFoodRun> step(const tick::TickOptions& options,
                                 const tick::FishFoodEnds& ends) override {
    const tick::FishFoodParameters pond{
        .fish = fish_parameters(settings(), fish()), .model = model_, .food = food()};
    return is_read()
               ? run_fish_food(pond, pond_of(scene().first), options, settings().cluster, ends)
               : run_fish_food(pond, options, settings().cluster, ends);
  }
  [[nodiscard]] std::span<const PondRow> things_of(const tick::FishFoodTables& state) override {
    rows_.push_back(pond_rows(state.get<tick::FishFood::kFish>().tuples(),
                              state.get<tick::FishFood::kFood>().tuples()));
    return rows_.back();
  }

  scene::FoodModel model_;
  std::deque<std::vector<PondRow>> rows_;  // for the frames and the result
};

}  // namespace

const Program& programs::fish_food() {
  static const Program kProgram = {
      .name = "fish-food",
      .summary = "the school of fish with food that drifts and is eaten, in two tables",
      .result = "frames, with --frames",
      .input = ProgramInput::Scene,
      .exact = true,
      .engines = {{.engine = EngineName::Tick,
                   .takes = {Parameter::Seed, Parameter::Fish, Parameter::Food,
                             Parameter::SceneFile, Parameter::Frames},
                   .ticked = ticked_by<PondInTicks>}},
  };
  return kProgram;
}

}  // namespace leeway
