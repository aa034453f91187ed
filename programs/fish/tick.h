// The fish school as a tick program. Tuples are fish, queries are boxes in the basin. A fish sees up to the distance
// V, so R_D and R_X grow and shrink a box by V; it swims up to R, so W_D and W_X do so by R.
#pragma once

#include <memory>
#include <vector>

#include "base/box.h"
#include "leeway/tick.h"
#include "programs/scene/scenes.h"
#include "runtime/tick/table.h"

namespace leeway::tick {

using FishTable = Table<scene::Fish, Box>;

/// Factor by which R_D and W_D exceed the distances of a model, because of rounding.
inline constexpr double kHair = 1 + 1e-9;

enum class FishPartition : std::uint8_t { Grid, Quadtree };

struct FishParameters {
  scene::FishModel model;
  std::uint32_t count = 1000;
  std::uint32_t informed = 0;  ///< fish per goal
  std::uint32_t goals = 1;
  std::uint64_t seed = 1;
  FishPartition partition = FishPartition::Grid;
  Duration price{500};  ///< virtual compute time of a fish's tick
};

/// Returns an Input error for an invalid model or initial state.
[[nodiscard]] Status admit_fish(const FishParameters& parameters);

class FishSchool {
 public:
  using Query = Box;
  using State = FishTable;

  /// `first` must be valid. All nodes share it and read their parts of it.
  FishSchool(const FishParameters& parameters,
             std::shared_ptr<const std::vector<scene::Fish>> first);

  [[nodiscard]] Result<std::vector<Box>> part(std::uint32_t count, const State* now) const;
  Status create(const Box& query, State& state) const;
  void step(const State::Selection& to_step, const State& context, State& result) const;
  [[nodiscard]] Box rd(const Box& query) const { return query.grown(sight_); }
  [[nodiscard]] Box rx(const Box& query) const { return query.shrunk(sight_); }
  [[nodiscard]] Box wd(const Box& query) const { return query.grown(reach_); }
  [[nodiscard]] Box wx(const Box& query) const { return query.shrunk(reach_); }
  [[nodiscard]] bool disjoint(const Box& a, const Box& b) const { return a.disjoint(b); }
  [[nodiscard]] Duration price(const State::Selection& to_step) const {
    return parameters_.price * static_cast<std::int64_t>(to_step.size());
  }

 private:
  FishParameters parameters_;
  std::shared_ptr<const std::vector<scene::Fish>> first_;
  double sight_, reach_;  // the model's values, slightly increased because of rounding
};

using FishRun = TickResult<FishTable>;
using FishEnds = TickEnds<FishTable>;

/// Runs the school of `parameters` from its initial state or from `ends.from`.
[[nodiscard]] Result<FishRun> run_fish(const FishParameters& parameters, const TickOptions& options,
                                       const ClusterOptions& cluster, const FishEnds& ends = {});
/// Runs a given school.
[[nodiscard]] Result<FishRun> run_fish(const FishParameters& parameters,
                                       std::vector<scene::Fish> first, const TickOptions& options,
                                       const ClusterOptions& cluster, const FishEnds& ends = {});

}  // namespace leeway::tick
