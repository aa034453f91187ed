#include "programs/jacobi/tick.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace leeway::tick {

Status HeatPlate::create(const IndexRange& query, State& state) const {
  for (std::int64_t row = query.top; row < query.bottom; ++row) {
    for (std::int64_t column = query.left; column < query.right; ++column) {
      *state.at(column, row) =
          scene::first_heat(parameters_.plate, static_cast<std::uint32_t>(column),
                            static_cast<std::uint32_t>(row), parameters_.seed);
    }
  }
  return {};
}

void HeatPlate::step(const State::Selection& to_step, const State& context, State& result) const {
  for (const IndexRange& range : to_step.ranges()) {
    const std::int64_t left = std::max<std::int64_t>(range.left, 1);
    const std::int64_t right = std::min(range.right, whole_.right - 1);
    for (std::int64_t row = range.top; row < range.bottom; ++row) {
      if (row == 0 || row + 1 == whole_.bottom || left >= right) {  // the rim is constant
        std::memcpy(result.at(range.left, row), context.at(range.left, row),
                    static_cast<std::size_t>(range.columns()) * sizeof(double));
        continue;
      }
      if (range.left < left) *result.at(0, row) = *context.at(0, row);
      scene::relax_row(context.at(left, row - 1), context.at(left, row), context.at(left, row + 1),
                       result.at(left, row), static_cast<std::size_t>(right - left));
      if (range.right > right) *result.at(right, row) = *context.at(right, row);
    }
  }
}

Residual HeatPlate::moved(const State::Selection& own, const State& before,
                          const State& after) const {
  Residual moved;
  for (const IndexRange& range : own.ranges()) {
    for (std::int64_t row = range.top; row < range.bottom; ++row) {
      const double* const old = before.at(range.left, row);
      const double* const now = after.at(range.left, row);
      for (std::int64_t i = 0; i < range.columns(); ++i) moved.add(std::abs(now[i] - old[i]));
    }
  }
  return moved;
}

Result<HeatRun> run_heat(const HeatParameters& parameters, const TickOptions& options,
                         const ClusterOptions& cluster, const HeatEnds& ends) {
  if (parameters.plate.columns == 0 || parameters.plate.rows == 0) {
    return fail(input_error("plate", "it has no cells", "give at least one column and one row"));
  }
  return run_ticks(HeatPlate(parameters), options, cluster, ends);
}

}  // namespace leeway::tick
