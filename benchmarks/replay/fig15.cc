// ASPIRE §6.3, Figure 15: what slower fetches do to the greatest staleness of the values RCP computes with.
// As the paper says, fetches are delayed and nothing else is: word of a write travels as ever, and so does
// the barrier of Algorithm 1.
#include <array>

#include "leeway/base/format.h"
#include "leeway/benchmarks/replay/laboratory.h"

namespace leeway::replay {

namespace {

constexpr std::uint32_t kIterations = 10;
/// Added to every answer to a fetch, in microseconds.
constexpr std::array<std::uint64_t, 5> kExtraMicros = {0, 1'000, 10'000, 100'000, 1'000'000};

void add_row(std::uint64_t micros, std::span<const std::uint64_t> copies, Rows& rows) {
  std::vector<Cell> cells = {format("{} ms", static_cast<double>(micros) / 1000), greatest(copies)};
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
  SyntheticPlan plan = bench->plan("rcp", kIterations);
  Figure figure = bench->blank(plan);
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
    plan.fetch_delay = std::chrono::microseconds(micros);
    LEEWAY_ASSIGN(const SyntheticResult result, bench->run(plan));
    const std::span<const std::uint64_t> copies(result.copies_by_staleness);
    most.push_back(greatest(copies));
    low.push_back(share_at_most(copies, kLowStaleness));
    very_stale.push_back(share_very_stale(copies));
    all_mostly_low = all_mostly_low && mostly_low(copies);
    add_row(micros, copies, rows);
    for (std::size_t staleness = 0; staleness < copies.size(); ++staleness)
      runs.add(raw_cells(plan, result, {micros, staleness, copies[staleness]}));
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

}  // namespace leeway::replay
