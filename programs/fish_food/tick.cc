#include "programs/fish_food/tick.h"

#include <algorithm>
#include <cmath>

#include "base/format.h"

namespace leeway::tick {

using scene::Food;
using scene::Forager;

namespace {

Status admit_food(const FishFoodParameters& parameters) {
  const scene::FoodModel& food = parameters.model;
  const scene::FishModel& basin = parameters.fish.model;
  const bool seen = std::isfinite(food.sight) && food.sight > 0;
  const bool eaten = std::isfinite(food.mouth) && food.mouth > 0 && food.bites > 0;
  const double farthest = std::max(food.drift, food.scatter);
  const bool moves =
      std::min(food.drift, food.scatter) >= 0 && farthest < std::min(basin.width, basin.height);
  if (seen && eaten && moves) return {};
  return fail(input_error(
      "food",
      format("sight {}, mouth {}, bites {}, drift {} or scatter {} is not possible in this basin",
             food.sight, food.mouth, food.bites, food.drift, food.scatter),
      "give positive sight, mouth and bites, and movements shorter than the basin"));
}

/// W_D requires that no piece drifts faster than the model allows.
Status admit_pond(const scene::FoodModel& model, const scene::Pond& pond) {
  const auto finite = [](const auto& each) {
    return std::isfinite(each.x) && std::isfinite(each.y) && std::isfinite(each.vx) &&
           std::isfinite(each.vy);
  };
  const auto check = [&](const auto& table, auto&& good) -> Status {
    const auto wrong = std::find_if_not(table.begin(), table.end(), good);
    if (wrong == table.end()) return {};
    return fail(input_error(format("{} {}", wrong->kTable, wrong->id),
                            format("its position ({}, {}) or movement ({}, {}) is not possible",
                                   wrong->x, wrong->y, wrong->vx, wrong->vy),
                            "fix the source of the scene"));
  };
  LEEWAY_TRY(check(pond.fish, finite));
  return check(pond.food, [&](const Food& piece) {
    const double fastest = std::max(std::abs(piece.vx), std::abs(piece.vy));
    return finite(piece) && fastest <= model.drift && piece.bites > 0;
  });
}

}  // namespace

FishFood::FishFood(const FishFoodParameters& parameters, std::shared_ptr<const scene::Pond> first)
    : parameters_(parameters),
      first_(std::move(first)),
      see_food_(std::max(parameters.model.sight, parameters.model.mouth)),
      fish_to_fish_(parameters.fish.model.visibility * kHair),
      fish_to_food_(see_food_ * kHair),
      food_to_fish_(parameters.model.mouth * kHair),
      swim_(parameters.fish.model.reach * kHair),
      drift_(std::max(parameters.model.drift, parameters.model.scatter) * kHair) {}

Result<std::vector<FishFood::Query>> FishFood::part(std::uint32_t count, const State* now) const {
  const scene::FishModel& model = parameters_.fish.model;
  std::vector<Box> boxes;
  if (parameters_.fish.partition == FishPartition::Grid) {
    boxes = grid_boxes({0, 0, model.width, model.height}, count);
  } else {
    std::vector<Point> places;
    const auto add = [&](const auto& tuples) {
      for (const auto& tuple : tuples) places.push_back({tuple.x, tuple.y});
    };
    now != nullptr ? add(now->get<kFish>().tuples()) : add(first_->fish);
    now != nullptr ? add(now->get<kFood>().tuples()) : add(first_->food);
    boxes = quadtree_boxes(places, count);
  }
  std::vector<Query> parts;
  for (const Box& box : boxes) parts.emplace_back(box, box);
  return parts;
}

Status FishFood::create(const Query& query, State& state) const {
  for (const Forager& fish : first_->fish) {
    if (query.get<kFish>().contains(fish)) state.get<kFish>().add(fish);
  }
  for (const Food& piece : first_->food) {
    if (query.get<kFood>().contains(piece)) state.get<kFood>().add(piece);
  }
  return {};
}

void FishFood::step(const State::Selection& to_step, const State& context, State& result) const {
  const scene::FishModel& model = parameters_.fish.model;
  const scene::FoodModel& food = parameters_.model;
  const auto& fish_cells = context.get<kFish>().cells(std::max(model.visibility, food.mouth));
  const auto& food_cells = context.get<kFood>().cells(see_food_);
  for (const Forager& fish : to_step.get<kFish>()) {
    scene::Influence sum;
    Forager next = fish;
    fish_cells.around(fish.x, fish.y,
                      [&](const Forager& other) { scene::observe(model, fish, other, sum); });
    food_cells.around(fish.x, fish.y, [&](const Food& piece) {
      scene::smell(food, fish, piece, sum);
      next.eaten += scene::eats(food, fish, piece) ? 1 : 0;
    });
    static_cast<scene::Fish&>(next) = scene::swim(model, fish, sum);
    result.get<kFish>().add(next);
  }
  for (const Food& piece : to_step.get<kFood>()) {
    std::uint32_t bites = 0;
    fish_cells.around(piece.x, piece.y, [&](const Forager& fish) {
      bites += scene::eats(food, fish, piece) ? 1 : 0;
    });
    result.get<kFood>().add(scene::after_bites(model, food, piece, bites));
  }
}

FishFood::Query FishFood::rd(const Query& query) const {
  const Box& fish = query.get<kFish>();
  const Box& food = query.get<kFood>();
  return Query(fish.grown(fish_to_fish_).united(food.grown(food_to_fish_)),
               food.united(fish.grown(fish_to_food_)));
}

FishFood::Query FishFood::rx(const Query& query) const {
  const Box& fish = query.get<kFish>();
  const Box& food = query.get<kFood>();
  return Query(fish.shrunk(fish_to_fish_).common(food.shrunk(fish_to_food_)),
               food.common(fish.shrunk(food_to_fish_)));
}

FishFood::Query FishFood::wd(const Query& query) const {
  return Query(query.get<kFish>().grown(swim_), query.get<kFood>().grown(drift_));
}

FishFood::Query FishFood::wx(const Query& query) const {
  return Query(query.get<kFish>().shrunk(swim_), query.get<kFood>().shrunk(drift_));
}

scene::Pond first_pond(const FishFoodParameters& parameters) {
  const FishParameters& fish = parameters.fish;
  return scene::pond(fish.model, parameters.model,
                     scene::school(fish.model, fish.count, fish.informed, fish.goals, fish.seed),
                     parameters.food, fish.seed);
}

Result<FishFoodRun> run_fish_food(const FishFoodParameters& parameters, scene::Pond first,
                                  const TickOptions& options, const ClusterOptions& cluster,
                                  const FishFoodEnds& ends) {
  LEEWAY_TRY(admit_fish(parameters.fish));
  LEEWAY_TRY(admit_food(parameters));
  LEEWAY_TRY(admit_pond(parameters.model, first));
  const FishFood program(parameters, std::make_shared<const scene::Pond>(std::move(first)));
  return run_ticks(program, options, cluster, ends);
}

Result<FishFoodRun> run_fish_food(const FishFoodParameters& parameters, const TickOptions& options,
                                  const ClusterOptions& cluster, const FishFoodEnds& ends) {
  LEEWAY_TRY(admit_fish(parameters.fish));
  LEEWAY_TRY(admit_food(parameters));
  return run_fish_food(parameters, first_pond(parameters), options, cluster, ends);
}

}  // namespace leeway::tick
