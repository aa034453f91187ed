// AAP Exp-7 (2): collaborative filtering over the staleness bound c, which SSP has to be given a good one of
// and AAP is not.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "leeway/base/format.h"
#include "leeway/benchmarks/replay/aap_trials.h"

namespace leeway::replay {

namespace {

constexpr std::array<std::uint32_t, 8> kBounds = {2, 3, 5, 8, 12, 20, 35, 50};
constexpr double kInsensitive = 1.1;  // the worst bound over the best

}  // namespace

Result<Figure> replay_aap_exp7(const AapSettings& settings) {
  AapTrials trials(settings);
  Figure figure = trials.blank("aap-exp7", "collaborative filtering over the staleness bound c");
  figure.configuration.emplace_back("stand-in", trials.source("movieLens"));
  figure.shown.columns = {"c", "AAP s", "SSP s", "SSP/AAP", "AAP RMSE", "SSP RMSE"};
  figure.notes.push_back(kRanAway);
  AapTrial trial{.program = "cf", .input = "movieLens", .workers = trials.workers(64), .skew = 3};
  std::array<std::vector<double>, 2> seconds;
  for (const std::uint32_t bound : kBounds) {
    trial.bound = bound;
    std::array<double, 2> errors{};
    for (const Model model : {Model::Aap, Model::Ssp}) {
      const std::size_t of = model == Model::Aap ? 0 : 1;
      trial.model = model;
      LEEWAY_ASSIGN(const AapResult* const result, trials.run(trial));
      // A run that learnt nothing is no rival.
      seconds[of].push_back(result->answered ? result->seconds
                                             : std::numeric_limits<double>::infinity());
      errors[of] = result->rmse;
    }
    const auto cell = [](double number) {
      return std::isfinite(number) ? format("{:.5f}", number) : "x";
    };
    figure.shown.rows.push_back({std::to_string(bound), cell(seconds[0].back()),
                                 cell(seconds[1].back()),
                                 cell(seconds[1].back() / seconds[0].back()),
                                 format("{:.4f}", errors[0]), format("{:.4f}", errors[1])});
  }
  const auto [best, worst] = std::minmax_element(seconds[0].begin(), seconds[0].end());
  const double ssp = *std::min_element(seconds[1].begin(), seconds[1].end());
  figure.claims = {
      {"AAP is insensitive to c", "with the worst c within 10 % of the best",
       format("{:.3f} of it", *worst / *best), *worst <= kInsensitive * *best},
      {"AAP outperforms SSP even where SSP has the best c",
       "AAP with any c takes less time than SSP with its best",
       format("AAP at most {:.5f}, SSP at least {:.5f} s", *worst, ssp), *worst < ssp},
  };
  trials.add_raw(figure);
  return figure;
}

}  // namespace leeway::replay
