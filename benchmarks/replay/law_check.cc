// The law held against graphs, divisions, networks and numbers of nodes that have no part in its fit.
#include <algorithm>
#include <array>
#include <cmath>

#include "leeway/base/format.h"
#include "leeway/benchmarks/replay/law_trials.h"
#include "leeway/programs/law/law.h"

namespace leeway::replay {

namespace {

constexpr double kTie = 0.02;  // a choice that takes so much longer than the best counts as right
constexpr double kRightGoal = 0.9;
constexpr double kRegretGoal = 0.1;

struct Judged {
  std::size_t chosen = 0;
  double regret = 0;
};

Judged judge(const LawResult& result, std::size_t program) {
  const law::Forecast forecast = law::foretell(program, result.facts, result.network);
  const double took = result.times[forecast.best];
  return {forecast.best, std::isfinite(took) ? took / result.times[result.best] - 1 : 10.0};
}

struct Score {
  double points = 0;
  double right = 0;
  double exact = 0;
  double regret = 0;

  void count(const LawResult& result, const Judged& judged) {
    ++points;
    right += judged.regret <= kTie ? 1 : 0;
    exact += judged.chosen == result.best ? 1 : 0;
    regret += judged.regret;
  }
  [[nodiscard]] std::vector<Cell> cells(std::string_view name) const {
    return {name,
            "",
            "",
            "",
            format("{:.0f}", points),
            format("{:.0f} % right, {:.0f} % the very best", 100 * right / points,
                   100 * exact / points),
            regret / points};
  }
};

}  // namespace

Result<Figure> replay_law_check(Laboratory& lab) {
  LawTrials trials(lab);
  Figure figure;
  figure.configuration =
      unseen_configuration("4 virtual, node 0 at half speed; 16 equal", lab.settings().seed);
  figure.notes = {
      "times are virtual: simulated, not measured",
      "regret: the time of the law's choice over the best's, less one; right: at most 0.02"};
  Rows rows(figure, {shown("program"), shown("input"), shown("nodes"), shown("network"),
                     shown("best"), shown("the law's choice"), shown("regret", ".3f")});
  std::vector<LawResult> results;
  std::array<Score, law::kPrograms> by_program;
  Score all;
  for (const LawPoint& point : unseen_points()) {
    LEEWAY_ASSIGN(LawResult result, trials.run(point));
    LEEWAY_ASSIGN(const std::size_t program, law::program_place(point.program));
    const Judged judged = judge(result, program);
    by_program[program].count(result, judged);
    all.count(result, judged);
    rows.add({point.program, point.input.name, point.conditions, point.network,
              law::modes()[result.best].name, law::modes()[judged.chosen].name, judged.regret});
    results.push_back(std::move(result));
  }
  for (std::size_t program = 0; program < law::kPrograms; ++program)
    rows.add(by_program[program].cells(law::programs()[program]));
  rows.add(all.cells("all"));
  add_raw(results, figure);
  figure.claims = {
      {"the law foretells the winner", "its choice takes at most 2 % longer in 90 of 100 points",
       format("{:.0f} %", 100 * all.right / all.points), all.right >= kRightGoal * all.points},
      {"its choice costs little", "the mean regret is at most 0.1",
       format("{:.3f}", all.regret / all.points), all.regret <= kRegretGoal * all.points},
  };
  return figure;
}

}  // namespace leeway::replay
