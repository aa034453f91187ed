// Collaborative filtering in the form in which the command runs programs: what it needs of its input, how its
// factors are shown, measured and held against one thread's descent.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "leeway/programs/pie/filtering.h"
#include "leeway/programs/vertex/catalog.h"

namespace leeway {

/// Refuses what are no ratings.
Status admit_cf(const Graph& graph, const ProgramSettings& settings);
[[nodiscard]] pie::FilteringOptions filtering_options(const ProgramSettings& settings,
                                                      const ProgramOptions& options);
[[nodiscard]] ProgramValues factor_values(const std::vector<pie::Factor>& factors);
/// RMSE of the ratings that trained, and of those that test.
[[nodiscard]] std::vector<std::pair<std::string, double>> rating_errors(
    const Graph& ratings, const pie::Filtering& program, const std::vector<pie::Factor>& factors);
/// The error of unseen ratings is to be at most a tenth above that of one thread's descent.
Result<std::string> verify_cf(const Graph& graph, const ProgramSettings& settings,
                              const ProgramOptions& options, const ProgramValues& values);

}  // namespace leeway
