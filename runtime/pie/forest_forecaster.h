// Forecasts by a random forest: trained before the run on earlier runs' logs, for programs whose rounds depend
// on the query, or within it on a node's first rounds (AAP §6.2). Logs are files of text, a round a line.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "leeway/base/result.h"
#include "leeway/runtime/pie/forecaster.h"
#include "leeway/runtime/pie/predictor.h"

namespace leeway::pie {

struct ForestOptions {
  std::uint32_t vertices = 0;            ///< of the graph
  std::uint32_t embedding = kEmbedding;  ///< L; that of `earlier` where there are some
  std::uint32_t train_after = 64;        ///< so many rounds of a node's workers
  bool calibrate = false;                ///< to the run's own scale, by its first rounds
  bool forecast = true;                  ///< else only a log is kept
  bool keep_log = false;
  std::vector<RoundSample> earlier;  ///< trained on instead
};

/// Each node makes its own of these options, which outlive it.
[[nodiscard]] std::unique_ptr<Forecaster> forest_forecaster(const ForestOptions& options);

/// One line a round: seconds, x1 to x7, L, and the places of Z that are not 0 as place:count.
[[nodiscard]] std::string round_log_text(const std::vector<RoundSample>& samples);
/// `name` is what errors call the text. All samples have Z of one length.
Result<std::vector<RoundSample>> parse_round_log(std::string_view text, const std::string& name);

}  // namespace leeway::pie
