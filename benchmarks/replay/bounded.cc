// ASPIRE §6.2, Figures 7 to 11: RCP beside bounded staleness without refreshes (Stale-n), everything
// normalized to SCP with relaxed writes. Five views of the same runs; `rcp+push`, which is ours, beside.
#include <algorithm>
#include <array>
#include <cmath>

#include "leeway/base/format.h"
#include "leeway/benchmarks/replay/laboratory.h"

namespace leeway::replay {

namespace {

constexpr std::array<std::string_view, 6> kModes = {"scp+rw",  "stale-1", "stale-2",
                                                    "stale-3", "rcp",     "rcp+push"};
enum Mode : std::size_t { kBase, kStale1, kStale2, kStale3, kRcp, kPush };

/// A program under every mode.
struct Measured {
  std::string_view benchmark;
  std::array<const TrialResult*, kModes.size()> by_mode{};

  [[nodiscard]] bool converged(std::size_t mode) const { return by_mode[mode]->converged; }
};

Result<std::vector<Measured>> measure(Trials& trials, Figure& figure) {
  std::vector<Measured> all;
  for (const Case& each : one_input_each()) {
    Measured measured{each.benchmark, {}};
    for (std::size_t mode = 0; mode < kModes.size(); ++mode) {
      LEEWAY_ASSIGN(measured.by_mode[mode], trials.run(trials.trial(each.benchmark, each.input,
                                                                    std::string(kModes[mode]))));
    }
    all.push_back(measured);
  }
  trials.add_raw(figure);
  return all;
}

using Quantity = double (*)(const TrialResult& result);

/// Beside the base's; not a number where either did not converge.
double normalized(const Measured& measured, std::size_t mode, Quantity quantity) {
  if (!measured.converged(kBase) || !measured.converged(mode)) return NAN;
  return quantity(*measured.by_mode[mode]) / std::max(quantity(*measured.by_mode[kBase]), 1e-300);
}

/// The ratios of `mode` to the base, of programs that converged under both.
std::vector<double> series(std::span<const Measured> all, std::size_t mode, Quantity quantity) {
  std::vector<double> ratios;
  for (const Measured& measured : all) {
    const double ratio = normalized(measured, mode, quantity);
    if (std::isfinite(ratio)) ratios.push_back(ratio);
  }
  return ratios;
}

/// One row a program, one column a mode, the last row their means.
void tabulate(std::span<const Measured> all, Quantity quantity, Figure& figure) {
  std::vector<Column> columns = {shown("program")};
  for (const std::string_view mode : kModes) columns.push_back(shown(std::string(mode), ".2f"));
  Rows rows(figure, columns);
  std::vector<Cell> means = {"mean"};
  for (const Measured& measured : all) {
    std::vector<Cell> row = {measured.benchmark};
    for (std::size_t mode = 0; mode < kModes.size(); ++mode)
      row.emplace_back(normalized(measured, mode, quantity));
    rows.add(row);
  }
  for (std::size_t mode = 0; mode < kModes.size(); ++mode)
    means.emplace_back(geometric_mean(series(all, mode, quantity)));
  rows.add(means);
}

/// Of the bounds that let the program converge, the one with the least of a quantity; null if none did.
const TrialResult* best_stale(const Measured& measured, Quantity quantity) {
  const TrialResult* best = nullptr;
  for (const std::size_t mode : {kStale1, kStale2, kStale3}) {
    const TrialResult* result = measured.by_mode[mode];
    if (result->converged && (best == nullptr || quantity(*result) < quantity(*best)))
      best = result;
  }
  return best;
}

double seconds_of_run(const TrialResult& result) { return result.seconds; }
double stalls(const TrialResult& result) { return static_cast<double>(result.blocked); }
double iterations(const TrialResult& result) { return static_cast<double>(result.iterations); }
double messages(const TrialResult& result) { return static_cast<double>(result.messages); }

Claim at_most(std::string paper, double most, std::span<const double> ratios) {
  const double mean = geometric_mean(ratios);
  return {std::move(paper), format("geometric mean relative to SCP+RW at most {:.2f}", most),
          format("{:.2f} over {} programs", mean, ratios.size()), !ratios.empty() && mean <= most};
}

Claim push_claim(std::span<const Measured> all, std::string what, Quantity quantity) {
  const double push = geometric_mean(series(all, kPush, quantity));
  const double plain = geometric_mean(series(all, kRcp, quantity));
  return {format("(ours) rcp+push takes {} than rcp", what), "its mean is below rcp's",
          format("{:.2f} against {:.2f}", push, plain), push < plain};
}

}  // namespace

Result<Figure> replay_fig7(Laboratory& lab) {
  Figure figure = lab.trials().blank();
  LEEWAY_ASSIGN(const std::vector<Measured> all, measure(lab.trials(), figure));
  tabulate(all, seconds_of_run, figure);
  std::size_t beaten = 0;
  std::vector<double> gains;
  for (const Measured& measured : all) {
    const TrialResult* best = best_stale(measured, seconds_of_run);
    const double rcp = measured.by_mode[kRcp]->seconds;
    const bool below =
        rcp < measured.by_mode[kBase]->seconds && (best == nullptr || rcp < best->seconds);
    if (measured.converged(kRcp) && below) ++beaten;
    if (best != nullptr && measured.converged(kRcp)) gains.push_back(best->seconds / rcp);
  }
  figure.claims = {
      {"RCP performs better than every other protocol, for each program",
       "RCP's time is below SCP+RW's and every Stale-n's for every program",
       format("so for {} of {} programs", beaten, all.size()), beaten == all.size()},
      at_most("RCP takes 48.7 % less time than SCP+RW on average", 0.513,
              series(all, kRcp, seconds_of_run)),
      mean_at_least("RCP takes 56 % less time than the best Stale-n",
                    "geometric mean of the best Stale-n over RCP at least 2.27", gains, "programs",
                    2.27),
      push_claim(all, "less time", seconds_of_run),
  };
  return figure;
}

Result<Figure> replay_fig8(Laboratory& lab) {
  Figure figure = lab.trials().blank();
  LEEWAY_ASSIGN(const std::vector<Measured> all, measure(lab.trials(), figure));
  tabulate(all, stalls, figure);
  const double rcp = geometric_mean(series(all, kRcp, stalls));
  std::vector<double> best;
  for (const Measured& measured : all) {
    const TrialResult* stale = best_stale(measured, stalls);
    if (stale != nullptr && measured.converged(kBase))
      best.push_back(stalls(*stale) / std::max(stalls(*measured.by_mode[kBase]), 1.0));
  }
  figure.claims = {
      at_most("computation under RCP stalls on 41.83 % of the remote fetches", 0.42,
              series(all, kRcp, stalls)),
      {"the best Stale-n stalls on more of them than RCP (85.6 %)",
       "the best Stale-n's mean is above RCP's",
       format("{:.2f} against {:.2f}", geometric_mean(best), rcp), geometric_mean(best) > rcp},
  };
  return figure;
}

Result<Figure> replay_fig9(Laboratory& lab) {
  Figure figure = lab.trials().blank();
  LEEWAY_ASSIGN(const std::vector<Measured> all, measure(lab.trials(), figure));
  Rows rows(figure, {shown("program"), shown("mode"), shown("0 %", ".3f"), shown("1 %", ".3f"),
                     shown("2 %", ".3f"), shown("3 %", ".3f"), shown("4+ %", ".3f")});
  double current = 0;
  double nearly = 0;
  for (const Measured& measured : all) {
    for (const std::size_t mode : {kStale2, kStale3, kRcp, kPush}) {
      std::vector<Cell> row = {measured.benchmark, kModes[mode]};
      const TrialResult& result = *measured.by_mode[mode];
      double before = 0;
      for (std::size_t age = 0; age < 4; ++age) {
        const double share = share_at_most(result.by_staleness, age);
        row.emplace_back(100 * (share - before));
        before = share;
      }
      row.emplace_back(100 * (1 - before));
      rows.add(row);
    }
    current +=
        share_at_most(measured.by_mode[kRcp]->by_staleness, 0) / static_cast<double>(all.size());
    nearly +=
        share_at_most(measured.by_mode[kRcp]->by_staleness, 1) / static_cast<double>(all.size());
  }
  figure.claims = {
      {"97.4 % of the values that RCP uses are current", "at least 97 % on average",
       format("{:.2f} %", 100 * current), current >= 0.97},
      {"a further 2.2 % are one version old", "at least 99 % at most one version old",
       format("{:.2f} %", 100 * nearly), nearly >= 0.99},
  };
  return figure;
}

Result<Figure> replay_fig10(Laboratory& lab) {
  Figure figure = lab.trials().blank();
  LEEWAY_ASSIGN(const std::vector<Measured> all, measure(lab.trials(), figure));
  tabulate(all, iterations, figure);
  const double rcp = geometric_mean(series(all, kRcp, iterations));
  const double stale2 = geometric_mean(series(all, kStale2, iterations));
  const double stale3 = geometric_mean(series(all, kStale3, iterations));
  figure.claims = {
      at_most("RCP needs 49.5 % more iterations than SCP+RW", 1.5, series(all, kRcp, iterations)),
      {"Stale-2 and Stale-3 need more than RCP (146 % and 176 % more than SCP+RW)",
       "both means are above RCP's",
       format("{:.2f} and {:.2f} against {:.2f}", stale2, stale3, rcp),
       stale2 > rcp && stale3 > rcp},
  };
  return figure;
}

Result<Figure> replay_fig11(Laboratory& lab) {
  Figure figure = lab.trials().blank();
  LEEWAY_ASSIGN(const std::vector<Measured> all, measure(lab.trials(), figure));
  tabulate(all, messages, figure);
  const std::vector<double> rcp = series(all, kRcp, messages);
  const double worst = rcp.empty() ? 0 : *std::max_element(rcp.begin(), rcp.end());
  const auto fewer = std::count_if(rcp.begin(), rcp.end(), [](double r) { return r < 1; });
  figure.claims = {
      {"in most cases RCP sends fewer messages than SCP+RW", "for more than half of the programs",
       format("for {} of {}", fewer, rcp.size()),
       static_cast<double>(fewer) > kMost * static_cast<double>(rcp.size())},
      {"and in the others less than 5 % more", "no program above 1.05",
       format("at most {:.2f}", worst), !rcp.empty() && worst <= 1.05},
      push_claim(all, "fewer messages", messages),
  };
  return figure;
}

}  // namespace leeway::replay
