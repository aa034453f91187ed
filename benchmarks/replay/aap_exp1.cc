// AAP Exp-1 and Exp-2: four programs under four models, their times and what they send.
#include <array>
#include <cmath>
#include <map>

#include "leeway/base/format.h"
#include "leeway/benchmarks/replay/aap_models.h"

namespace leeway::replay {

namespace {

struct Posed {
  const char* program;
  const char* input;
};
constexpr std::array kCases = {Posed{"sssp", "traffic"},        Posed{"sssp", "Friendster"},
                               Posed{"cc", "traffic"},          Posed{"cc", "Friendster"},
                               Posed{"pagerank", "Friendster"}, Posed{"pagerank", "UKWeb"},
                               Posed{"cf", "movieLens"}};

AapTrial trial_of(const Posed& each, const Laboratory& lab) {
  return {.program = each.program, .input = each.input, .workers = lab.nodes(64)};
}

}  // namespace

Result<Figure> replay_aap_exp1(Laboratory& lab) {
  constexpr std::array<double, 3> kPaper = {4.8, 1.7, 1.8};
  AapTrials trials(lab);
  Figure figure = trials.blank();
  Rows rows(figure, model_columns({shown("program"), shown("input"), shown("stand-in")}));
  figure.notes.push_back(kRanAway);
  std::array<std::map<std::string, std::vector<double>>, 3> by_program;
  std::array<std::vector<double>, 3> all;
  for (const Posed& each : kCases) {
    LEEWAY_ASSIGN(const ModelTimes times, times_of(trials, trial_of(each, lab)));
    rows.add(model_cells({each.program, each.input, trials.source(each.input)}, times));
    for (std::size_t i = 0; i < all.size(); ++i) {
      const double ratio = times[i + 1] / times[0];
      if (!std::isfinite(ratio)) continue;
      by_program[i][each.program].push_back(ratio);
      all[i].push_back(ratio);
    }
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::string_view model = scheduler_name(kModels[i + 1]);
    std::string means;
    bool faster = true;
    for (const auto& [program, ratios] : by_program[i]) {
      const double mean = geometric_mean(ratios);
      means += format("{}{} {:.2f}", means.empty() ? "" : ", ", program, mean);
      faster = faster && mean > 1;
    }
    figure.claims.push_back(
        {format("AAP is faster than {} for every program", model),
         format("{} needs more time in the geometric mean of each program's inputs", model), means,
         faster});
    figure.claims.push_back(
        average_claim(i, kPaper[i], "the geometric mean of all is at least {}", all[i]));
  }
  trials.add_raw(figure);
  return figure;
}

Result<Figure> replay_aap_exp2(Laboratory& lab) {
  constexpr std::array<double, 3> kPaper = {1.04, 0.78, 0.95};
  AapTrials trials(lab);
  Figure figure = trials.blank();
  Rows rows(figure, {shown("program"), shown("input"), shown("AAP bytes"), shown("AAP/BSP", ".2f"),
                     shown("AAP/AP", ".2f"), shown("AAP/SSP", ".2f")});
  std::array<std::vector<double>, 3> all;
  for (const Posed& each : {kCases[4], kCases[2]}) {
    AapTrial trial = trial_of(each, lab);
    LEEWAY_ASSIGN(const AapResult* const aap, trials.run(trial));
    std::vector<Cell> row = {each.program, each.input, aap->bytes};
    for (std::size_t i = 0; i < all.size(); ++i) {
      trial.model = kModels[i + 1];
      LEEWAY_ASSIGN(const AapResult* const other, trials.run(trial));
      all[i].push_back(static_cast<double>(aap->bytes) / static_cast<double>(other->bytes));
      row.emplace_back(all[i].back());
    }
    rows.add(row);
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    const double mean = geometric_mean(all[i]);
    const double most = kPaper[i] * (1 + kSimilarWithin);
    figure.claims.push_back(
        {format("AAP sends {} of what {} sends", kPaper[i], scheduler_name(kModels[i + 1])),
         format("at most {:.2f} in the geometric mean", most), format("{:.2f}", mean),
         mean <= most});
  }
  trials.add_raw(figure);
  return figure;
}

}  // namespace leeway::replay
