#include "benchmarks/replay/study.h"

#include <algorithm>
#include <set>

#include "benchmarks/replay/figure.h"

namespace leeway::replay {

namespace {

void add_names(const std::vector<RawCell>& cells, std::vector<std::string>& columns) {
  for (const RawCell& cell : cells) {
    if (std::find(columns.begin(), columns.end(), cell.name) == columns.end())
      columns.push_back(cell.name);
  }
}

void fill(const std::vector<RawCell>& cells, const std::vector<std::string>& columns,
          std::vector<std::string>& row) {
  for (const RawCell& cell : cells) {
    const auto column = std::find(columns.begin(), columns.end(), cell.name);
    row[static_cast<std::size_t>(column - columns.begin())] = cell.value;
  }
}

}  // namespace

void Study::write_raw(Figure& figure) const {
  FigureTable& raw = figure.raw;
  raw = {};
  for (const auto* run : requested_) add_names(run->first, raw.columns);
  for (const auto* run : requested_) add_names(run->second.numbers, raw.columns);
  std::set<const Runs::value_type*> written;
  for (const auto* run : requested_) {
    if (!written.insert(run).second) continue;
    std::vector<std::string>& row = raw.rows.emplace_back(raw.columns.size());
    fill(run->first, raw.columns, row);
    fill(run->second.numbers, raw.columns, row);
  }
}

}  // namespace leeway::replay
