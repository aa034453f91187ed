#include "leeway/programs/law/law.h"

#include <algorithm>
#include <cmath>

#include "leeway/base/check.h"

namespace leeway::law {

namespace {

constexpr double kUsualLogRounds = 3;
constexpr double kUsualNodes = 8;
constexpr double kLeastTime = 1e-9;
constexpr double kLeastMean = 1e-12;  // of a network that takes no time

/// What a mode's time is counted from.
struct Trial {
  double time = 0;
  double rounds = 0;
};

bool works_by_list(std::size_t program) {
  return programs()[program] == "sssp" || programs()[program] == "cc";
}

double trial_time(const Mode& mode, const ProgramFacts& facts) {
  if (mode.pie) return facts.pie_time;
  if (mode.scheduler == Scheduler::Bsp) return facts.bsp_time;
  return mode.scheduler == Scheduler::DoWork ? facts.push_time : facts.ap_time;
}

Trial trial_of(std::size_t program, const Mode& mode, const ProgramFacts& facts) {
  const bool lists = works_by_list(program) && mode.scheduler != Scheduler::Bsp;
  return {std::max(kLeastTime, trial_time(mode, facts)),
          std::max(1.0, mode.pie || lists ? facts.pie_rounds : facts.bsp_rounds)};
}

double base_of(const Trial& trial, const NetworkFacts& network) {
  return trial.time + trial.rounds * network.mean;
}

/// That a normal variable stays below `z`.
double below(double z) { return 0.5 * std::erfc(-z / std::sqrt(2.0)); }

}  // namespace

std::array<double, kTerms> terms_of(std::size_t program, const Mode& mode,
                                    const ProgramFacts& facts, const NetworkFacts& network) {
  const Trial trial = trial_of(program, mode, facts);
  const double mean = std::max(kLeastMean, network.mean);
  const double z = std::log10(trial.rounds * mean / trial.time);
  const double waits = 1 / (1 + std::exp(-2 * z));  // near 1 where a round is mostly waiting
  const double slow = std::log(facts.slowest);
  const double nodes = std::log(facts.nodes / kUsualNodes);
  return {1,
          waits,
          std::exp(-z * z / 2),
          std::log(std::max(network.worst, mean) / mean) * waits,
          slow * (1 - waits),
          slow * waits,
          network.handling / mean * waits,
          facts.cut * waits,
          (std::log(trial.rounds) - kUsualLogRounds) * waits,
          nodes * waits,
          nodes * (1 - waits)};
}

Forecast foretell(std::size_t program, const ProgramFacts& facts, const NetworkFacts& network) {
  LEEWAY_CHECK(program < kPrograms);
  Forecast forecast;
  for (std::size_t i = 0; i < kModes; ++i) {
    const Mode& mode = modes()[i];
    forecast.seconds[i] = std::numeric_limits<double>::infinity();
    if (!has_form(programs()[program], mode)) continue;
    const auto terms = terms_of(program, mode, facts, network);
    double sum = 0;
    for (std::size_t k = 0; k < kTerms; ++k) sum += kConstants[program][i].of_term[k] * terms[k];
    forecast.seconds[i] = base_of(trial_of(program, mode, facts), network) * std::exp(sum);
  }
  std::array<std::size_t, kModes> order{};
  for (std::size_t i = 0; i < kModes; ++i) order[i] = i;
  std::partial_sort(
      order.begin(), order.begin() + 2, order.end(),
      [&](std::size_t a, std::size_t b) { return forecast.seconds[a] < forecast.seconds[b]; });
  forecast.best = order[0];
  forecast.second = order[1];
  const double error =
      std::hypot(kConstants[program][order[0]].error, kConstants[program][order[1]].error);
  const double apart = std::log(forecast.seconds[order[1]] / forecast.seconds[order[0]]);
  forecast.confidence = error > 0 ? below(apart / error) : 0.5;
  return forecast;
}

}  // namespace leeway::law
