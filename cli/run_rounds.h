// The pie engine's rounds in a run's report and trace, with the parameters by which each was scheduled.
#pragma once

#include <string>
#include <vector>

#include "leeway/runtime/run_record.h"

namespace leeway::cli {

/// Events of Chrome's trace format: a stretch a round, and counters of every worker's live parameters.
[[nodiscard]] std::vector<std::string> round_events(const RunRecord& record, Instant begin);
/// JSON: what each virtual worker did. Requires that rounds were kept.
[[nodiscard]] std::string workers_json(const RunRecord& record);

}  // namespace leeway::cli
