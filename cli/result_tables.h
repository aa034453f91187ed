// The results of each kind of run as tables. What a table refers to outlives it.
#pragma once

#include <span>

#include "leeway/cli/result_table.h"
#include "leeway/datasets/graph.h"
#include "leeway/datasets/partition.h"
#include "leeway/programs/vertex/catalog.h"

namespace leeway::cli {

/// A row a vertex: its name and its value, or its several values.
[[nodiscard]] ResultTable values_table(const VertexNames& names, const ProgramValues& values,
                                       bool ldbc);

/// A row a vertex: its name and a real number.
[[nodiscard]] ResultTable ranks_table(const Graph& graph, std::span<const double> ranks);

/// Things that move: a row each, its id, place and speed.
template <class Things>
ResultTable things_table(const Things& things) {
  ResultTable table;
  table.columns = {"id", "x", "y", "vx", "vy"};
  table.rows = things.size();
  table.fill = [view = std::span(things)](std::uint64_t row, std::vector<ResultCell>& cells) {
    const auto& thing = view[static_cast<std::size_t>(row)];
    cells = {std::uint64_t{thing.id}, thing.x, thing.y, thing.vx, thing.vy};
  };
  return table;
}

/// A row a vertex: its name and its part.
[[nodiscard]] ResultTable owners_table(const Graph& graph, const Partition& partition);

/// Cells of a plate, row by row of it.
[[nodiscard]] ResultTable plate_table(std::size_t columns, std::span<const double> cells);

}  // namespace leeway::cli
