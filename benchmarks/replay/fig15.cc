// ASPIRE §6.3, Figure 15: what slower fetches do to the greatest staleness of the values RCP computes with.
// As the paper says, fetches are delayed and nothing else is: word of a write travels as ever, and so does
// the barrier of Algorithm 1.
#include <array>

#include "leeway/base/format.h"
#include "leeway/benchmarks/replay/workbench.h"

namespace leeway::replay {

namespace {

constexpr std::uint32_t kIterations = 10;
/// Added to every answer to a fetch, in microseconds.
constexpr std::array<std::uint64_t, 5> kExtraMicros = {0, 1'000, 10'000, 100'000, 1'000'000};

struct Rows {
  std::vector<std::uint64_t> greatest;
  std::vector<double> low;  // share of copies never staler than kLowStaleness
  std::vector<double> very_stale;
  bool all_mostly_low = true;
};

std::string in_millis(std::uint64_t micros) {
  return format("{} ms", static_cast<double>(micros) / 1000);
}

std::vector<std::string> shares(const SyntheticResult& result) {
  const std::span<const std::uint64_t> copies(result.copies_by_staleness);
  std::vector<std::string> cells;
  double before = 0;
  for (const std::uint64_t limit : {0u, 1u, 2u, 4u, 8u, 16u}) {
    const double below = share_at_most(copies, limit);
    cells.push_back(format("{:.2f}", 100 * (below - before)));
    before = below;
  }
  cells.push_back(format("{:.2f}", 100 * (1 - before)));
  return cells;
}

Status measure(Workbench& bench, Figure& figure, Rows& rows) {
  for (const std::uint64_t micros : kExtraMicros) {
    SyntheticPlan plan = bench.plan("rcp", kIterations);
    plan.fetch_delay = std::chrono::microseconds(micros);
    LEEWAY_ASSIGN(const SyntheticResult result, bench.run(plan));
    const std::span<const std::uint64_t> copies(result.copies_by_staleness);
    rows.greatest.push_back(greatest(copies));
    rows.low.push_back(share_at_most(copies, kLowStaleness));
    rows.very_stale.push_back(share_very_stale(copies));
    rows.all_mostly_low = rows.all_mostly_low && mostly_low(copies);
    std::vector<std::string> cells = {in_millis(micros), std::to_string(rows.greatest.back())};
    for (std::string& cell : shares(result)) cells.push_back(std::move(cell));
    figure.shown.rows.push_back(std::move(cells));
    for (std::size_t staleness = 0; staleness < copies.size(); ++staleness) {
      std::vector<std::string> raw = raw_cells(plan, result);
      raw.insert(raw.begin(), {std::to_string(micros), std::to_string(staleness),
                               std::to_string(copies[staleness])});
      figure.raw.rows.push_back(std::move(raw));
    }
  }
  return {};
}

void judge(const Rows& rows, Figure& figure) {
  std::string greatest;
  for (const std::uint64_t each : rows.greatest)
    greatest += format("{}{}", greatest.empty() ? "" : " ", each);
  figure.claims.push_back({"the greatest staleness varies with the fetch latency",
                           "not the same at every delay", greatest, varies(rows.greatest)});
  figure.claims.push_back(
      {"most objects have low staleness, very few are very stale",
       format("at every delay, more than {:.0f} % never above staleness {}, and less than {:.0f} % "
              "both above "
              "that and in the upper half of what occurs",
              100 * kMost, kLowStaleness, 100 * kVeryFew),
       format("low {}; very stale {}", listed(rows.low), listed(rows.very_stale)),
       rows.all_mostly_low});
}

}  // namespace

Result<Figure> replay_fig15(Workbench& bench) {
  Figure figure =
      bench.blank("fig15", "greatest staleness of the values used by RCP, by communication delay",
                  bench.plan("rcp", kIterations));
  figure.notes.push_back(
      "shares are of cached copies, by the staleness of each one's stalest use, in per cent");
  figure.notes.push_back(
      "the delay is added to answers to fetches and refreshes alone; a barrier ends each "
      "iteration");
  figure.shown.columns = {"added delay", "greatest", "0", "1", "2", "3-4", "5-8", "9-16", "above"};
  figure.raw.columns = raw_columns();
  figure.raw.columns.insert(figure.raw.columns.begin(), {"added_us", "staleness", "copies"});
  Rows rows;
  LEEWAY_TRY(measure(bench, figure, rows));
  judge(rows, figure);
  return figure;
}

}  // namespace leeway::replay
