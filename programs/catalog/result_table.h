// The result of a run as a table, one row per vertex, body or cell.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "datasets/graph.h"

namespace leeway {

/// A number, a name, or a word for a missing number ("unreachable"). A word is an empty field in CSV and -1 in
/// arrays.
using ResultCell = std::variant<std::uint64_t, double, std::string>;

struct ResultTable {
  std::vector<std::string> columns;  ///< titles
  std::size_t named = 1;             ///< number of leading columns that identify the row
  std::uint64_t rows = 0;
  char separator = ' ';  ///< between columns in text
  /// Fills `cells`, one per column. Rows may be requested in any order.
  std::function<void(std::uint64_t row, std::vector<ResultCell>& cells)> fill;
  bool whole = false;  ///< the values are integers or names
  /// Formats a real number as text; default: the shortest form that reads back exactly.
  std::function<std::string(double value)> text = {};
  /// Orders the rows of `top_rows`; default: the first value.
  std::function<double(const std::vector<ResultCell>& cells)> rank = {};
  /// The array value for a value that is a name: the number of the row with that name. Empty: no value is a name.
  std::function<std::uint64_t(std::uint64_t row)> number = {};
};

/// The number in a cell; NaN for a name or a word.
[[nodiscard]] double real_of(const ResultCell& cell);

// The tables refer to their arguments, which must outlive them.

/// One row per vertex: name and a real number.
[[nodiscard]] ResultTable ranks_table(const Graph& graph, std::span<const double> ranks);

/// The speed in a row of a `things_table`.
[[nodiscard]] double speed_of(const std::vector<ResultCell>& cells);

/// One row per moving thing: id, position and velocity.
template <class Things>
ResultTable things_table(const Things& things) {
  ResultTable table;
  table.columns = {"id", "x", "y", "vx", "vy"};
  table.rows = things.size();
  table.rank = speed_of;
  table.fill = [view = std::span(things)](std::uint64_t row, std::vector<ResultCell>& cells) {
    const auto& thing = view[static_cast<std::size_t>(row)];
    cells = {std::uint64_t{thing.id}, thing.x, thing.y, thing.vx, thing.vy};
  };
  return table;
}

}  // namespace leeway
