// What the engines on vertices tell of a run, as a report shows it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cli/report.h"
#include "datasets/build_graph.h"
#include "leeway/graph.h"
#include "leeway/piece.h"
#include "runtime/cluster/record.h"
#include "runtime/tick/inbox.h"

namespace leeway::cli {

/// What is said of a run beside its record.
struct RunFigures {
  std::vector<std::pair<std::string, double>> figures;  ///< the program's own, by name
  double cost_seconds = -1;  ///< of the single-thread baseline; negative if it was not asked for
  std::string cost_method;
  bool cache_bounded = false;  ///< caches were to be kept small
};

/// Expects the report's `engine`.
void add_vertex_run(const RunRecord& record, const RunFigures& figures, Report& report);

/// The method as a report tells it; a file by its name.
[[nodiscard]] std::string partition_text(const PartitionOptions& options);
/// Of all that decides a result: direction, weights and arcs.
[[nodiscard]] std::string hash_of(const Graph& graph);

// The same by pieces, of a graph that nobody has whole: from the first to all offsets, then all targets, then all
// weights.
[[nodiscard]] std::uint64_t begin_hash(const GraphTotals& graph);
[[nodiscard]] std::uint64_t hash_offset(std::uint64_t hash, std::uint64_t offset);
[[nodiscard]] std::uint64_t hash_targets(std::uint64_t hash, std::span<const VertexId> targets);
[[nodiscard]] std::uint64_t hash_weights(std::uint64_t hash, std::span<const double> weights);
[[nodiscard]] std::string hash_text(std::uint64_t hash);

// What the tick engine tells of a run, as a report shows it.
struct TickFigures {
  std::uint32_t ticks = 0;
  std::uint64_t tuples = 0;
  std::uint32_t rebalanced = 0;
};

/// Expects the report's `phases.compute`.
void add_tick_run(const std::vector<tick::TickNodeLog>& logs, const TickFigures& figures,
                  Report& report);

// What the piece engine tells of a run, as a report shows it.

/// `objects`: fish, bodies, cells or vertices.
void add_piece_run(const piece::PieceRecord& record, std::uint64_t objects, Report& report);

}  // namespace leeway::cli
