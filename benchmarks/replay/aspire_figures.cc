// The figures and tables of ASPIRE §6: Tables 3 and 4 and Figure 6 (strict and relaxed consistency), Figures 7 to 11
// (bounded staleness), Figures 12 to 15 (synthetic program), Figure 16 and Table 5 (BSP and GraphLab).

#include <algorithm>
#include <array>
#include <cmath>

#include "base/format.h"
#include "benchmarks/replay/laboratory.h"

namespace leeway::replay {

namespace {

constexpr std::array<std::string_view, 6> kModes = {"scp+rw",  "stale-1", "stale-2",
                                                    "stale-3", "rcp",     "rcp+push"};
enum ModeIndex : std::size_t { kBase, kStale1, kStale2, kStale3, kRcp, kPush };

/// A program under every mode.
struct Measured {
  std::string_view benchmark;
  std::array<const TrialResult*, kModes.size()> by_mode{};

  [[nodiscard]] bool converged(std::size_t mode) const { return by_mode[mode]->converged; }
};

Result<std::vector<Measured>> measure_modes(Trials& trials, Figure& figure) {
  std::vector<Measured> all;
  for (const BenchmarkCase& each : one_input_each()) {
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

/// Relative to the base mode; NaN if one of them did not converge.
double normalized(const Measured& measured, std::size_t mode, Quantity quantity) {
  if (!measured.converged(kBase) || !measured.converged(mode)) return NAN;
  return quantity(*measured.by_mode[mode]) / std::max(quantity(*measured.by_mode[kBase]), 1e-300);
}

/// The ratios of `mode` to the base mode, for programs that converged under both.
std::vector<double> series(std::span<const Measured> all, std::size_t mode, Quantity quantity) {
  std::vector<double> ratios;
  for (const Measured& measured : all) {
    const double ratio = normalized(measured, mode, quantity);
    if (std::isfinite(ratio)) ratios.push_back(ratio);
  }
  return ratios;
}

/// One row per program, one column per mode; the last row contains the means.
void tabulate(std::span<const Measured> all, Quantity quantity, Figure& figure) {
  std::vector<Column> columns = {shown("program")};
  for (const std::string_view mode : kModes) columns.push_back(shown(std::string(mode), ".2f"));
  Rows rows(figure, columns);
  std::vector<FigureCell> means = {"mean"};
  for (const Measured& measured : all) {
    std::vector<FigureCell> row = {measured.benchmark};
    for (std::size_t mode = 0; mode < kModes.size(); ++mode)
      row.emplace_back(normalized(measured, mode, quantity));
    rows.add(row);
  }
  for (std::size_t mode = 0; mode < kModes.size(); ++mode)
    means.emplace_back(geometric_mean(series(all, mode, quantity)));
  rows.add(means);
}

/// The bounded mode with the least value of a quantity among those that converged; null if none did.
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
  LEEWAY_ASSIGN(const std::vector<Measured> all, measure_modes(lab.trials(), figure));
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
  LEEWAY_ASSIGN(const std::vector<Measured> all, measure_modes(lab.trials(), figure));
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
  LEEWAY_ASSIGN(const std::vector<Measured> all, measure_modes(lab.trials(), figure));
  Rows rows(figure, {shown("program"), shown("mode"), shown("0 %", ".3f"), shown("1 %", ".3f"),
                     shown("2 %", ".3f"), shown("3 %", ".3f"), shown("4+ %", ".3f")});
  double current = 0;
  double nearly = 0;
  for (const Measured& measured : all) {
    for (const std::size_t mode : {kStale2, kStale3, kRcp, kPush}) {
      std::vector<FigureCell> row = {measured.benchmark, kModes[mode]};
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
  LEEWAY_ASSIGN(const std::vector<Measured> all, measure_modes(lab.trials(), figure));
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
  LEEWAY_ASSIGN(const std::vector<Measured> all, measure_modes(lab.trials(), figure));
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

namespace {

// ASPIRE §6.3, Figures 12 and 13: the cost of several writes of a vertex per iteration under SCP, SCP with updates in
// its invalidations, and RCP, relative to one write under the same mode, and relative to SCP with equally many
// writes.
using Series = std::array<std::vector<double>, 3>;

std::vector<double> next_to_single(std::span<const SyntheticResult> results) {
  const std::vector<double> seconds = seconds_of(results);
  return ratios(seconds, std::vector<double>(seconds.size(), seconds.front()));
}

Series tabulate(const MultipleWrites& measured, const char* suffix, Rows& rows) {
  const Series series = {next_to_single(measured.scp), next_to_single(measured.scp_pb),
                         next_to_single(measured.rcp)};
  for (std::size_t i = 0; i < kWrites.size(); ++i) {
    rows.add({std::to_string(kWrites[i]) + suffix, measured.scp[i].seconds,
              measured.scp_pb[i].seconds, measured.rcp[i].seconds, series[0][i], series[1][i],
              series[2][i]});
  }
  return series;
}

void keep_raw(const MultipleWrites& measured, SyntheticParameters parameters, Rows& rows) {
  const std::pair<const char*, const std::vector<SyntheticResult>*> modes[] = {
      {"scp", &measured.scp}, {"scp+pb", &measured.scp_pb}, {"rcp", &measured.rcp}};
  for (const auto& [mode, results] : modes) {
    parameters.mode = mode;
    for (std::size_t i = 0; i < results->size(); ++i) {
      parameters.writes = kWrites[i];
      rows.add(raw_cells(parameters, (*results)[i]));
    }
  }
}

}  // namespace

Result<Figure> replay_fig12(Laboratory& lab) {
  LEEWAY_ASSIGN(SyntheticBench* const bench, lab.synthetic());
  LEEWAY_ASSIGN(const MultipleWrites* const measured, bench->multiple_writes());
  LEEWAY_ASSIGN(const MultipleWrites* const spread, bench->multiple_writes(true));
  SyntheticParameters parameters = bench->parameters("rcp");
  Figure figure = bench->blank(parameters);
  Rows rows(figure, {shown("writes"), shown("SCP s", ".4f"), shown("SCP+PB s", ".4f"),
                     shown("RCP s", ".4f"), shown("SCP", ".2f"), shown("SCP+PB", ".2f"),
                     shown("RCP", ".2f")});
  const Series series = tabulate(*measured, "", rows);
  tabulate(*spread, " spread", rows);
  figure.notes.push_back(
      "spread: one pass over all vertices per write, not several writes of one vertex in a row; "
      "shown in addition, not used by the claims");
  const std::string drastic =
      format("each step above the one before, and at least {} times at the end", kDrasticGrowth);
  figure.claims = {
      {"SCP's time grows drastically with the writes", drastic, listed(series[0]),
       rises_drastically(series[0])},
      {"SCP+PB's time grows drastically with the writes", drastic, listed(series[1]),
       rises_drastically(series[1])},
      {"RCP with several writes performs like RCP with one",
       format("every time within {:.0f} % of the single write's", 100 * kSimilarWithin),
       listed(series[2]), similar(series[2], std::vector<double>(series[2].size(), 1.0))},
  };
  Rows runs(figure, raw_columns());
  keep_raw(*measured, parameters, runs);
  parameters.spread_writes = true;
  keep_raw(*spread, parameters, runs);
  return figure;
}

Result<Figure> replay_fig13(Laboratory& lab) {
  LEEWAY_ASSIGN(SyntheticBench* const bench, lab.synthetic());
  LEEWAY_ASSIGN(const MultipleWrites* const measured, bench->multiple_writes());
  Figure figure = bench->blank(bench->parameters("rcp"));
  const std::vector<double> scp = seconds_of(measured->scp);
  const std::vector<double> pushed = ratios(seconds_of(measured->scp_pb), scp);
  const std::vector<double> relaxed = ratios(seconds_of(measured->rcp), scp);
  const std::vector<double> one(scp.size(), 1.0);
  Rows rows(figure, {both("writes"), shown("SCP", ".2f"), raw("scp_seconds", ".9f"),
                     both("SCP+PB", ".2f", "scp_pb_over_scp", ".6f"),
                     both("RCP", ".2f", "rcp_over_scp", ".6f")});
  for (std::size_t i = 0; i < scp.size(); ++i)
    rows.add({kWrites[i], 1.0, scp[i], pushed[i], relaxed[i]});
  figure.claims = {
      {"SCP+PB performs better than SCP", "below SCP at every number of writes", listed(pushed),
       below_everywhere(pushed, one)},
      {"what SCP+PB gains over SCP shrinks as the writes grow",
       "its share of SCP's time rises at every step", listed(pushed), rises(pushed)},
      {"RCP tolerates writes that SCP does not",
       "below SCP everywhere, and its share of SCP's time falls at every step", listed(relaxed),
       below_everywhere(relaxed, one) && falls(relaxed)},
  };
  return figure;
}

// ASPIRE §6.3, Figure 14: the same program with objects of eight bytes up to several KiB.
Result<Figure> replay_fig14(Laboratory& lab) {
  constexpr std::array<const char*, 3> kModes = {"scp", "scp+pb", "rcp"};
  LEEWAY_ASSIGN(SyntheticBench* const bench, lab.synthetic());
  SyntheticParameters parameters = bench->parameters("rcp");
  Figure figure = bench->blank(parameters);
  Rows rows(figure,
            {shown("bytes"), shown("SCP s", ".4f"), shown("SCP+PB s", ".4f"), shown("RCP s", ".4f"),
             shown("SCP+PB / SCP", ".2f"), shown("RCP / SCP", ".2f")});
  Rows runs(figure, raw_columns());
  std::array<std::vector<double>, kModes.size()> times;
  for (const std::uint32_t bytes : kObjectBytes) {
    for (std::size_t mode = 0; mode < kModes.size(); ++mode) {
      parameters.mode = kModes[mode];
      parameters.object_bytes = bytes;
      LEEWAY_ASSIGN(const SyntheticResult result, bench->run(parameters));
      times[mode].push_back(result.seconds);
      runs.add(raw_cells(parameters, result));
    }
    const double scp = times[0].back(), pushed = times[1].back(), relaxed = times[2].back();
    rows.add({bytes, scp, pushed, relaxed, pushed / scp, relaxed / scp});
  }
  figure.claims = {
      {"updates on the invalidations perform like invalidations alone, at every size",
       format("SCP+PB within {:.0f} % of SCP everywhere", 100 * kSimilarWithin),
       listed(ratios(times[1], times[0])), similar(times[1], times[0])},
      {"RCP performs better than both, at every size", "RCP below SCP and below SCP+PB everywhere",
       format("of SCP {}; of SCP+PB {}", listed(ratios(times[2], times[0])),
              listed(ratios(times[2], times[1]))),
       below_everywhere(times[2], times[0]) && below_everywhere(times[2], times[1])},
  };
  return figure;
}

namespace {

// ASPIRE §6.3, Figure 15: the effect of slower fetches on the greatest staleness of values used under RCP. As in the
// paper, fetches are delayed, but not invalidations or the barrier of Algorithm 1.
constexpr std::uint32_t kIterations = 10;
/// Added to every answer to a fetch, in microseconds.
constexpr std::array<std::uint64_t, 5> kExtraMicros = {0, 1'000, 10'000, 100'000, 1'000'000};

void add_delay_row(std::uint64_t micros, std::span<const std::uint64_t> copies, Rows& rows) {
  std::vector<FigureCell> cells = {format("{} ms", static_cast<double>(micros) / 1000),
                                   greatest(copies)};
  double before = 0;
  for (const std::uint64_t limit : {0u, 1u, 2u, 4u, 8u, 16u}) {
    const double below = share_at_most(copies, limit);
    cells.emplace_back(100 * (below - before));
    before = below;
  }
  cells.emplace_back(100 * (1 - before));
  rows.add(cells);
}

}  // namespace

Result<Figure> replay_fig15(Laboratory& lab) {
  LEEWAY_ASSIGN(SyntheticBench* const bench, lab.synthetic());
  SyntheticParameters parameters = bench->parameters("rcp", kIterations);
  Figure figure = bench->blank(parameters);
  figure.notes.push_back(
      "shares are of cached copies, by the staleness of each one's stalest use, in per cent");
  figure.notes.push_back(
      "the delay is added to answers to fetches and refreshes alone; a barrier ends each "
      "iteration");
  std::vector<Column> columns = {shown("added delay"), shown("greatest")};
  for (const char* ages : {"0", "1", "2", "3-4", "5-8", "9-16", "above"})
    columns.push_back(shown(ages, ".2f"));
  Rows rows(figure, columns);
  Rows runs(figure, raw_columns({raw("added_us"), raw("staleness"), raw("copies")}));
  std::vector<std::uint64_t> most;
  std::vector<double> low, very_stale;
  bool all_mostly_low = true;
  for (const std::uint64_t micros : kExtraMicros) {
    parameters.fetch_delay = std::chrono::microseconds(micros);
    LEEWAY_ASSIGN(const SyntheticResult result, bench->run(parameters));
    const std::span<const std::uint64_t> copies(result.copies_by_staleness);
    most.push_back(greatest(copies));
    low.push_back(share_at_most(copies, kLowStaleness));
    very_stale.push_back(share_very_stale(copies));
    all_mostly_low = all_mostly_low && mostly_low(copies);
    add_delay_row(micros, copies, rows);
    for (std::size_t staleness = 0; staleness < copies.size(); ++staleness)
      runs.add(raw_cells(parameters, result, {micros, staleness, copies[staleness]}));
  }
  figure.claims = {
      {"the greatest staleness varies with the fetch latency", "not the same at every delay",
       format("{}", fmt::join(most, " ")), varies(most)},
      {"most objects have low staleness, very few are very stale",
       format("at every delay, more than {:.0f} % never above staleness {}, and less than {:.0f} % "
              "both above that and in the upper half of what occurs",
              100 * kMost, kLowStaleness, 100 * kVeryFew),
       format("low {}; very stale {}", listed(low), listed(very_stale)), all_mostly_low}};
  return figure;
}

namespace {

// ASPIRE §6.4: Figure 16, BSP compared with RCP, and Table 5, RCP with filled caches compared with GraphLab, whose
// times are the paper's.

/// Seconds of RCP and of GraphLab by input, in the order of Table 2; x: crashed or took more than an hour.
struct PaperShares {
  std::string_view benchmark;
  std::array<std::pair<std::string_view, std::string_view>, 6> seconds;
};
// clang-format off
constexpr std::array<PaperShares, 5> kPaperShares = {{
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
  for (const BenchmarkCase& each : one_input_each()) {
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
  for (const PaperShares& paper : kPaperShares) {
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

namespace {

// ASPIRE §6.1, Tables 3 and 4: strict and relaxed consistency across programs and inputs with cold caches; Figure 6:
// the gain on clusters of 2, 4, 8 and 16 nodes.

/// The paper's seconds of SCP and RCP by input, in the order of Table 2.
struct PaperSpeedups {
  std::string_view benchmark;
  std::vector<std::pair<double, double>> seconds;
};
const std::vector<PaperSpeedups>& paper() {
  // clang-format off
  static const std::vector<PaperSpeedups> kPaper = {
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

/// SCP's time over RCP's in the paper. `place`: index of the input among those shown.
double paper_speedup(std::string_view benchmark, std::size_t place) {
  const auto found = std::find_if(paper().begin(), paper().end(), [&](const PaperSpeedups& each) {
    return each.benchmark == benchmark;
  });
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
  for (const BenchmarkCase& each : one_input_each()) {
    std::vector<FigureCell> row = {each.benchmark};
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
