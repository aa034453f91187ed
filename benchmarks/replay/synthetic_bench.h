// ASPIRE's synthetic program on one graph, as Figures 12 to 15 run it, and what one of them measured that another needs
// too. One thread's own.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "leeway/base/result.h"
#include "leeway/benchmarks/replay/rows.h"
#include "leeway/benchmarks/replay/synthetic.h"

namespace leeway::replay {

class Laboratory;

/// Runs of Figures 12 and 13, which show the same measurement twice; by place in kWrites.
struct MultipleWrites {
  std::vector<SyntheticResult> scp, scp_pb, rcp;
};
inline constexpr std::array<std::uint32_t, 4> kWrites = {1, 2, 3, 4};

class SyntheticBench {
 public:
  /// Deals the graph out.
  static Result<SyntheticBench> on(const Graph& graph, const DefaultGraph& source,
                                   const Laboratory& lab);

  /// A plan with everything the laboratory decides; of a short run that stands for a long one, so its caches
  /// are warm.
  [[nodiscard]] SyntheticPlan plan(std::string mode, std::uint32_t usual_iterations = 2) const;
  Result<SyntheticResult> run(const SyntheticPlan& plan);
  /// Measured once each. `spread`: SyntheticPlan::spread_writes.
  Result<const MultipleWrites*> multiple_writes(bool spread = false);
  /// A figure with its configuration and notes, otherwise empty.
  [[nodiscard]] Figure blank(const SyntheticPlan& plan) const;

 private:
  SyntheticBench(LaidGraph graph, bool stand_in, const Laboratory& lab)
      : graph_(std::move(graph)), stand_in_(stand_in), lab_(&lab) {}

  LaidGraph graph_;
  bool stand_in_;  // the graph is generated for want of a real one
  const Laboratory* lab_;
  std::optional<MultipleWrites> multiple_writes_[2];  // together, spread
};

/// A run's columns in the raw numbers, after `first`, and their values.
[[nodiscard]] std::vector<Column> raw_columns(std::vector<Column> first = {});
[[nodiscard]] std::vector<Cell> raw_cells(const SyntheticPlan& plan, const SyntheticResult& result,
                                          std::vector<Cell> first = {});
[[nodiscard]] std::vector<double> seconds_of(std::span<const SyntheticResult> results);

}  // namespace leeway::replay
