// Where figures are measured: the settings they share, and what one figure measured that another needs
// too. One thread's own.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "leeway/base/result.h"
#include "leeway/benchmarks/replay/figure.h"
#include "leeway/benchmarks/replay/synthetic.h"

namespace leeway::replay {

struct Settings {
  NetworkProfile network;
  CostModel cost = CostModel::tardis();
  std::optional<std::uint32_t> iterations;  ///< the figure's own when absent
  std::uint64_t seed = 1;
  bool stand_in = false;  ///< the graph is generated for want of a real one
};

/// Runs of Figures 12 and 13, which show the same measurement twice.
struct MultipleWrites {
  std::uint32_t iterations = 0;
  std::vector<std::uint32_t> writes;
  std::vector<SyntheticResult> scp, scp_pb, rcp;  ///< by place in `writes`
};

class Workbench {
 public:
  using Say = std::function<void(const std::string&)>;

  /// `say` hears of each run before it begins.
  Workbench(LaidGraph graph, Settings settings, Say say)
      : graph_(std::move(graph)), settings_(std::move(settings)), say_(std::move(say)) {}

  [[nodiscard]] const Settings& settings() const { return settings_; }
  [[nodiscard]] const LaidGraph& graph() const { return graph_; }
  /// A plan with everything the settings decide; of a short run that stands for a long one, so its caches
  /// are warm.
  [[nodiscard]] SyntheticPlan plan(std::string mode, std::uint32_t usual_iterations) const;
  Result<SyntheticResult> run(const SyntheticPlan& plan);
  /// Measured once each. `spread`: SyntheticPlan::spread_writes.
  Result<const MultipleWrites*> multiple_writes(bool spread = false);
  /// A figure with its configuration and notes, otherwise empty.
  [[nodiscard]] Figure blank(std::string name, std::string title, const SyntheticPlan& plan) const;

 private:
  LaidGraph graph_;
  Settings settings_;
  Say say_;
  std::optional<MultipleWrites> multiple_writes_[2];  // together, spread
};

/// A run's columns in the raw numbers, and their values.
[[nodiscard]] std::vector<std::string> raw_columns();
[[nodiscard]] std::vector<std::string> raw_cells(const SyntheticPlan& plan,
                                                 const SyntheticResult& result);
[[nodiscard]] std::vector<double> seconds_of(std::span<const SyntheticResult> results);
[[nodiscard]] std::vector<double> ratios(std::span<const double> of, std::span<const double> to);
/// "1.00 1.25 1.51"
[[nodiscard]] std::string listed(std::span<const double> numbers);

Result<Figure> replay_fig12(Workbench& bench);
Result<Figure> replay_fig13(Workbench& bench);
Result<Figure> replay_fig14(Workbench& bench);
Result<Figure> replay_fig15(Workbench& bench);

struct Replay {
  std::string_view name;
  std::string_view summary;
  Result<Figure> (*run)(Workbench& bench);
};
[[nodiscard]] std::span<const Replay> replays();

}  // namespace leeway::replay
