// A run's report and trace as files: everything the run tells of itself, and who did what when.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "leeway/datasets/graph.h"
#include "leeway/datasets/partition.h"
#include "leeway/runtime/run_record.h"

namespace leeway::cli {

struct RunFacts {
  std::string program;
  std::string graph;  ///< as it was named
  std::string input_hash;
  std::uint64_t vertices = 0;
  std::uint64_t arcs = 0;
  std::vector<std::pair<std::string, std::string>> configuration;
  std::string why;                                      ///< it stopped
  std::vector<std::pair<std::string, double>> figures;  ///< the program's own, by name
  std::string verified;      ///< what the check found; empty if there was none
  double cost_seconds = -1;  ///< of the single-thread baseline; negative if it was not asked for
  std::string cost_method;
};

/// What a program's figure is called where people read it.
[[nodiscard]] std::string figure_label(const std::string& name);
/// JSON: what `leeway compare` reads.
[[nodiscard]] std::string report_json(const RunFacts& facts, const RunRecord& record);
/// Chrome's trace format: a lane a node, and counters of changed vertices.
[[nodiscard]] std::string trace_json(const RunFacts& facts, const RunRecord& record);
/// The method as a report tells it; a file by its name.
[[nodiscard]] std::string partition_text(const PartitionOptions& options);
/// Of all that decides a result: direction, weights and arcs.
[[nodiscard]] std::string hash_of(const Graph& graph);

}  // namespace leeway::cli
