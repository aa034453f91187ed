// AAP Exp-1 and Exp-2: four programs under four models, their times and what they send.
#include <algorithm>
#include <array>
#include <map>

#include "leeway/base/format.h"
#include "leeway/benchmarks/replay/aap_trials.h"
#include "leeway/benchmarks/replay/evaluation.h"

namespace leeway::replay {

namespace {

constexpr std::array kOthers = {Scheduler::Bsp, Scheduler::Ap, Scheduler::Ssp};
constexpr std::array<double, 3> kPaperRatios = {4.8, 1.7, 1.8};
constexpr std::uint32_t kWorkers = 64;
constexpr double kSkew = 3;

struct Posed {
  const char* program;
  const char* input;
};
constexpr std::array kCases = {Posed{"sssp", "traffic"},        Posed{"sssp", "Friendster"},
                               Posed{"cc", "traffic"},          Posed{"cc", "Friendster"},
                               Posed{"pagerank", "Friendster"}, Posed{"pagerank", "UKWeb"},
                               Posed{"cf", "movieLens"}};

AapTrial trial_of(const Posed& each, std::uint32_t workers) {
  return {.program = each.program, .input = each.input, .workers = workers, .skew = kSkew};
}

}  // namespace

Result<Figure> replay_aap_exp1(const AapSettings& settings) {
  AapTrials trials(settings);
  Figure figure = trials.blank("aap-exp1", "time under four models: AAP beside BSP, AP and SSP");
  figure.shown.columns = {"program", "input", "stand-in", "AAP s",  "BSP s",
                          "AP s",    "SSP s", "BSP/AAP",  "AP/AAP", "SSP/AAP"};
  figure.notes.push_back(kRanAway);
  std::array<std::map<std::string, std::vector<double>>, 3> by_program;
  std::array<std::vector<double>, 3> all;
  for (const Posed& each : kCases) {
    const AapTrial trial = trial_of(each, trials.workers(kWorkers));
    LEEWAY_ASSIGN(const AapResult* const aap, trials.run(trial));
    const double ours = aap->seconds;
    std::vector<std::string> row = {each.program, each.input, trials.source(each.input),
                                    format("{:.4f}", ours)};
    std::vector<std::string> ratios;
    for (std::size_t i = 0; i < kOthers.size(); ++i) {
      AapTrial rival = trial;
      rival.model = kOthers[i];
      LEEWAY_ASSIGN(const AapResult* const other, trials.run(rival));
      const double ratio = other->seconds / ours;
      row.push_back(other->answered ? format("{:.4f}", other->seconds) : "x");
      ratios.push_back(other->answered ? format("{:.2f}", ratio) : "x");
      if (!other->answered) continue;
      by_program[i][each.program].push_back(ratio);
      all[i].push_back(ratio);
    }
    row.insert(row.end(), ratios.begin(), ratios.end());
    figure.shown.rows.push_back(std::move(row));
  }
  for (std::size_t i = 0; i < kOthers.size(); ++i) {
    const std::string model(scheduler_name(kOthers[i]));
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
    const double mean = geometric_mean(all[i]);
    figure.claims.push_back(
        {format("AAP is on average {} times faster than {}", kPaperRatios[i], model),
         format("the geometric mean of all is at least {}", kPaperRatios[i]),
         format("{:.2f}", mean), mean >= kPaperRatios[i]});
  }
  trials.add_raw(figure);
  return figure;
}

Result<Figure> replay_aap_exp2(const AapSettings& settings) {
  AapTrials trials(settings);
  Figure figure = trials.blank("aap-exp2", "bytes sent under four models, over what AAP sends");
  figure.shown.columns = {"program", "input", "AAP bytes", "AAP/BSP", "AAP/AP", "AAP/SSP"};
  std::array<std::vector<double>, 3> all;
  for (const Posed& each : {kCases[4], kCases[2]}) {
    AapTrial trial = trial_of(each, trials.workers(kWorkers));
    LEEWAY_ASSIGN(const AapResult* const aap, trials.run(trial));
    const auto ours = static_cast<double>(aap->bytes);
    std::vector<std::string> row = {each.program, each.input, std::to_string(aap->bytes)};
    for (std::size_t i = 0; i < kOthers.size(); ++i) {
      trial.model = kOthers[i];
      LEEWAY_ASSIGN(const AapResult* const other, trials.run(trial));
      all[i].push_back(ours / static_cast<double>(other->bytes));
      row.push_back(format("{:.2f}", all[i].back()));
    }
    figure.shown.rows.push_back(std::move(row));
  }
  constexpr std::array<double, 3> kPaper = {1.04, 0.78, 0.95};
  for (std::size_t i = 0; i < kOthers.size(); ++i) {
    const double mean = geometric_mean(all[i]);
    figure.claims.push_back(
        {format("AAP sends {} of what {} sends", kPaper[i], scheduler_name(kOthers[i])),
         format("at most {:.2f} in the geometric mean", kPaper[i] * (1 + kSimilarWithin)),
         format("{:.2f}", mean), mean <= kPaper[i] * (1 + kSimilarWithin)});
  }
  trials.add_raw(figure);
  return figure;
}

}  // namespace leeway::replay
