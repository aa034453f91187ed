#include "leeway/cli/result_tables.h"

#include <limits>

#include "leeway/base/format.h"

namespace leeway::cli {

namespace {

/// Vectors: a column a number.
void set_vectors(const ProgramValues& values, ResultTable& table) {
  table.columns = {"vertex"};
  for (std::uint32_t k = 0; k < values.row; ++k) table.columns.push_back(format("value{}", k));
  table.text = [](double value) { return format("{}", static_cast<float>(value)); };
}

ResultCell whole_cell(std::uint64_t value, const ProgramValues& values, VertexId vertex,
                      const VertexNames& names, bool ldbc) {
  constexpr std::uint64_t kNone = std::numeric_limits<std::uint64_t>::max();
  const bool word = values.shown == Shown::Vertex || value == kNone;
  if (word) return shown_value(values, vertex, names, ldbc);
  return value;
}

}  // namespace

ResultTable values_table(const VertexNames& names, const ProgramValues& values, bool ldbc) {
  ResultTable table;
  table.columns = {"vertex", "value"};
  table.rows = names.count();
  const auto* const reals = std::get_if<std::vector<double>>(&values.by_vertex);
  const auto* const wholes = std::get_if<std::vector<std::uint64_t>>(&values.by_vertex);
  table.whole = values.row == 0 && wholes != nullptr;
  if (values.row > 0) set_vectors(values, table);
  if (values.row == 0 && ldbc) table.text = [](double value) { return format("{:.15e}", value); };
  if (table.whole && values.shown == Shown::Vertex)
    table.number = [wholes](std::uint64_t row) { return (*wholes)[row]; };
  table.fill = [&names, &values, reals, wholes, ldbc](std::uint64_t row,
                                                      std::vector<ResultCell>& cells) {
    const VertexId vertex(static_cast<std::uint32_t>(row));
    cells[0] = names.name(vertex);
    for (std::size_t k = 0; k < values.row; ++k)
      cells[k + 1] = double{values.rows[row * values.row + k]};
    if (values.row > 0) return;
    if (reals != nullptr)
      cells[1] = (*reals)[row];
    else
      cells[1] = whole_cell((*wholes)[row], values, vertex, names, ldbc);
  };
  return table;
}

ResultTable ranks_table(const Graph& graph, std::span<const double> ranks) {
  ResultTable table;
  table.columns = {"vertex", "value"};
  table.rows = graph.vertex_count();
  table.fill = [&graph, ranks](std::uint64_t row, std::vector<ResultCell>& cells) {
    cells[0] = std::string(graph.names().name(VertexId(static_cast<std::uint32_t>(row))));
    cells[1] = ranks[row];
  };
  return table;
}

ResultTable owners_table(const Graph& graph, const Partition& partition) {
  ResultTable table;
  table.columns = {"vertex", "part"};
  table.separator = '\t';
  table.whole = true;
  table.rows = graph.vertex_count();
  table.fill = [&graph, owner = partition.owner.span()](std::uint64_t row,
                                                        std::vector<ResultCell>& cells) {
    cells[0] = std::string(graph.names().name(VertexId(static_cast<std::uint32_t>(row))));
    cells[1] = std::uint64_t{owner[row].value()};
  };
  return table;
}

ResultTable plate_table(std::size_t columns, std::span<const double> cells) {
  ResultTable table;
  table.columns = {"column", "row", "value"};
  table.named = 2;
  table.rows = cells.size();
  table.fill = [columns, cells](std::uint64_t row, std::vector<ResultCell>& into) {
    into = {row % columns, row / columns, cells[row]};
  };
  return table;
}

}  // namespace leeway::cli
