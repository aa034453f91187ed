#include "programs/catalog/result_table.h"

#include <cmath>

namespace leeway {

double real_of(const ResultCell& cell) {
  if (const auto* real = std::get_if<double>(&cell)) return *real;
  if (const auto* whole = std::get_if<std::uint64_t>(&cell)) return static_cast<double>(*whole);
  return std::nan("");
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

double speed_of(const std::vector<ResultCell>& cells) {
  return std::hypot(real_of(cells[3]), real_of(cells[4]));
}

}  // namespace leeway
