// Figures 3 and 4 of ASPIRE as one table each: the action of a machine in every state on every
// event, including impossible pairs. The model test drives the machines through every cell;
// docs/protocol.md shows the same tables, and a test compares them.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace leeway::testing {

/// One row: a state, an event, and an outcome for each column of policies.
struct TableRow {
  std::string state;
  std::string event;
  std::array<std::string, 3> outcomes;

  friend bool operator==(const TableRow&, const TableRow&) = default;
};

using Table = std::vector<TableRow>;

/// The rows between the lines `<!-- NAME -->` and `<!-- end NAME -->` of a Markdown file.
Table read_table(const std::string& path, std::string_view name);

/// One row in Markdown.
std::string to_markdown(const TableRow& row);

/// The behaviour of the shipped machines for each state and event, in table order.
Table observe_cache();
Table observe_directory();

}  // namespace leeway::testing
