// ASPIRE §6.3, Figures 12 and 13: what writing a vertex several times an iteration costs SCP, SCP with updates on
// its invalidations, and RCP, each beside its own version that writes once, and beside SCP with as many writes.
#include <array>

#include "leeway/base/format.h"
#include "leeway/benchmarks/replay/laboratory.h"

namespace leeway::replay {

namespace {

using Series = std::array<std::vector<double>, 3>;

std::vector<double> beside_single(std::span<const SyntheticResult> results) {
  const std::vector<double> seconds = seconds_of(results);
  return ratios(seconds, std::vector<double>(seconds.size(), seconds.front()));
}

Series tabulate(const MultipleWrites& measured, const char* suffix, Rows& rows) {
  const Series series = {beside_single(measured.scp), beside_single(measured.scp_pb),
                         beside_single(measured.rcp)};
  for (std::size_t i = 0; i < kWrites.size(); ++i) {
    rows.add({std::to_string(kWrites[i]) + suffix, measured.scp[i].seconds,
              measured.scp_pb[i].seconds, measured.rcp[i].seconds, series[0][i], series[1][i],
              series[2][i]});
  }
  return series;
}

void keep_raw(const MultipleWrites& measured, SyntheticPlan plan, Rows& rows) {
  const std::pair<const char*, const std::vector<SyntheticResult>*> modes[] = {
      {"scp", &measured.scp}, {"scp+pb", &measured.scp_pb}, {"rcp", &measured.rcp}};
  for (const auto& [mode, results] : modes) {
    plan.mode = mode;
    for (std::size_t i = 0; i < results->size(); ++i) {
      plan.writes = kWrites[i];
      rows.add(raw_cells(plan, (*results)[i]));
    }
  }
}

}  // namespace

Result<Figure> replay_fig12(Laboratory& lab) {
  LEEWAY_ASSIGN(SyntheticBench* const bench, lab.synthetic());
  LEEWAY_ASSIGN(const MultipleWrites* const measured, bench->multiple_writes());
  LEEWAY_ASSIGN(const MultipleWrites* const spread, bench->multiple_writes(true));
  SyntheticPlan plan = bench->plan("rcp");
  Figure figure = bench->blank(plan);
  Rows rows(figure, {shown("writes"), shown("SCP s", ".4f"), shown("SCP+PB s", ".4f"),
                     shown("RCP s", ".4f"), shown("SCP", ".2f"), shown("SCP+PB", ".2f"),
                     shown("RCP", ".2f")});
  const Series series = tabulate(*measured, "", rows);
  tabulate(*spread, " spread", rows);
  figure.notes.push_back(
      "spread: a pass over all vertices for each write, not several writes of one vertex in a row; "
      "shown beside, the claims are decided without it");
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
  keep_raw(*measured, plan, runs);
  plan.spread_writes = true;
  keep_raw(*spread, plan, runs);
  return figure;
}

Result<Figure> replay_fig13(Laboratory& lab) {
  LEEWAY_ASSIGN(SyntheticBench* const bench, lab.synthetic());
  LEEWAY_ASSIGN(const MultipleWrites* const measured, bench->multiple_writes());
  Figure figure = bench->blank(bench->plan("rcp"));
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

}  // namespace leeway::replay
