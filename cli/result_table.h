// The result of a run as a table, one row per vertex, body or cell, and its output in text, CSV, TSV, NumPy and
// Matrix Market formats.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "datasets/byte_stream.h"
#include "leeway/graph.h"
#include "leeway/result.h"
#include "programs/vertex/catalog.h"

namespace leeway::cli {

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
  /// The array value for a value that is a name: the number of the row with that name. Empty: no value is a name.
  std::function<std::uint64_t(std::uint64_t row)> number = {};
};

enum class ResultFormat { Text, Csv, Tsv, Npy, Npz, MatrixMarket };

/// Chosen by the suffix, ignoring compression; an Input error for an unknown suffix.
Result<ResultFormat> result_format(std::string_view name);

/// Writes the table without finishing the sink. Arrays contain the values only, in row order; .npz also contains the
/// names of the rows.
Status write_table(const ResultTable& table, ResultFormat format, ByteSink& sink);
/// Writes the table and finishes the sink.
Status write_results(const ResultTable& table, ResultFormat format, ByteSink& sink);

/// Name of the values file of process `self` if each of `count` processes writes one: "a/b.csv.gz" becomes
/// "a/b-00000-of-00004.csv.gz".
[[nodiscard]] std::string part_name(std::string_view name, std::uint32_t self, std::uint32_t count);

/// Numbers in row-major order.
struct ResultNumbers {
  std::vector<double> numbers;
  std::size_t columns = 0;
};
/// The numeric columns of a table.
[[nodiscard]] ResultNumbers numbers_of(const ResultTable& table);

/// The `most` rows with the greatest values in the first value column, in descending order.
[[nodiscard]] std::string top_rows(const ResultTable& table, std::uint32_t most);

// Result tables of the kinds of runs. The tables refer to their arguments, which must outlive them.

/// One row per vertex: name and value, or several values.
[[nodiscard]] ResultTable values_table(const VertexNames& names, const ProgramValues& values,
                                       bool ldbc);

/// One row per vertex: name and a real number.
[[nodiscard]] ResultTable ranks_table(const Graph& graph, std::span<const double> ranks);

/// One row per moving thing: id, position and velocity.
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

/// One row per vertex: name and part.
[[nodiscard]] ResultTable owners_table(const Graph& graph, const Partition& partition);

/// Cells of a plate in row-major order.
[[nodiscard]] ResultTable plate_table(std::size_t columns, std::span<const double> cells);

}  // namespace leeway::cli
