#include "test/protocol/state_table.h"

#include <fstream>
#include <sstream>

namespace leeway::testing {

namespace {

std::string trimmed(std::string_view text) {
  const auto begin = text.find_first_not_of(' ');
  if (begin == std::string_view::npos) return {};
  return std::string(text.substr(begin, text.find_last_not_of(' ') - begin + 1));
}

std::vector<std::string> cells(const std::string& line) {
  std::vector<std::string> found;
  std::istringstream stream(line.substr(1));
  for (std::string cell; std::getline(stream, cell, '|');) found.push_back(trimmed(cell));
  return found;
}

}  // namespace

Table read_table(const std::string& path, std::string_view name) {
  std::ifstream file(path);
  const std::string begin = "<!-- " + std::string(name) + " -->";
  const std::string end = "<!-- end " + std::string(name) + " -->";
  bool inside = false;
  int head = 2;  // the header line and its separator
  Table table;
  for (std::string line; std::getline(file, line);) {
    if (line == begin)
      inside = true;
    else if (line == end)
      inside = false;
    else if (inside && line.starts_with("|") && head-- <= 0) {
      const auto row = cells(line);
      if (row.size() == 5) table.push_back({row[0], row[1], {row[2], row[3], row[4]}});
    }
  }
  return table;
}

std::string to_markdown(const TableRow& row) {
  return "| " + row.state + " | " + row.event + " | " + row.outcomes[0] + " | " + row.outcomes[1] +
         " | " + row.outcomes[2] + " |";
}

}  // namespace leeway::testing
