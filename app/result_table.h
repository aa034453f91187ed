// The result of a run as a table, one row per vertex, body or cell, and its output in text, CSV, TSV, NumPy and
// Matrix Market formats.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"
#include "datasets/byte_stream.h"
#include "datasets/graph.h"
#include "programs/catalog/program.h"
#include "programs/catalog/result_table.h"

namespace leeway {
class Group;
}  // namespace leeway

namespace leeway::app {

class Facts;

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

/// The `most` rows with the greatest values, in descending order: `columns` of `table`, as text.
struct TopRows {
  std::vector<std::string> columns;
  std::vector<std::vector<ResultCell>> rows;

  [[nodiscard]] std::string to_table() const;
  /// An array of objects, one per row.
  [[nodiscard]] std::string to_json() const;
};
[[nodiscard]] TopRows top_rows(const ResultTable& table, std::uint32_t most);

/// What a run has found, in numbers: how many groups (components, communities, colours), or how many vertices the
/// source reaches. Plain data.
struct AnswerFacts {
  std::string_view groups;  ///< name of the groups; empty: the program makes none
  std::uint64_t group_count = 0;
  std::uint64_t largest = 0;                ///< vertices in the largest group
  bool reaches = false;                     ///< the program starts from a source
  std::uint64_t reached = 0, vertices = 0;  ///< the source included
  std::optional<double> farthest;           ///< greatest finite value of a reached vertex

  void write(const std::string& source, Facts& facts) const;
};
/// `vertices`: of the whole graph. `group`: sums over the processes that hold parts of the values, collective; null:
/// the values are complete.
[[nodiscard]] AnswerFacts answer_of(const Program& program, const ProgramValues& values,
                                    std::uint64_t vertices, Group* group);

// Result tables of the kinds of runs. The tables refer to their arguments, which must outlive them.

/// One row per vertex: name and value, or several values.
[[nodiscard]] ResultTable values_table(const VertexNames& names, const ProgramValues& values,
                                       bool ldbc);

/// One row per group of equal values: the value and its number of vertices.
[[nodiscard]] ResultTable groups_table(const VertexNames& names, const ProgramValues& values,
                                       bool ldbc);

/// What --top ranks: the groups of a program that makes groups; none: the values.
[[nodiscard]] std::optional<ResultTable> ranked_table(const Program& program,
                                                      const VertexNames& names,
                                                      const ProgramValues& values, bool ldbc);

/// One row per vertex: name and part.
[[nodiscard]] ResultTable owners_table(const Graph& graph, const Partition& partition);

}  // namespace leeway::app
