// ASPIRE §6.3, Figure 12: what writing a vertex several times an iteration costs SCP, SCP with updates on
// its invalidations, and RCP, each beside its own version that writes once.
#include <array>

#include "leeway/base/format.h"
#include "leeway/benchmarks/replay/workbench.h"

namespace leeway::replay {

namespace {

std::vector<double> beside_single(std::span<const SyntheticResult> results) {
  const std::vector<double> seconds = seconds_of(results);
  return ratios(seconds, std::vector<double>(seconds.size(), seconds.front()));
}

using Series = std::array<std::vector<double>, 3>;

Series series_of(const MultipleWrites& measured) {
  return {beside_single(measured.scp), beside_single(measured.scp_pb), beside_single(measured.rcp)};
}

void tabulate(const MultipleWrites& measured, const char* suffix, Figure& figure) {
  const Series series = series_of(measured);
  for (std::size_t i = 0; i < measured.writes.size(); ++i) {
    figure.shown.rows.push_back(
        {std::to_string(measured.writes[i]) + suffix, format("{:.4f}", measured.scp[i].seconds),
         format("{:.4f}", measured.scp_pb[i].seconds), format("{:.4f}", measured.rcp[i].seconds),
         format("{:.2f}", series[0][i]), format("{:.2f}", series[1][i]),
         format("{:.2f}", series[2][i])});
  }
}

void keep_raw(const MultipleWrites& measured, SyntheticPlan plan, Figure& figure) {
  const std::pair<const char*, const std::vector<SyntheticResult>*> modes[] = {
      {"scp", &measured.scp}, {"scp+pb", &measured.scp_pb}, {"rcp", &measured.rcp}};
  for (const auto& [mode, results] : modes) {
    plan.mode = mode;
    for (std::size_t i = 0; i < results->size(); ++i) {
      plan.writes = measured.writes[i];
      figure.raw.rows.push_back(raw_cells(plan, (*results)[i]));
    }
  }
}

}  // namespace

Result<Figure> replay_fig12(Workbench& bench) {
  LEEWAY_ASSIGN(const MultipleWrites* const measured, bench.multiple_writes());
  SyntheticPlan plan = bench.plan("rcp", measured->iterations);
  Figure figure = bench.blank(
      "fig12", "several writes an iteration, beside the version that writes once", plan);
  LEEWAY_ASSIGN(const MultipleWrites* const spread, bench.multiple_writes(true));
  figure.shown.columns = {"writes", "SCP s", "SCP+PB s", "RCP s", "SCP", "SCP+PB", "RCP"};
  tabulate(*measured, "", figure);
  tabulate(*spread, " spread", figure);
  figure.notes.push_back(
      "spread: a pass over all vertices for each write, not several writes of one vertex in a row; "
      "shown beside, the claims are decided without it");
  const Series series = series_of(*measured);
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
  figure.raw.columns = raw_columns();
  keep_raw(*measured, plan, figure);
  plan.spread_writes = true;
  keep_raw(*spread, plan, figure);
  return figure;
}

}  // namespace leeway::replay
