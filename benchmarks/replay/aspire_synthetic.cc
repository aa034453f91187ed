// ASPIRE §6.3, Figures 12 to 15: the synthetic program, with several writes, object sizes and delays.

#include <algorithm>
#include <array>
#include <limits>

#include "base/format.h"
#include "benchmarks/replay/laboratory.h"

namespace leeway::replay {

namespace {

// ASPIRE §6.3, Figures 12 and 13: the cost of several writes of a vertex per iteration under SCP, SCP with updates in
// its invalidations, and RCP, relative to one write under the same mode, and relative to SCP with equally many
// writes.
using Series = std::array<std::vector<double>, 3>;

std::vector<double> next_to_single(std::span<const SyntheticResult* const> results) {
  const std::vector<double> seconds = seconds_of(results);
  return ratios(seconds, std::vector<double>(seconds.size(), seconds.front()));
}

Series tabulate(const MultipleWrites& measured, const char* suffix, Rows& rows) {
  const Series series = {next_to_single(measured.scp), next_to_single(measured.scp_pb),
                         next_to_single(measured.rcp)};
  for (std::size_t i = 0; i < kWrites.size(); ++i) {
    rows.add({std::to_string(kWrites[i]) + suffix, measured.scp[i]->seconds,
              measured.scp_pb[i]->seconds, measured.rcp[i]->seconds, series[0][i], series[1][i],
              series[2][i]});
  }
  return series;
}

}  // namespace

Result<Figure> replay_fig12(Laboratory& lab) {
  LEEWAY_ASSIGN(SyntheticBench* const bench, lab.synthetic());
  Figure figure = bench->blank(bench->parameters("rcp"));
  LEEWAY_ASSIGN(const MultipleWrites measured, bench->multiple_writes());
  LEEWAY_ASSIGN(const MultipleWrites spread, bench->multiple_writes(true));
  Rows rows(figure, {shown("writes"), shown("SCP s", ".4f"), shown("SCP+PB s", ".4f"),
                     shown("RCP s", ".4f"), shown("SCP", ".2f"), shown("SCP+PB", ".2f"),
                     shown("RCP", ".2f")});
  const Series series = tabulate(measured, "", rows);
  tabulate(spread, " spread", rows);
  figure.notes.push_back(
      "spread: one pass over all vertices per write, not several writes of one vertex in a row; "
      "shown in addition, not used by the claims");
  const std::string growth = "time with four writes over the time with one";
  constexpr double kUnlimited = std::numeric_limits<double>::infinity();
  const std::vector<double> one(kWrites.size(), 1.0);
  figure.claims = {
      band_claim("SCP's time grows drastically with the writes", growth, kDrasticGrowth, kUnlimited,
                 series[0].back(), 1),
      band_claim("SCP+PB's time grows drastically with the writes", growth, kDrasticGrowth,
                 kUnlimited, series[1].back(), 1),
      order_claim(
          "RCP with several writes performs like RCP with one",
          format("numbers of writes above one with a time within {:.0f} % of the single write's",
                 100 * kSimilarWithin),
          places_similar(std::span(series[2]).subspan(1), std::span(one).subspan(1)),
          one.size() - 1),
  };
  lab.study().write_raw(figure);
  return figure;
}

Result<Figure> replay_fig13(Laboratory& lab) {
  LEEWAY_ASSIGN(SyntheticBench* const bench, lab.synthetic());
  Figure figure = bench->blank(bench->parameters("rcp"));
  LEEWAY_ASSIGN(const MultipleWrites measured, bench->multiple_writes());
  const std::vector<double> scp = seconds_of(measured.scp);
  const std::vector<double> pushed = ratios(seconds_of(measured.scp_pb), scp);
  const std::vector<double> relaxed = ratios(seconds_of(measured.rcp), scp);
  const std::vector<double> one(scp.size(), 1.0);
  Rows rows(figure,
            {shown("writes"), shown("SCP", ".2f"), shown("SCP+PB", ".2f"), shown("RCP", ".2f")});
  for (std::size_t i = 0; i < scp.size(); ++i) rows.add({kWrites[i], 1.0, pushed[i], relaxed[i]});
  lab.study().write_raw(figure);
  const std::size_t steps = scp.size() - 1;
  figure.claims = {
      order_claim("SCP+PB performs better than SCP", "numbers of writes with less time than SCP",
                  places_below(pushed, one), one.size()),
      order_claim("what SCP+PB gains over SCP shrinks as the writes grow",
                  "steps at which its share of SCP's time rises", rising_steps(pushed), steps),
      order_claim("RCP tolerates writes that SCP does not",
                  "steps at which its share of SCP's time falls", falling_steps(relaxed), steps),
      order_claim("RCP performs better than SCP", "numbers of writes with less time than SCP",
                  places_below(relaxed, one), one.size()),
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
  std::array<std::vector<double>, kModes.size()> times;
  for (const std::uint32_t bytes : kObjectBytes) {
    for (std::size_t mode = 0; mode < kModes.size(); ++mode) {
      parameters.mode = kModes[mode];
      parameters.object_bytes = bytes;
      LEEWAY_ASSIGN(const SyntheticResult* const result, bench->run(parameters));
      times[mode].push_back(result->seconds);
    }
    const double scp = times[0].back(), pushed = times[1].back(), relaxed = times[2].back();
    rows.add({bytes, scp, pushed, relaxed, pushed / scp, relaxed / scp});
  }
  lab.study().write_raw(figure);
  figure.claims = {
      order_claim("updates on the invalidations perform like invalidations alone, at every size",
                  format("sizes at which SCP+PB is within {:.0f} % of SCP", 100 * kSimilarWithin),
                  places_similar(times[1], times[0]), kObjectBytes.size()),
      order_claim("RCP performs better than both, at every size",
                  "sizes at which RCP takes less time than SCP, and than SCP+PB",
                  places_below(times[2], times[0]) + places_below(times[2], times[1]),
                  2 * kObjectBytes.size()),
  };
  explain(figure.claims,
          "An update on an invalidation saves the miss that follows, which takes 500 us at the "
          "prices from RCP's columns. Figures 12 and 13 of the paper show that saving, too.");
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
  std::vector<std::uint64_t> most;
  std::size_t mostly_low_at = 0;
  for (const std::uint64_t micros : kExtraMicros) {
    parameters.fetch_delay = std::chrono::microseconds(micros);
    LEEWAY_ASSIGN(const SyntheticResult* const result, bench->run(parameters));
    const std::span<const std::uint64_t> copies(result->copies_by_staleness);
    most.push_back(greatest(copies));
    mostly_low_at += mostly_low(copies) ? 1 : 0;
    add_delay_row(micros, copies, rows);
  }
  lab.study().write_raw(figure);
  figure.claims = {
      holds_claim("the greatest staleness varies with the fetch latency",
                  "not the same at every delay", varies(most)),
      order_claim(
          "most objects have low staleness, very few are very stale",
          format("delays at which more than {:.0f} % of the copies are never above staleness "
                 "{}, and less than {:.0f} % are both above it and in the upper half of what "
                 "occurs",
                 100 * kMost, kLowStaleness, 100 * kVeryFew),
          mostly_low_at, kExtraMicros.size())};
  explain(figure.claims,
          "A delay of a second is longer than all ten iterations of the stand-in, so that no "
          "refresh arrives at all.");
  return figure;
}

}  // namespace leeway::replay
