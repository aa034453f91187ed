// ASPIRE §6.1, Tables 3 and 4: strict and relaxed consistency across programs and inputs, caches cold; and Figure 6,
// what is gained on clusters of 2, 4, 8 and 16 nodes.
#include <algorithm>
#include <array>
#include <cmath>

#include "leeway/base/format.h"
#include "leeway/benchmarks/replay/laboratory.h"

namespace leeway::replay {

namespace {

/// Seconds of SCP and RCP in the paper, by input in the order of Table 2.
struct Paper {
  std::string_view benchmark;
  std::vector<std::pair<double, double>> seconds;
};
const std::vector<Paper>& paper() {
  // clang-format off
  static const std::vector<Paper> kPaper = {
      {"CD", {{1530.79, 974.92}, {1141.16, 307.95}, {572.24, 238.43}, {70.70, 36.46}, {2.64, 1.95}, {1.10, 1.17}}},
      {"CC", {{1846.50, 710.13}, {1045.28, 316.46}, {316.16, 154.70}, {261.08, 78.11}, {77.85, 69.10}, {62.16, 66.26}}},
      {"GC", {{1568.78, 733.03}, {629.59, 254.53}, {228.89, 101.09}, {72.87, 35.48}, {0.53, 0.95}, {0.56, 0.64}}},
      {"NP", {{182.36, 124.67}, {141.67, 117.64}, {81.02, 39.97}, {31.87, 12.20}, {139.30, 140.70}, {174.23, 179.28}}},
      {"PR", {{4191.12, 2710.07}, {3754.83, 2047.06}, {1767.52, 275.29}, {602.56, 88.85}, {12.06, 11.82}, {7.19, 8.39}}},
      {"SSSP", {{1735.11, 714.98}, {759.69, 317.62}, {248.48, 118.72}, {49.96, 39.98}, {74.32, 72.30}, {71.92, 73.28}}},
      {"HS", {{110.11, 23.99}, {464.68, 40.00}, {75.12, 29.27}, {180.38, 93.79}}},
      {"WS", {{61.45, 14.51}, {237.76, 28.87}, {106.14, 48.00}, {218.55, 149.18}}}};
  // clang-format on
  return kPaper;
}

/// SCP's time over RCP's, in the paper; `place`: of the input among those shown.
double paper_speedup(std::string_view benchmark, std::size_t place) {
  const auto found = std::find_if(paper().begin(), paper().end(),
                                  [&](const Paper& each) { return each.benchmark == benchmark; });
  return found->seconds[place].first / found->seconds[place].second;
}

struct Speedups {
  std::vector<double> all;
  std::vector<double> roads;
};

Result<Speedups> compare(Trials& trials, std::span<const Benchmark> benchmarks,
                         std::span<const InputKind> kinds, Figure& figure) {
  Rows rows(figure, {shown("program"), shown("input"), shown("SCP s", ".4g"), shown("RCP s", ".4g"),
                     shown("SCP / RCP", ".2f"), shown("paper's", ".2f")});
  Speedups speedups;
  const std::vector<std::string_view> names = trials.shown(kinds);
  for (const Benchmark& benchmark : benchmarks) {
    for (std::size_t i = 0; i < names.size(); ++i) {
      LEEWAY_ASSIGN(const auto* scp, trials.run(trials.trial(benchmark.paper, names[i], "scp")));
      LEEWAY_ASSIGN(const auto* rcp, trials.run(trials.trial(benchmark.paper, names[i], "rcp")));
      const double speedup = time_ratio(*scp, *rcp);
      rows.add({benchmark.paper, names[i], seconds_cell(*scp), seconds_cell(*rcp), speedup,
                paper_speedup(benchmark.paper, i)});
      if (!std::isfinite(speedup)) continue;
      speedups.all.push_back(speedup);
      if (input_named(names[i]).kind == InputKind::Road) speedups.roads.push_back(speedup);
    }
  }
  trials.add_raw(figure);
  return speedups;
}

}  // namespace

Result<Figure> replay_table3(Laboratory& lab) {
  constexpr std::array kKinds = {InputKind::Social, InputKind::Road};
  Figure figure = lab.trials().blank();
  LEEWAY_ASSIGN(const Speedups speedups, compare(lab.trials(), graph_benchmarks(), kKinds, figure));
  figure.claims = {
      mean_at_least("RCP is 2.04 times as fast as SCP on average over graph mining and analytics",
                    "geometric mean of SCP / RCP at least 2.04", speedups.all, "pairs", 2.04)};
  if (!speedups.roads.empty()) {
    const double roads = geometric_mean(speedups.roads);
    figure.claims.push_back(
        {"RCP and SCP perform alike on road networks, whose parts share few edges",
         format("geometric mean of SCP / RCP on roads within {:.0f} % of 1", 100 * kSimilarWithin),
         format("{:.2f}", roads), similar(std::array{roads}, std::array{1.0})});
  }
  return figure;
}

Result<Figure> replay_table4(Laboratory& lab) {
  constexpr std::array kKinds = {InputKind::Matrix};
  Figure figure = lab.trials().blank();
  LEEWAY_ASSIGN(const Speedups speedups, compare(lab.trials(), pde_benchmarks(), kKinds, figure));
  figure.claims = {mean_at_least("RCP is 4.6 times as fast as SCP on average over equations",
                                 "geometric mean of SCP / RCP at least 4.60", speedups.all, "pairs",
                                 4.6)};
  return figure;
}

Result<Figure> replay_fig6(Laboratory& lab) {
  constexpr std::array<std::uint32_t, 4> kNodes = {2, 4, 8, 16};
  Figure figure = lab.trials().blank();
  Rows rows(figure, {shown("program"), shown("2 nodes", ".2f"), shown("4 nodes", ".2f"),
                     shown("8 nodes", ".2f"), shown("16 nodes", ".2f")});
  std::array<std::vector<double>, kNodes.size()> speedups;
  for (const Case& each : one_input_each()) {
    std::vector<Cell> row = {each.benchmark};
    for (std::size_t i = 0; i < kNodes.size(); ++i) {
      std::array<const TrialResult*, 2> results{};
      for (std::size_t mode = 0; mode < 2; ++mode) {
        Trial trial = lab.trials().trial(each.benchmark, each.input, mode == 0 ? "scp" : "rcp");
        trial.nodes = kNodes[i];
        LEEWAY_ASSIGN(results[mode], lab.trials().run(trial));
      }
      const double speedup = time_ratio(*results[0], *results[1]);
      row.emplace_back(speedup);
      if (std::isfinite(speedup)) speedups[i].push_back(speedup);
    }
    rows.add(row);
  }
  std::vector<double> means;
  for (const auto& some : speedups) means.push_back(geometric_mean(some));
  rows.add({"mean", means[0], means[1], means[2], means[3]});
  rows.add({"paper's mean", 1.6, 1.9, 2.6, 3.3});
  lab.trials().add_raw(figure);
  figure.configuration.front().second = "2, 4, 8 and 16 virtual, METIS partition";
  figure.claims = {
      {"RCP's gain over SCP grows with the cluster",
       "the mean at each size is above that at the size before", listed(means), rises(means)},
      {"on 16 nodes RCP is 3.3 times as fast as SCP", "the mean at 16 nodes is at least 3.3",
       format("{:.2f}", means.back()), means.back() >= 3.3},
  };
  return figure;
}

}  // namespace leeway::replay
