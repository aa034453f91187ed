// Jacobi's method as a tick program (Tick, Appendix B.1). Tuples are the cells of a plate, queries are blocks of it.
// A cell reads its four neighbours, so R_D and R_X grow and shrink a block by one; W_D and W_X are the identity.
#pragma once

#include "leeway/tick.h"
#include "programs/scene/scenes.h"
#include "runtime/cluster/record.h"
#include "runtime/tick/field.h"

namespace leeway::tick {

struct HeatParameters {
  scene::Plate plate{100, 100};
  std::uint64_t seed = 1;
  std::uint64_t price_ps = 2'000;  ///< virtual compute time of a cell's tick
};

class HeatPlate {
 public:
  using Query = IndexRange;
  using State = Field;

  explicit HeatPlate(const HeatParameters& parameters)
      : parameters_(parameters), whole_{0, 0, parameters.plate.columns, parameters.plate.rows} {}

  [[nodiscard]] Result<std::vector<IndexRange>> part(std::uint32_t count, const State* now) const {
    (void)now;  // all cells have equal cost
    return grid_ranges(whole_, count);
  }
  Status create(const IndexRange& query, State& state) const;
  void step(const State::Selection& to_step, const State& context, State& result) const;
  [[nodiscard]] IndexRange rd(const IndexRange& query) const { return query.grown(1, whole_); }
  [[nodiscard]] IndexRange rx(const IndexRange& query) const { return query.shrunk(1, whole_); }
  [[nodiscard]] IndexRange wd(const IndexRange& query) const { return query; }
  [[nodiscard]] IndexRange wx(const IndexRange& query) const { return query; }
  [[nodiscard]] bool disjoint(const IndexRange& a, const IndexRange& b) const {
    return a.disjoint(b);
  }
  [[nodiscard]] Residual moved(const State::Selection& own, const State& before,
                               const State& after) const;
  [[nodiscard]] Duration price(const State::Selection& to_step) const {
    return Duration(static_cast<std::int64_t>(to_step.size() * parameters_.price_ps / 1000));
  }

 private:
  HeatParameters parameters_;
  IndexRange whole_;
};

using HeatRun = TickResult<Field>;
using HeatEnds = TickEnds<Field>;

[[nodiscard]] Result<HeatRun> run_heat(const HeatParameters& parameters, const TickOptions& options,
                                       const ClusterOptions& cluster, const HeatEnds& ends = {});

}  // namespace leeway::tick
