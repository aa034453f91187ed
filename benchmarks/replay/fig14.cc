// ASPIRE §6.3, Figure 14: the same program with objects of eight bytes up to several KiB.
#include <array>

#include "leeway/base/format.h"
#include "leeway/benchmarks/replay/laboratory.h"

namespace leeway::replay {

Result<Figure> replay_fig14(Laboratory& lab) {
  constexpr std::array<const char*, 3> kModes = {"scp", "scp+pb", "rcp"};
  LEEWAY_ASSIGN(SyntheticBench* const bench, lab.synthetic());
  SyntheticPlan plan = bench->plan("rcp");
  Figure figure = bench->blank(plan);
  Rows rows(figure,
            {shown("bytes"), shown("SCP s", ".4f"), shown("SCP+PB s", ".4f"), shown("RCP s", ".4f"),
             shown("SCP+PB / SCP", ".2f"), shown("RCP / SCP", ".2f")});
  Rows runs(figure, raw_columns());
  std::array<std::vector<double>, kModes.size()> times;
  for (const std::uint32_t bytes : kObjectBytes) {
    for (std::size_t mode = 0; mode < kModes.size(); ++mode) {
      plan.mode = kModes[mode];
      plan.object_bytes = bytes;
      LEEWAY_ASSIGN(const SyntheticResult result, bench->run(plan));
      times[mode].push_back(result.seconds);
      runs.add(raw_cells(plan, result));
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

}  // namespace leeway::replay
