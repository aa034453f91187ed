#include "programs/fish/tick.h"

#include <cmath>

#include "base/format.h"

namespace leeway::tick {

using scene::Fish;
using scene::Influence;

namespace {

Status positive(std::string_view name, double value) {
  if (std::isfinite(value) && value > 0) return {};
  return fail(input_error(std::string(name), format("{} is not a positive length", value),
                          "give a positive number"));
}

Status not_negative(std::string_view name, double value) {
  if (std::isfinite(value) && value >= 0) return {};
  return fail(input_error(std::string(name), format("{} is negative or not a number", value),
                          "give a number that is not negative"));
}

Status admit_school(const std::vector<Fish>& school) {
  for (const Fish& fish : school) {
    if (std::isfinite(fish.x) && std::isfinite(fish.y) && std::isfinite(fish.vx) &&
        std::isfinite(fish.vy)) {
      continue;
    }
    return fail(input_error(format("fish {}", fish.id),
                            format("its position ({}, {}) or heading ({}, {}) is not finite",
                                   fish.x, fish.y, fish.vx, fish.vy),
                            "fix the source of the school"));
  }
  return {};
}

}  // namespace

Status admit_fish(const FishParameters& parameters) {
  const scene::FishModel& model = parameters.model;
  LEEWAY_TRY(positive("width", model.width));
  LEEWAY_TRY(positive("height", model.height));
  LEEWAY_TRY(positive("visibility", model.visibility));
  LEEWAY_TRY(positive("reach", model.reach));
  LEEWAY_TRY(positive("personal space", model.personal));
  LEEWAY_TRY(not_negative("turn", model.turn));
  LEEWAY_TRY(not_negative("noise", model.noise));
  LEEWAY_TRY(not_negative("insistence", model.insistence));
  if (model.reach >= model.width || model.reach >= model.height) {
    return fail(input_error("reach", format("{} exceeds the width of the basin", model.reach),
                            "give a wider basin or slower fish"));
  }
  if (parameters.goals > model.goals.size()) {
    return fail(input_error("goals", format("{} exceeds the number of goals", parameters.goals),
                            format("give at most {}", model.goals.size())));
  }
  if (std::uint64_t{parameters.informed} * parameters.goals > parameters.count) {
    return fail(input_error("informed",
                            format("{} fish for each of {} goals are more than {} fish",
                                   parameters.informed, parameters.goals, parameters.count),
                            "give fewer, or more fish"));
  }
  return {};
}

FishSchool::FishSchool(const FishParameters& parameters,
                       std::shared_ptr<const std::vector<Fish>> first)
    : parameters_(parameters),
      first_(std::move(first)),
      sight_(parameters.model.visibility * kHair),
      reach_(parameters.model.reach * kHair) {}

Result<std::vector<Box>> FishSchool::part(std::uint32_t count, const State* now) const {
  const scene::FishModel& model = parameters_.model;
  if (parameters_.partition == FishPartition::Grid)
    return grid_boxes({0, 0, model.width, model.height}, count);
  std::vector<Point> places;
  const auto add = [&](const Fish& fish) { places.push_back({fish.x, fish.y}); };
  if (now != nullptr) {
    for (const Fish& fish : now->tuples()) add(fish);
  } else {
    for (const Fish& fish : *first_) add(fish);
  }
  return quadtree_boxes(places, count);
}

Status FishSchool::create(const Box& query, State& state) const {
  for (const Fish& fish : *first_) {
    if (query.contains(fish)) state.add(fish);
  }
  return {};
}

void FishSchool::step(const State::Selection& to_step, const State& context, State& result) const {
  const scene::FishModel& model = parameters_.model;
  const CellIndex<Fish>& cells = context.cells(model.visibility);
  for (const Fish& fish : to_step) {
    Influence sum;
    cells.around(fish.x, fish.y,
                 [&](const Fish& other) { scene::observe(model, fish, other, sum); });
    result.add(scene::swim(model, fish, sum));
  }
}

Result<FishRun> run_fish(const FishParameters& parameters, std::vector<Fish> first,
                         const TickOptions& options, const ClusterOptions& cluster,
                         const FishEnds& ends) {
  LEEWAY_TRY(admit_fish(parameters));
  LEEWAY_TRY(admit_school(first));
  const FishSchool school(parameters, std::make_shared<const std::vector<Fish>>(std::move(first)));
  return run_ticks(school, options, cluster, ends);
}

Result<FishRun> run_fish(const FishParameters& parameters, const TickOptions& options,
                         const ClusterOptions& cluster, const FishEnds& ends) {
  LEEWAY_TRY(admit_fish(parameters));
  return run_fish(parameters,
                  scene::school(parameters.model, parameters.count, parameters.informed,
                                parameters.goals, parameters.seed),
                  options, cluster, ends);
}

}  // namespace leeway::tick
