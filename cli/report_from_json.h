// A run's report as `leeway run --report` writes it, read back: the numbers a comparison is made of, and
// the whole text for whoever shows it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "leeway/base/result.h"

namespace leeway::cli {

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
