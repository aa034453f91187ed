// Reduces a failing plan while it still fails in the same way: fewer nodes, settings, vertices and
// edges.
#pragma once

#include <chrono>

#include "test/hunt/run_plan.h"

namespace leeway::hunt {

struct ShrunkPlan {
  HuntPlan smallest;
  HuntOutcome outcome;
  bool repeats = false;  ///< the plan failed again when repeated
};

/// Runs candidates in child processes until none is smaller or the time is over.
[[nodiscard]] ShrunkPlan shrink(const HuntPlan& failing, std::chrono::seconds time);

}  // namespace leeway::hunt
