// A run of ticks as its user sees it: a summary, a report that `leeway compare` reads, and the wave of
// ticks for chrome://tracing.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "leeway/runtime/tick/tick_log.h"
#include "leeway/runtime/tick/tick_options.h"

namespace leeway::cli {

struct TickFacts {
  std::string program;
  std::string input;  ///< what was stepped, in words
  std::string input_hash;
  std::uint64_t tuples = 0;
  std::uint64_t links = 0;  ///< arcs, where tuples are vertices of a graph
  std::vector<std::pair<std::string, std::string>> configuration;
  std::uint32_t ticks = 0;
  bool simulated = false;
  std::optional<double> load_seconds;   ///< of what was read from a file
  std::optional<double> setup_seconds;  ///< where it was measured
  double compute_seconds = 0;
  double output_seconds = 0;
  std::uint64_t digest = 0;
  std::uint32_t rebalanced = 0;
  std::string verified;  ///< what the check found; empty if there was none
  std::string film;      ///< as film_json writes it; empty if nobody asked for frames
  std::vector<TickLog> logs;
};

[[nodiscard]] std::string tick_summary(const TickFacts& facts, bool json);
[[nodiscard]] std::string tick_report_json(const TickFacts& facts);
/// A lane a node: which tick it steps, ahead of messages or for others, and whom it waits for.
[[nodiscard]] std::string tick_trace_json(const TickFacts& facts);

}  // namespace leeway::cli
