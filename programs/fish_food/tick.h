// Fish with food as a tick program with two tables. Queries are a box of fish and a box of food. Fish read the fish and
// the food in sight, and food reads the fish that eat it, so R_D and R_X of each table depend on both boxes.
#pragma once

#include <memory>
#include <vector>

#include "base/box.h"
#include "leeway/tick.h"
#include "programs/fish/tick.h"
#include "programs/scene/scenes.h"
#include "runtime/tick/table.h"
#include "runtime/tick/tables.h"

namespace leeway::tick {

using FishFoodTables = Tables<Table<scene::Forager, Box>, Table<scene::Food, Box>>;

struct FishFoodParameters {
  FishParameters fish;  ///< `partition` divides fish and food; `price` is that of each tuple
  scene::FoodModel model;
  std::uint32_t food = 200;  ///< number of pieces
};

class FishFood {
 public:
  using State = FishFoodTables;
  using Query = State::Query;

  static constexpr std::size_t kFish = 0, kFood = 1;  ///< numbers of the tables

  /// `first` must be valid. All nodes share it and read their parts of it.
  FishFood(const FishFoodParameters& parameters, std::shared_ptr<const scene::Pond> first);

  [[nodiscard]] Result<std::vector<Query>> part(std::uint32_t count, const State* now) const;
  Status create(const Query& query, State& state) const;
  void step(const State::Selection& to_step, const State& context, State& result) const;
  [[nodiscard]] Query rd(const Query& query) const;
  [[nodiscard]] Query rx(const Query& query) const;
  [[nodiscard]] Query wd(const Query& query) const;
  [[nodiscard]] Query wx(const Query& query) const;
  [[nodiscard]] bool disjoint(const Query& a, const Query& b) const { return a.disjoint(b); }
  [[nodiscard]] Duration price(const State::Selection& to_step) const {
    return parameters_.fish.price * static_cast<std::int64_t>(to_step.size());
  }

 private:
  FishFoodParameters parameters_;
  std::shared_ptr<const scene::Pond> first_;
  double see_food_;  // maximum distance at which food affects a fish
  // The distances of R_D and W_D, slightly increased because of rounding.
  double fish_to_fish_, fish_to_food_, food_to_fish_, swim_, drift_;
};

using FishFoodRun = TickResult<FishFoodTables>;
using FishFoodEnds = TickEnds<FishFoodTables>;

/// Runs the scene of `parameters` from its initial state or from `ends.from`.
[[nodiscard]] Result<FishFoodRun> run_fish_food(const FishFoodParameters& parameters,
                                                const TickOptions& options,
                                                const ClusterOptions& cluster,
                                                const FishFoodEnds& ends = {});

/// Runs a given scene, in place of a generated one. No piece of food may drift faster than the model's `drift` per axis.
[[nodiscard]] Result<FishFoodRun> run_fish_food(const FishFoodParameters& parameters,
                                                scene::Pond first, const TickOptions& options,
                                                const ClusterOptions& cluster,
                                                const FishFoodEnds& ends = {});

/// The generated initial state of `parameters`.
[[nodiscard]] scene::Pond first_pond(const FishFoodParameters& parameters);

}  // namespace leeway::tick
