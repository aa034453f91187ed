// `leeway compare`: reads the reports of several runs and writes a self-contained HTML page. The page embeds style,
// scripts and data and loads nothing from the network.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "leeway/result.h"

namespace leeway::cli {

/// An HTML page for `data`, a JSON object: runs side by side if it has "runs", replayed figures if it has "figures".
/// "title" and "about" form the heading.
[[nodiscard]] std::string page_of(std::string_view data);

// A report written by `leeway run --report`: the numbers that the comparison needs, and the complete text for the
// page.
struct ReadReport {
  std::string name;  ///< file name without folder and suffix
  std::string program;
  std::string graph;
  std::string input_hash;
  bool simulated = false;
  std::optional<bool> converged;  ///< none if the engine does not record convergence
  double compute_seconds = 0;
  std::uint64_t iterations = 0;
  std::optional<std::uint64_t> blocked_fetches;  ///< none if the engine does not fetch objects
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
  /// Share of the uses of remote objects that were current; 1 if there were no uses; none if the engine does not
  /// count them.
  std::optional<double> current_share;
  /// All members of the report: name and value, as JSON.
  std::vector<std::pair<std::string, std::string>> members;
  std::string film;  ///< content of the frames file, on one line; empty: none
};

/// Returns an Input error that names the first missing member if the file is not a report.
Result<ReadReport> read_report(const std::string& path);

}  // namespace leeway::cli
