// Figures 3 and 4 of ASPIRE as one table each: what a machine does in every state on every event, the
// impossible pairs included. The model test drives the machines through every cell; docs/protocol.md
// shows the same tables, and a test holds the two together.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace leeway::testing {

/// One line: a state, an event, and an outcome for each column of policies.
struct TableRow {
  std::string state;
  std::string event;
  std::array<std::string, 3> outcomes;

  friend bool operator==(const TableRow&, const TableRow&) = default;
};

using Table = std::vector<TableRow>;

/// The rows between the lines `<!-- NAME -->` and `<!-- end NAME -->` of a Markdown file.
Table read_table(const std::string& path, std::string_view name);

/// As Markdown, one line a row.
std::string to_markdown(const TableRow& row);

/// What the real machines do, pair by pair, in the order of the table.
Table observe_cache();
Table observe_directory();

}  // namespace leeway::testing
