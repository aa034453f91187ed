#include "leeway/benchmarks/replay/aap_models.h"

#include <limits>

#include "leeway/base/format.h"

namespace leeway::replay {

Result<ModelTimes> times_of(AapTrials& trials, AapTrial trial) {
  ModelTimes times{};
  for (std::size_t i = 0; i < times.size(); ++i) {
    trial.model = kModels[i];
    LEEWAY_ASSIGN(const AapResult* const result, trials.run(trial));
    times[i] =
        result->answered || i == 0 ? result->seconds : std::numeric_limits<double>::quiet_NaN();
  }
  return times;
}

std::vector<Column> model_columns(std::vector<Column> columns) {
  for (const char* title : {"AAP s", "BSP s", "AP s", "SSP s"})
    columns.push_back(shown(title, ".4f"));
  for (const char* title : {"BSP/AAP", "AP/AAP", "SSP/AAP"}) columns.push_back(shown(title, ".2f"));
  return columns;
}

std::vector<Cell> model_cells(std::vector<Cell> cells, const ModelTimes& times) {
  for (const double each : times) cells.emplace_back(each);
  for (std::size_t i = 1; i < times.size(); ++i) cells.emplace_back(times[i] / times[0]);
  return cells;
}

Claim average_claim(std::size_t other, double least, std::string_view rule,
                    std::span<const double> ratios) {
  const double mean = geometric_mean(ratios);
  return {format("AAP is on average {} times faster than {}", least,
                 scheduler_name(kModels[other + 1])),
          format(fmt::runtime(rule), least), format("{:.2f}", mean), mean >= least};
}

}  // namespace leeway::replay
