// What a run gives, a row a vertex, thing or cell, and the files it can be written to.
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

/// A number, a name, or a word for what has no number ("unreachable"), which stands as nothing in CSV and as -1
/// in arrays.
using ResultCell = std::variant<std::uint64_t, double, std::string>;

struct ResultTable {
  std::vector<std::string> columns;  ///< their titles
  std::size_t named = 1;             ///< so many of them only say which row it is
  std::uint64_t rows = 0;
  char separator = ' ';  ///< of columns in text
  /// Fills `cells`, one a column. Any row, in any order.
  std::function<void(std::uint64_t row, std::vector<ResultCell>& cells)> fill;
  bool whole = false;  ///< the values are whole numbers or names
  /// How a real number stands in text; the shortest that reads back when empty.
  std::function<std::string(double value)> text = {};
  /// What stands in an array for a value that is a name: the number of the row it names. Empty: none is one.
  std::function<std::uint64_t(std::uint64_t row)> number = {};
};

enum class ResultFormat { Text, Csv, Tsv, Npy, Npz, MatrixMarket };

/// By the suffix, compression aside; an Input error for one that means nothing here.
Result<ResultFormat> result_format(std::string_view name);

/// Writes, and leaves it to the caller to finish. Arrays hold the values alone, in the table's order; .npz also what the rows are called.
Status write_table(const ResultTable& table, ResultFormat format, ByteSink& sink);
/// Writes and finishes.
Status write_results(const ResultTable& table, ResultFormat format, ByteSink& sink);

/// What process `self` of `count` calls its own file where each writes one: of "a/b.csv.gz" the first of four is
/// "a/b-00000-of-00004.csv.gz".
[[nodiscard]] std::string part_name(std::string_view name, std::uint32_t self, std::uint32_t count);

/// Row after row.
struct ResultNumbers {
  std::vector<double> numbers;
  std::size_t columns = 0;
};
/// The columns of a table that hold numbers; names and words are left out.
[[nodiscard]] ResultNumbers numbers_of(const ResultTable& table);

/// The `most` rows with the greatest values in the first column that is one, the greatest first.
[[nodiscard]] std::string top_rows(const ResultTable& table, std::uint32_t most);

// The results of each kind of run as tables. What a table refers to outlives it.

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
