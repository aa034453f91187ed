// Runs that choose their way by the law and change it when it was wrong, beside the best of all fixed modes:
// told of the network that they run over, and told of another one.
#include <algorithm>
#include <array>
#include <cmath>

#include "leeway/base/format.h"
#include "leeway/benchmarks/replay/law_trials.h"

namespace leeway::replay {

namespace {

constexpr double kMostOverBest = 1.15;
constexpr std::uint32_t kFewNodes = 4;  // more take the better part of an hour
/// What the misled ones are told, whatever they run over.
constexpr std::string_view kTold = "infiniband";

struct AutoRun {
  double over_best = 0;  ///< its time over the best mode's
  double unchanged = 0;  ///< the same had it kept its first choice
  std::string ways;      ///< what it began with, and what it changed to
  bool changed = false;
};

Result<AutoRun> run_told(LawTrials& trials, const LawResult& result,
                         const law::NetworkFacts& told) {
  LEEWAY_ASSIGN(const std::size_t program, law::program_place(result.point.program));
  const law::Choice choice = law::choose(program, result.facts, told, law::all_allowed());
  LEEWAY_ASSIGN(const RunRecord record, trials.run_chosen(result.point, choice));
  const double best = result.times[result.best];
  AutoRun run;
  run.over_best = record.converged() ? record.phases.compute / best : INFINITY;
  run.unchanged = result.times[choice.best] / best;
  run.ways = law::modes()[choice.best].name;
  const std::vector<WayTrial>& tried = record.nodes.front().trials;
  for (std::size_t i = 1; i < tried.size(); ++i)
    run.ways += " then " + choice.ways->ways[tried[i].way].name;
  run.changed = tried.size() > 1;
  return run;
}

/// Of all runs that were told the same.
struct Score {
  std::vector<double> over_best, unchanged;
  std::size_t changed = 0;
  std::size_t better = 0;  ///< of those changed: than without

  void count(const AutoRun& run) {
    over_best.push_back(run.over_best);
    unchanged.push_back(run.unchanged);
    changed += run.changed ? 1 : 0;
    better += run.changed && run.over_best < run.unchanged ? 1 : 0;
  }
  [[nodiscard]] static double mean(const std::vector<double>& all) {
    double sum = 0;
    for (const double each : all) sum += each;
    return sum / static_cast<double>(all.size());
  }
  [[nodiscard]] static double worst(const std::vector<double>& all) {
    return *std::max_element(all.begin(), all.end());
  }
  [[nodiscard]] std::vector<Cell> cells(const char* name) const {
    return {name,
            "mean and worst",
            "",
            "",
            "",
            "",
            format("{} changed, {} to gain", changed, better),
            format("{:.3f}, {:.2f}", mean(over_best), worst(over_best)),
            format("{:.3f}, {:.2f}", mean(unchanged), worst(unchanged))};
  }
};

Figure blank(const LabSettings& settings) {
  Figure figure;
  figure.configuration =
      unseen_configuration(settings.full_scale ? "4 virtual, node 0 at half speed; 16 equal"
                                               : "4 virtual, node 0 at half speed",
                           settings.seed);
  figure.notes = {
      "times are virtual: simulated, not measured; what the choice itself costs is left out",
      format("told right: of the network it runs over; told wrong: that it is {}", kTold),
      "unchanged: the time of the first choice alone over the best mode's"};
  return figure;
}

std::vector<Cell> cells_of(const LawResult& result, const char* told, const AutoRun& run) {
  const LawPoint& point = result.point;
  return {point.program,
          point.input.name,
          point.conditions,
          point.network,
          told,
          law::modes()[result.best].name,
          run.ways,
          run.over_best,
          run.unchanged};
}

Claim goal(std::string words, const Score& score) {
  const double mean = Score::mean(score.over_best);
  return {std::move(words),
          format("its time over the best mode's is at most {} on average", kMostOverBest),
          format("{:.3f}, at worst {:.2f}; {:.3f} without changes", mean,
                 Score::worst(score.over_best), Score::mean(score.unchanged)),
          mean <= kMostOverBest};
}

}  // namespace

Result<Figure> replay_auto(Laboratory& lab) {
  LawTrials trials(lab);
  const bool full_scale = lab.settings().full_scale;
  Figure figure = blank(lab.settings());
  Rows rows(figure, {both("program"), both("input"), both("nodes"), both("network"), both("told"),
                     raw("best"), both("began, went on", "", "ways", ""),
                     both("over the best", ".3f", "over_best", ".6f"),
                     both("unchanged", ".3f", "unchanged", ".6f")});
  LEEWAY_ASSIGN(const NetworkProfile told_wrong, parse_profile(kTold));
  Score right;
  Score wrong;
  for (const LawPoint& point : unseen_points()) {
    if (point.nodes > kFewNodes && !full_scale) continue;
    LEEWAY_ASSIGN(const LawResult result, trials.run(point));
    LEEWAY_ASSIGN(const AutoRun told, run_told(trials, result, result.network));
    right.count(told);
    rows.add(cells_of(result, "right", told));
    if (point.network == kTold) continue;
    LEEWAY_ASSIGN(const AutoRun misled,
                  run_told(trials, result, law::facts_of(told_wrong, point.nodes)));
    wrong.count(misled);
    rows.add(cells_of(result, "wrong", misled));
  }
  rows.add_shown(right.cells("told right"));
  rows.add_shown(wrong.cells("told wrong"));
  figure.claims = {goal("(ours) a run that chooses by itself is nearly as good as the best", right),
                   goal("(ours) also where it was told of another network", wrong)};
  return figure;
}

}  // namespace leeway::replay
