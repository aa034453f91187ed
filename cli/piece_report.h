// A run of pieces as its user sees it: a summary, a report that `leeway compare` reads, and the wave of
// ticks for chrome://tracing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "leeway/runtime/piece/record.h"

namespace leeway::cli {

struct PieceFacts {
  std::string program;
  std::string input;  ///< what was worked on, in words
  std::string input_hash;
  std::uint64_t objects = 0;
  std::uint64_t links = 0;  ///< arcs, where objects are vertices of a graph
  std::vector<std::pair<std::string, std::string>> configuration;
  bool simulated = false;
  std::string why;                     ///< it stopped
  std::optional<bool> converged;       ///< of a program that may come to rest
  std::optional<double> load_seconds;  ///< of what was read from a file
  double output_seconds = 0;
  std::string verified;  ///< what the check found; empty if there was none
  std::string frames;    ///< the file they were written to; empty: none
  piece::PieceRecord record;
};

[[nodiscard]] std::string piece_summary(const PieceFacts& facts, bool json);
[[nodiscard]] std::string piece_report_json(const PieceFacts& facts);
/// A lane a worker: which tick of which piece it works on, asynchronous part or synchronous, and for whose
/// piece it waits.
[[nodiscard]] std::string piece_trace_json(const PieceFacts& facts);

}  // namespace leeway::cli
