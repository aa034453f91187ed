// Pages for a browser that carry everything they need: style, scripts and data in one file, nothing fetched.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "leeway/result.h"

namespace leeway::cli {

/// A page of `data`, a JSON object: runs beside each other if it has "runs", replayed figures if it has
/// "figures"; "title" and "about" stand above.
[[nodiscard]] std::string page_of(std::string_view data);

// A run's report as `leeway run --report` writes it, read back: the numbers a comparison is made of, and
// the whole text for whoever shows it.
struct ReadReport {
  std::string name;  ///< the file's, without folder and suffix
  std::string program;
  std::string graph;
  std::string input_hash;
  bool simulated = false;
  std::optional<bool> converged;  ///< of what may converge
  double compute_seconds = 0;
  std::uint64_t iterations = 0;
  std::optional<std::uint64_t> blocked_fetches;  ///< of an engine that fetches
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
  std::optional<double>
      current_share;  ///< of all uses of remote objects; 1 if there were none; of engines that count
  std::vector<std::pair<std::string, std::string>>
      members;       ///< all of it: names, and values as JSON
  std::string film;  ///< the frames it was written with, on one line; empty: none
};

/// An Input error for what is no report, saying what it lacks.
Result<ReadReport> read_report(const std::string& path);

}  // namespace leeway::cli
