// The usual table of AAP's experiments: times under its four models, and the others' over AAP's.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "leeway/benchmarks/replay/aap_trials.h"

namespace leeway::replay {

inline constexpr std::array kModels = {Scheduler::Aap, Scheduler::Bsp, Scheduler::Ap,
                                       Scheduler::Ssp};
/// Seconds by place in kModels; not a number where descent ran away.
using ModelTimes = std::array<double, kModels.size()>;
[[nodiscard]] Result<ModelTimes> times_of(AapTrials& trials, AapTrial trial);

/// After the columns, and the cells, that say what was run.
[[nodiscard]] std::vector<Column> model_columns(std::vector<Column> columns);
[[nodiscard]] std::vector<Cell> model_cells(std::vector<Cell> cells, const ModelTimes& times);

/// That AAP is `least` times faster on average than the model at place `other` + 1; `rule` with {} for `least`.
[[nodiscard]] Claim average_claim(std::size_t other, double least, std::string_view rule,
                                  std::span<const double> ratios);

}  // namespace leeway::replay
