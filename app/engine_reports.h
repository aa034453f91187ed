// Conversion of the engines' run records into a Report: vertex and pie, tick, and piece engine.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "app/report.h"
#include "datasets/graph.h"
#include "leeway/piece.h"
#include "runtime/cluster/record.h"

namespace leeway::app {

/// Figures of a run that are not part of its record.
struct ReportFigures {
  std::vector<std::pair<std::string, double>> figures;  ///< program-specific figures by name
  double cost_seconds = -1;  ///< single-thread baseline; negative: not measured
  std::string cost_method;
  bool cache_bounded = false;  ///< a bound on the caches was set
  bool continues = false;      ///< the run continued from an old answer
};

/// Requires `report.engine`.
void add_vertex_run(const Record& record, const ReportFigures& figures, Report& report);

/// Name of the partition method; "file:PATH" for a file of owners.
[[nodiscard]] std::string partition_text(const PartitionOptions& options);
struct TickFigures {
  std::uint32_t ticks = 0;
  std::uint64_t tuples = 0;
  std::uint32_t rebalanced = 0;
};

/// Requires `report.phases.compute`.
void add_tick_run(std::span<const NodeRecord> nodes, const TickFigures& figures, Report& report);

/// `objects`: number of fish, bodies, cells or vertices.
void add_piece_run(const piece::PieceRecord& record, std::uint64_t objects, Report& report);

}  // namespace leeway::app
