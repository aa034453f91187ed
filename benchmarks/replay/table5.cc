// ASPIRE §6.4: Figure 16, supersteps beside RCP, and Table 5, RCP with filled caches beside GraphLab,
// whose times stay the paper's.
#include <array>
#include <cmath>

#include "leeway/benchmarks/replay/laboratory.h"

namespace leeway::replay {

namespace {

/// Seconds of RCP and of GraphLab by input in the order of Table 2; x: it crashed or took more than an hour.
struct Paper {
  std::string_view benchmark;
  std::array<std::pair<std::string_view, std::string_view>, 6> seconds;
};
// clang-format off
constexpr std::array<Paper, 5> kPaper = {{
    {"SSSP", {{{"161.88", "239.4"}, {"21.73", "15.7"}, {"9.47", "8.7"}, {"2.5", "5.5"}, {"49.47", "60.3"}, {"44.21", "18.3"}}}},
    {"PR", {{{"822.95", "829.3"}, {"343.96", "295.1"}, {"169.47", "159.9"}, {"15.64", "x"}, {"7.70", "88.4"}, {"5.05", "78"}}}},
    {"GC", {{{"92.79", "248.66"}, {"17.44", "x"}, {"8.81", "173.47"}, {"3.59", "263.45"}, {"0.93", "50.22"}, {"0.53", "60.76"}}}},
    {"CC", {{{"90.31", "102.02"}, {"22.09", "66.99"}, {"7.1", "40.52"}, {"4.1", "16.21"}, {"56.96", "220.9"}, {"50.94", "115.6"}}}},
    {"NP", {{{"2.35", "140.5"}, {"133.43", "150.2"}, {"1.74", "76.4"}, {"0.48", "32.5"}, {"16.51", "37.4"}, {"15.83", "x"}}}}}};
// clang-format on

}  // namespace

Result<Figure> replay_fig16(Laboratory& lab) {
  Trials& trials = lab.trials();
  Figure figure = trials.blank();
  Rows rows(figure, {shown("program"), shown("BSP s", ".4g"), shown("RCP s", ".4g"),
                     shown("BSP / RCP", ".2f")});
  std::vector<double> ratios;
  for (const Case& each : one_input_each()) {
    Trial trial = trials.trial(each.benchmark, each.input, "rcp");
    LEEWAY_ASSIGN(const TrialResult* rcp, trials.run(trial));
    trial.bsp = true;
    LEEWAY_ASSIGN(const TrialResult* bsp, trials.run(trial));
    const double ratio = time_ratio(*bsp, *rcp);
    if (std::isfinite(ratio)) ratios.push_back(ratio);
    rows.add({each.benchmark, seconds_cell(*bsp), seconds_cell(*rcp), ratio});
  }
  trials.add_raw(figure);
  figure.claims = {
      mean_at_least("asynchronous programs under RCP are 4.2 times as fast as BSP on average",
                    "geometric mean of BSP / RCP at least 4.2", ratios, "programs", 4.2)};
  return figure;
}

Result<Figure> replay_table5(Laboratory& lab) {
  Trials& trials = lab.trials();
  Figure figure = trials.blank();
  Rows rows(figure,
            {shown("program"), shown("input"), shown("RCP s", ".4g"), shown("cold RCP s", ".4g"),
             shown("cold / filled", ".2f"), shown("paper's RCP s"), shown("paper's GraphLab s")});
  figure.notes.emplace_back("GraphLab is not run here: its column is the paper's");
  constexpr std::array kKinds = {InputKind::Social, InputKind::Road};
  const std::vector<std::string_view> names = trials.shown(kKinds);
  std::vector<double> gains;
  for (const Paper& paper : kPaper) {
    for (std::size_t i = 0; i < names.size(); ++i) {
      Trial trial = trials.trial(paper.benchmark, names[i], "rcp");
      LEEWAY_ASSIGN(const TrialResult* cold, trials.run(trial));
      trial.replicate = true;
      LEEWAY_ASSIGN(const TrialResult* filled, trials.run(trial));
      const double gain = time_ratio(*cold, *filled);
      if (std::isfinite(gain)) gains.push_back(gain);
      rows.add({paper.benchmark, names[i], seconds_cell(*filled), seconds_cell(*cold), gain,
                paper.seconds[i].first, paper.seconds[i].second});
    }
  }
  trials.add_raw(figure);
  figure.claims = {
      mean_at_least("filling the caches beforehand makes RCP faster (Table 5 against Table 3)",
                    "geometric mean of cold over filled above 1", gains, "pairs", 1)};
  figure.claims.front().agrees = geometric_mean(gains) > 1;
  return figure;
}

}  // namespace leeway::replay
