// ASPIRE §6.3, Figure 14: the same program with objects of eight bytes up to several KiB.
#include <array>

#include "leeway/base/format.h"
#include "leeway/benchmarks/replay/workbench.h"

namespace leeway::replay {

namespace {

constexpr std::uint32_t kIterations = 2;
constexpr std::array<const char*, 3> kModes = {"scp", "scp+pb", "rcp"};

}  // namespace

Result<Figure> replay_fig14(Workbench& bench) {
  SyntheticPlan plan = bench.plan("rcp", kIterations);
  Figure figure = bench.blank("fig14", "object sizes", plan);
  figure.shown.columns = {"bytes", "SCP s", "SCP+PB s", "RCP s", "SCP+PB / SCP", "RCP / SCP"};
  figure.raw.columns = raw_columns();
  std::array<std::vector<double>, kModes.size()> times;
  for (const std::uint32_t bytes : kObjectBytes) {
    for (std::size_t mode = 0; mode < kModes.size(); ++mode) {
      plan.mode = kModes[mode];
      plan.object_bytes = bytes;
      LEEWAY_ASSIGN(const SyntheticResult result, bench.run(plan));
      times[mode].push_back(result.seconds);
      figure.raw.rows.push_back(raw_cells(plan, result));
    }
    const double scp = times[0].back(), pushed = times[1].back(), relaxed = times[2].back();
    figure.shown.rows.push_back({std::to_string(bytes), format("{:.4f}", scp),
                                 format("{:.4f}", pushed), format("{:.4f}", relaxed),
                                 format("{:.2f}", pushed / scp), format("{:.2f}", relaxed / scp)});
  }
  const std::vector<double> pushed = ratios(times[1], times[0]);
  figure.claims = {
      {"updates on the invalidations perform like invalidations alone, at every size",
       format("SCP+PB within {:.0f} % of SCP everywhere", 100 * kSimilarWithin), listed(pushed),
       similar(times[1], times[0])},
      {"RCP performs better than both, at every size", "RCP below SCP and below SCP+PB everywhere",
       format("beside SCP {}; beside SCP+PB {}", listed(ratios(times[2], times[0])),
              listed(ratios(times[2], times[1]))),
       below_everywhere(times[2], times[0]) && below_everywhere(times[2], times[1])},
  };
  return figure;
}

}  // namespace leeway::replay
