// ASPIRE §6.4: Figure 16, supersteps beside RCP, and Table 5, RCP with filled caches beside GraphLab,
// whose times stay the paper's.
#include <algorithm>
#include <array>

#include "leeway/base/format.h"
#include "leeway/benchmarks/replay/evaluation.h"

namespace leeway::replay {

namespace {

struct Paper {
  std::string_view benchmark;
  std::string_view input;
  std::string_view rcp;
  std::string_view graphlab;  ///< x: it crashed or took more than an hour
};
constexpr std::array kPaper = {
    Paper{"SSSP", "Orkut", "161.88", "239.4"},   Paper{"SSSP", "LiveJournal", "21.73", "15.7"},
    Paper{"SSSP", "Pokec", "9.47", "8.7"},       Paper{"SSSP", "HiggsTwitter", "2.5", "5.5"},
    Paper{"SSSP", "RoadNetCA", "49.47", "60.3"}, Paper{"SSSP", "RoadNetTX", "44.21", "18.3"},
    Paper{"PR", "Orkut", "822.95", "829.3"},     Paper{"PR", "LiveJournal", "343.96", "295.1"},
    Paper{"PR", "Pokec", "169.47", "159.9"},     Paper{"PR", "HiggsTwitter", "15.64", "x"},
    Paper{"PR", "RoadNetCA", "7.70", "88.4"},    Paper{"PR", "RoadNetTX", "5.05", "78"},
    Paper{"GC", "Orkut", "92.79", "248.66"},     Paper{"GC", "LiveJournal", "17.44", "x"},
    Paper{"GC", "Pokec", "8.81", "173.47"},      Paper{"GC", "HiggsTwitter", "3.59", "263.45"},
    Paper{"GC", "RoadNetCA", "0.93", "50.22"},   Paper{"GC", "RoadNetTX", "0.53", "60.76"},
    Paper{"CC", "Orkut", "90.31", "102.02"},     Paper{"CC", "LiveJournal", "22.09", "66.99"},
    Paper{"CC", "Pokec", "7.1", "40.52"},        Paper{"CC", "HiggsTwitter", "4.1", "16.21"},
    Paper{"CC", "RoadNetCA", "56.96", "220.9"},  Paper{"CC", "RoadNetTX", "50.94", "115.6"},
    Paper{"NP", "Orkut", "2.35", "140.5"},       Paper{"NP", "LiveJournal", "133.43", "150.2"},
    Paper{"NP", "Pokec", "1.74", "76.4"},        Paper{"NP", "HiggsTwitter", "0.48", "32.5"},
    Paper{"NP", "RoadNetCA", "16.51", "37.4"},   Paper{"NP", "RoadNetTX", "15.83", "x"},
};

}  // namespace

Result<Figure> replay_fig16(Trials& trials) {
  Figure figure = trials.blank("fig16", "BSP beside RCP");
  figure.shown.columns = {"program", "BSP s", "RCP s", "BSP / RCP"};
  std::vector<double> ratios;
  std::vector<Trial> runs;
  for (const Case& each : one_input_each()) {
    runs.push_back(trials.trial(each.benchmark->paper, each.input, "rcp"));
    LEEWAY_ASSIGN(const TrialResult* rcp, trials.run(runs.back()));
    Trial supersteps = runs.back();
    supersteps.bsp = true;
    runs.push_back(supersteps);
    LEEWAY_ASSIGN(const TrialResult* bsp, trials.run(supersteps));
    const double ratio = bsp->seconds / rcp->seconds;
    if (bsp->converged && rcp->converged) ratios.push_back(ratio);
    figure.shown.rows.push_back({std::string(each.benchmark->paper), seconds_cell(*bsp),
                                 seconds_cell(*rcp), ratio_cell(*bsp, *rcp, ratio)});
  }
  trials.add_raw(runs, figure);
  const double mean = geometric_mean(ratios);
  figure.claims = {{"asynchronous programs under RCP are 4.2 times as fast as BSP on average",
                    "geometric mean of BSP / RCP at least 4.2",
                    format("{:.2f} over {} programs", mean, ratios.size()), mean >= 4.2}};
  return figure;
}

Result<Figure> replay_table5(Trials& trials) {
  Figure figure = trials.blank("table5", "RCP with filled caches");
  figure.shown.columns = {"program",           "input",         "RCP s",
                          "cold RCP s",        "cold / filled", "paper's RCP s",
                          "paper's GraphLab s"};
  figure.notes.emplace_back("GraphLab is not run here: its column is the paper's");
  constexpr std::array kKinds = {InputKind::Social, InputKind::Road};
  const std::vector<std::string_view> names = trials.shown(kKinds);
  std::vector<double> gains;
  std::vector<Trial> runs;
  for (const Paper& paper : kPaper) {
    if (std::find(names.begin(), names.end(), paper.input) == names.end()) continue;
    runs.push_back(trials.trial(paper.benchmark, paper.input, "rcp"));
    LEEWAY_ASSIGN(const TrialResult* cold, trials.run(runs.back()));
    Trial filled_run = runs.back();
    filled_run.replicate = true;
    runs.push_back(filled_run);
    LEEWAY_ASSIGN(const TrialResult* filled, trials.run(filled_run));
    const double gain = cold->seconds / filled->seconds;
    if (cold->converged && filled->converged) gains.push_back(gain);
    figure.shown.rows.push_back({std::string(paper.benchmark), std::string(paper.input),
                                 seconds_cell(*filled), seconds_cell(*cold),
                                 ratio_cell(*cold, *filled, gain), std::string(paper.rcp),
                                 std::string(paper.graphlab)});
  }
  trials.add_raw(runs, figure);
  const double mean = geometric_mean(gains);
  figure.claims = {{"filling the caches beforehand makes RCP faster (Table 5 beside Table 3)",
                    "geometric mean of cold over filled above 1",
                    format("{:.2f} over {} pairs", mean, gains.size()), mean > 1}};
  return figure;
}

}  // namespace leeway::replay
