#include "leeway/benchmarks/replay/evaluation.h"

#include <array>
#include <cmath>

#include "leeway/base/format.h"

namespace leeway::replay {

std::span<const Evaluation> evaluations() {
  static constexpr std::array kAll = {
      Evaluation{"table3", "ASPIRE Table 3: SCP and RCP on graphs", replay_table3},
      Evaluation{"table4", "ASPIRE Table 4: SCP and RCP on equations", replay_table4},
      Evaluation{"fig6", "ASPIRE Figure 6: RCP over SCP as the cluster grows", replay_fig6},
      Evaluation{"fig7", "ASPIRE Figure 7: RCP and Stale-n, times", replay_fig7},
      Evaluation{"fig8", "ASPIRE Figure 8: RCP and Stale-n, fetches that stall", replay_fig8},
      Evaluation{"fig9", "ASPIRE Figure 9: RCP and Stale-n, staleness of what is used",
                 replay_fig9},
      Evaluation{"fig10", "ASPIRE Figure 10: RCP and Stale-n, iterations", replay_fig10},
      Evaluation{"fig11", "ASPIRE Figure 11: RCP and Stale-n, messages", replay_fig11},
      Evaluation{"fig16", "ASPIRE Figure 16: BSP beside RCP", replay_fig16},
      Evaluation{"table5", "ASPIRE Table 5: RCP with filled caches", replay_table5},
  };
  return kAll;
}

std::vector<Case> one_input_each() {
  std::vector<Case> cases;
  for (const Benchmark& benchmark : graph_benchmarks()) cases.push_back({&benchmark, "Pokec"});
  for (const Benchmark& benchmark : pde_benchmarks()) cases.push_back({&benchmark, "AtmosModl"});
  return cases;
}

double geometric_mean(std::span<const double> numbers) {
  if (numbers.empty()) return 1;
  double sum = 0;
  for (const double number : numbers) sum += std::log(number);
  return std::exp(sum / static_cast<double>(numbers.size()));
}

std::string seconds_cell(const TrialResult& result) {
  return result.converged ? format("{:.4g}", result.seconds) : "x";
}

std::string ratio_cell(const TrialResult& of, const TrialResult& to, double ratio) {
  return of.converged && to.converged ? format("{:.2f}", ratio) : "x";
}

}  // namespace leeway::replay
