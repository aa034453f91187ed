// What the answer of an interrupted job must be, by methods that share no code with the library
// (test/answers/oracles.h).
#pragma once

#include <string>

#include "test/campaign/snapshot_plan.h"

namespace leeway::campaign {

/// What is wrong with them; empty: nothing.
[[nodiscard]] std::string wrong_values(const SnapshotPlan& plan, const ProgramValues& values);

}  // namespace leeway::campaign
