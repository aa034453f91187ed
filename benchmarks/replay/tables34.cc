// ASPIRE §6.1, Tables 3 and 4: strict and relaxed consistency across programs and inputs, caches cold.
#include <array>

#include "leeway/base/format.h"
#include "leeway/benchmarks/replay/evaluation.h"

namespace leeway::replay {

namespace {

struct Paper {
  std::string_view benchmark;
  std::string_view input;
  double scp;
  double rcp;
};
constexpr std::array kPaper = {
    Paper{"CD", "Orkut", 1530.79, 974.92},
    Paper{"CD", "LiveJournal", 1141.16, 307.95},
    Paper{"CD", "Pokec", 572.24, 238.43},
    Paper{"CD", "HiggsTwitter", 70.70, 36.46},
    Paper{"CD", "RoadNetCA", 2.64, 1.95},
    Paper{"CD", "RoadNetTX", 1.10, 1.17},
    Paper{"CC", "Orkut", 1846.50, 710.13},
    Paper{"CC", "LiveJournal", 1045.28, 316.46},
    Paper{"CC", "Pokec", 316.16, 154.70},
    Paper{"CC", "HiggsTwitter", 261.08, 78.11},
    Paper{"CC", "RoadNetCA", 77.85, 69.10},
    Paper{"CC", "RoadNetTX", 62.16, 66.26},
    Paper{"GC", "Orkut", 1568.78, 733.03},
    Paper{"GC", "LiveJournal", 629.59, 254.53},
    Paper{"GC", "Pokec", 228.89, 101.09},
    Paper{"GC", "HiggsTwitter", 72.87, 35.48},
    Paper{"GC", "RoadNetCA", 0.53, 0.95},
    Paper{"GC", "RoadNetTX", 0.56, 0.64},
    Paper{"NP", "Orkut", 182.36, 124.67},
    Paper{"NP", "LiveJournal", 141.67, 117.64},
    Paper{"NP", "Pokec", 81.02, 39.97},
    Paper{"NP", "HiggsTwitter", 31.87, 12.20},
    Paper{"NP", "RoadNetCA", 139.30, 140.70},
    Paper{"NP", "RoadNetTX", 174.23, 179.28},
    Paper{"PR", "Orkut", 4191.12, 2710.07},
    Paper{"PR", "LiveJournal", 3754.83, 2047.06},
    Paper{"PR", "Pokec", 1767.52, 275.29},
    Paper{"PR", "HiggsTwitter", 602.56, 88.85},
    Paper{"PR", "RoadNetCA", 12.06, 11.82},
    Paper{"PR", "RoadNetTX", 7.19, 8.39},
    Paper{"SSSP", "Orkut", 1735.11, 714.98},
    Paper{"SSSP", "LiveJournal", 759.69, 317.62},
    Paper{"SSSP", "Pokec", 248.48, 118.72},
    Paper{"SSSP", "HiggsTwitter", 49.96, 39.98},
    Paper{"SSSP", "RoadNetCA", 74.32, 72.30},
    Paper{"SSSP", "RoadNetTX", 71.92, 73.28},
    Paper{"HS", "AtmosModl", 110.11, 23.99},
    Paper{"HS", "3DSpectralWave", 464.68, 40.00},
    Paper{"HS", "DielFilterV3Real", 75.12, 29.27},
    Paper{"HS", "Flan1565", 180.38, 93.79},
    Paper{"WS", "AtmosModl", 61.45, 14.51},
    Paper{"WS", "3DSpectralWave", 237.76, 28.87},
    Paper{"WS", "DielFilterV3Real", 106.14, 48.00},
    Paper{"WS", "Flan1565", 218.55, 149.18},
};

/// SCP's time over RCP's, in the paper.
double paper_speedup(std::string_view benchmark, std::string_view input) {
  for (const Paper& paper : kPaper) {
    if (paper.benchmark == benchmark && paper.input == input) return paper.scp / paper.rcp;
  }
  return 0;
}

struct Speedups {
  std::vector<double> all;
  std::vector<double> roads;
};

Result<Speedups> compare(Trials& trials, std::span<const Benchmark> benchmarks,
                         std::span<const InputKind> kinds, Figure& figure) {
  figure.shown.columns = {"program", "input", "SCP s", "RCP s", "SCP / RCP", "paper's"};
  Speedups speedups;
  std::vector<Trial> runs;
  for (const Benchmark& benchmark : benchmarks) {
    for (const std::string_view input : trials.shown(kinds)) {
      runs.push_back(trials.trial(benchmark.paper, input, "scp"));
      LEEWAY_ASSIGN(const TrialResult* scp, trials.run(runs.back()));
      runs.push_back(trials.trial(benchmark.paper, input, "rcp"));
      LEEWAY_ASSIGN(const TrialResult* rcp, trials.run(runs.back()));
      const double speedup = scp->seconds / rcp->seconds;
      figure.shown.rows.push_back({std::string(benchmark.paper), std::string(input),
                                   seconds_cell(*scp), seconds_cell(*rcp),
                                   ratio_cell(*scp, *rcp, speedup),
                                   format("{:.2f}", paper_speedup(benchmark.paper, input))});
      if (!scp->converged || !rcp->converged) continue;
      speedups.all.push_back(speedup);
      if (input_named(input).kind == InputKind::Road) speedups.roads.push_back(speedup);
    }
  }
  trials.add_raw(runs, figure);
  return speedups;
}

Claim mean_claim(std::string paper, double least, std::span<const double> speedups) {
  const double mean = geometric_mean(speedups);
  return {std::move(paper), format("geometric mean of SCP / RCP at least {:.2f}", least),
          format("{:.2f} over {} pairs", mean, speedups.size()),
          !speedups.empty() && mean >= least};
}

}  // namespace

Result<Figure> replay_table3(Trials& trials) {
  constexpr std::array kKinds = {InputKind::Social, InputKind::Road};
  Figure figure = trials.blank("table3", "SCP and RCP on graphs");
  LEEWAY_ASSIGN(const Speedups speedups, compare(trials, graph_benchmarks(), kKinds, figure));
  figure.claims = {
      mean_claim("RCP is 2.04 times as fast as SCP on average over graph mining and analytics",
                 2.04, speedups.all)};
  if (!speedups.roads.empty()) {
    const double roads = geometric_mean(speedups.roads);
    figure.claims.push_back(
        {"RCP and SCP perform alike on road networks, whose parts share few edges",
         format("geometric mean of SCP / RCP on roads within {:.0f} % of 1", 100 * kSimilarWithin),
         format("{:.2f}", roads), similar(std::array{roads}, std::array{1.0})});
  }
  return figure;
}

Result<Figure> replay_table4(Trials& trials) {
  constexpr std::array kKinds = {InputKind::Matrix};
  Figure figure = trials.blank("table4", "SCP and RCP on partial differential equations");
  LEEWAY_ASSIGN(const Speedups speedups, compare(trials, pde_benchmarks(), kKinds, figure));
  figure.claims = {
      mean_claim("RCP is 4.6 times as fast as SCP on average over equations", 4.6, speedups.all)};
  return figure;
}

}  // namespace leeway::replay
