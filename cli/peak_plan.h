// Predicts the peak memory of a run's processes from the counts of its graph, for `leeway plan`. Pure functions.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "datasets/plan.h"

namespace leeway::cli {

/// The peak of one program's run.
struct PlannedPeak {
  std::string_view engine;
  std::string_view program;
  std::uint64_t alone = 0;  ///< of one process with one thread
  std::uint64_t of_largest =
      0;  ///< of the largest of several processes over MPI; 0: there is only one
};

/// The graph of a planned run.
struct PlannedGraph {
  GraphCounts counts;
  MemoryEstimate estimate;
  double cut_share = 0;  ///< the share of arcs between parts
  bool has_loops = true;
};

/// What a process over libfabric needs more than one over MPI.
inline constexpr std::uint64_t kLibfabricBytes = std::uint64_t{31} << 20U;

/// For every program that can run on such a graph with default settings, by engine.
[[nodiscard]] std::vector<PlannedPeak> plan_peaks(const PlannedGraph& graph);

}  // namespace leeway::cli
