// A failing plan made as small as it gets while it fails in the same way: with fewer nodes, settings, vertices and
// edges.
#pragma once

#include <chrono>

#include "test/hunt/run_plan.h"

namespace leeway::hunt {

struct ShrunkPlan {
  HuntPlan smallest;
  HuntOutcome outcome;
  bool repeats = false;  ///< it failed again when it was run again
};

/// Runs candidates in processes of their own until none is smaller or the time is over.
[[nodiscard]] ShrunkPlan shrink(const HuntPlan& failing, std::chrono::seconds time);

}  // namespace leeway::hunt
