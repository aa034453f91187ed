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

}  // namespace

Result<Figure> replay_aap_exp7(Laboratory& lab) {
  AapTrials trials(lab);
  Figure figure = trials.blank("movieLens");
  Rows rows(figure, {shown("c"), shown("AAP s", ".5f"), shown("SSP s", ".5f"),
                     shown("SSP/AAP", ".3f"), shown("AAP ends", ".5f"), shown("SSP ends", ".5f"),
                     shown("AAP RMSE", ".4f"), shown("SSP RMSE", ".4f")});
  figure.notes.push_back(
      format("seconds until the loss of all workers' last passes is within {:.0f} % of the least "
             "that a run ends with; a run ends when its workers' passes gain nothing any more, "
             "sooner or later by luck",
             (kLearnt - 1) * 100));
  figure.notes.push_back(kRanAway);
  std::vector<Run> runs;
  for (const std::uint32_t bound : kBounds) {
    AapTrial trial{.program = "cf", .input = "movieLens", .workers = lab.nodes(64), .bound = bound};
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
    rows.add({kBounds[i], aap.back(), ssp.back(), ssp.back() / aap.back(), ours->seconds,
              theirs->seconds, ours->rmse, theirs->rmse});
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
