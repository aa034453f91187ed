// ASPIRE §6.3, Figure 13: the runs of Figure 12, each beside SCP with as many writes.
#include "leeway/base/format.h"
#include "leeway/benchmarks/replay/workbench.h"

namespace leeway::replay {

Result<Figure> replay_fig13(Workbench& bench) {
  LEEWAY_ASSIGN(const MultipleWrites* const measured, bench.multiple_writes());
  const SyntheticPlan plan = bench.plan("rcp", measured->iterations);
  Figure figure = bench.blank("fig13", "several writes an iteration, beside SCP", plan);
  const std::vector<double> scp = seconds_of(measured->scp);
  const std::vector<double> pushed = ratios(seconds_of(measured->scp_pb), scp);
  const std::vector<double> relaxed = ratios(seconds_of(measured->rcp), scp);
  const std::vector<double> one(scp.size(), 1.0);
  figure.shown.columns = {"writes", "SCP", "SCP+PB", "RCP"};
  figure.raw.columns = {"writes", "scp_seconds", "scp_pb_over_scp", "rcp_over_scp"};
  for (std::size_t i = 0; i < scp.size(); ++i) {
    const std::string writes = std::to_string(measured->writes[i]);
    figure.shown.rows.push_back(
        {writes, "1.00", format("{:.2f}", pushed[i]), format("{:.2f}", relaxed[i])});
    figure.raw.rows.push_back({writes, format("{:.9f}", scp[i]), format("{:.6f}", pushed[i]),
                               format("{:.6f}", relaxed[i])});
  }
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
