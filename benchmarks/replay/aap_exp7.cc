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
constexpr double kLearnt = 1.05;      // of the least loss that any run ends with
constexpr double kNever = std::numeric_limits<double>::infinity();

struct Run {
  const AapResult* aap = nullptr;
  const AapResult* ssp = nullptr;
};

/// When no more loss than that was left for the first time.
double reached(const AapResult& result, double loss) {
  for (const auto& [at, left] : result.course) {
    if (left <= loss) return at;
  }
  return kNever;
}

double least_loss(const std::vector<Run>& runs) {
  double least = kNever;
  for (const Run& run : runs) {
    for (const AapResult* const result : {run.aap, run.ssp}) {
      if (result->answered && !result->course.empty())
        least = std::min(least, result->course.back().second);
    }
  }
  return least;
}

std::string cell(double number, int decimals) {
  return std::isfinite(number) ? format("{:.{}f}", number, decimals) : "x";
}

}  // namespace

Result<Figure> replay_aap_exp7(const AapSettings& settings) {
  AapTrials trials(settings);
  Figure figure = trials.blank("aap-exp7", "collaborative filtering over the staleness bound c");
  figure.configuration.emplace_back("stand-in", trials.source("movieLens"));
  figure.shown.columns = {"c",        "AAP s",    "SSP s",    "SSP/AAP",
                          "AAP ends", "SSP ends", "AAP RMSE", "SSP RMSE"};
  figure.notes.push_back(
      format("seconds until the loss of all workers' last passes is within {:.0f} % of the least "
             "that a run "
             "ends with; a run ends when its workers' passes gain nothing any more, sooner or "
             "later by luck",
             (kLearnt - 1) * 100));
  figure.notes.push_back(kRanAway);
  std::vector<Run> runs;
  for (const std::uint32_t bound : kBounds) {
    AapTrial trial{.program = "cf",
                   .input = "movieLens",
                   .workers = trials.workers(64),
                   .skew = 3,
                   .bound = bound};
    Run run;
    LEEWAY_ASSIGN(run.aap, trials.run(trial));
    trial.model = Scheduler::Ssp;
    LEEWAY_ASSIGN(run.ssp, trials.run(trial));
    runs.push_back(run);
  }
  const double loss = kLearnt * least_loss(runs);
  std::vector<double> aap, ssp;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const auto& [ours, theirs] = runs[i];
    aap.push_back(reached(*ours, loss));
    ssp.push_back(reached(*theirs, loss));
    figure.shown.rows.push_back({std::to_string(kBounds[i]), cell(aap.back(), 5),
                                 cell(ssp.back(), 5), cell(ssp.back() / aap.back(), 3),
                                 cell(ours->seconds, 5), cell(theirs->seconds, 5),
                                 cell(ours->rmse, 4), cell(theirs->rmse, 4)});
  }
  const auto [best, worst] = std::minmax_element(aap.begin(), aap.end());
  const double rival = *std::min_element(ssp.begin(), ssp.end());
  figure.claims = {
      {"AAP is insensitive to c", "with the worst c within 10 % of the best",
       format("{:.3f} of it", *worst / *best), *worst <= kInsensitive * *best},
      {"AAP outperforms SSP even where SSP has the best c",
       "AAP with any c takes less time than SSP with its best",
       format("AAP at most {:.5f}, SSP at least {:.5f} s", *worst, rival), *worst < rival},
  };
  trials.add_raw(figure);
  return figure;
}

}  // namespace leeway::replay
