// What the tick engine tells of a run, as a report shows it.
#pragma once

#include <cstdint>
#include <vector>

#include "leeway/cli/report.h"
#include "leeway/runtime/tick/node_log.h"

namespace leeway::cli {

struct TickFigures {
  std::uint32_t ticks = 0;
  std::uint64_t tuples = 0;
  std::uint32_t rebalanced = 0;
};

/// Expects the report's `phases.compute`.
void add_tick_run(const std::vector<tick::NodeLog>& logs, const TickFigures& figures,
                  Report& report);

}  // namespace leeway::cli
