// ASPIRE §6.1, Figure 6: what RCP gains over SCP on clusters of 2, 4, 8 and 16 nodes.
#include <array>

#include "leeway/base/format.h"
#include "leeway/benchmarks/replay/evaluation.h"
#include "leeway/benchmarks/replay/workbench.h"

namespace leeway::replay {

Result<Figure> replay_fig6(Trials& trials) {
  constexpr std::array<std::uint32_t, 4> kNodes = {2, 4, 8, 16};
  Figure figure = trials.blank("fig6", "RCP over SCP as the cluster grows");
  figure.shown.columns = {"program", "2 nodes", "4 nodes", "8 nodes", "16 nodes"};
  std::array<std::vector<double>, kNodes.size()> speedups;
  std::vector<Trial> runs;
  for (const Case& each : one_input_each()) {
    std::vector<std::string> row = {std::string(each.benchmark->paper)};
    for (std::size_t i = 0; i < kNodes.size(); ++i) {
      std::array<const TrialResult*, 2> results{};
      for (std::size_t mode = 0; mode < 2; ++mode) {
        Trial trial = trials.trial(each.benchmark->paper, each.input, mode == 0 ? "scp" : "rcp");
        trial.nodes = kNodes[i];
        runs.push_back(trial);
        LEEWAY_ASSIGN(results[mode], trials.run(trial));
      }
      const double speedup = results[0]->seconds / results[1]->seconds;
      row.push_back(ratio_cell(*results[0], *results[1], speedup));
      if (results[0]->converged && results[1]->converged) speedups[i].push_back(speedup);
    }
    figure.shown.rows.push_back(std::move(row));
  }
  std::vector<double> means;
  std::vector<std::string> last = {"mean"};
  for (const auto& some : speedups) {
    means.push_back(geometric_mean(some));
    last.push_back(format("{:.2f}", means.back()));
  }
  figure.shown.rows.push_back(std::move(last));
  figure.shown.rows.push_back({"paper's mean", "1.60", "1.90", "2.60", "3.30"});
  trials.add_raw(runs, figure);
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
